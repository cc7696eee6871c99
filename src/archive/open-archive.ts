import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ArchiveError } from './archive-error.ts';
import { rowsIn } from './archived-rows.ts';
import type { Progress } from './backup.ts';
import { blobListPath, blobPath, manifestPath } from './layout.ts';
import { readLines } from './line-file.ts';
import { type ArchivedBlob, checkedBlob, type Manifest, parseManifest } from './manifest.ts';

/** The manifest of the backup in a directory. Throws ArchiveError where there is none that this version understands. */
export async function readManifest(directory: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(manifestPath(directory), 'utf8');
  } catch (cause) {
    throw new ArchiveError(
      `${directory} holds no backup: there is no manifest.json, which a backup writes last.`,
      { cause },
    );
  }
  return parseManifest(text);
}

/** What the backup says of its blobs. Throws ArchiveError where the list is damaged. */
export async function* blobsIn(directory: string, { blobs }: Manifest): AsyncGenerator<ArchivedBlob> {
  for await (const line of readLines(blobListPath(directory), blobs.sha256)) yield checkedBlob(line);
}

/** Reads a backup through: every row and every blob. Throws ArchiveError at the first that is damaged or missing. */
export async function verifyArchive(directory: string, progress: Progress): Promise<Manifest> {
  const manifest = await readManifest(directory);
  for (const table of manifest.tables) {
    for await (const _row of rowsIn(directory, table)) progress.rows++;
  }
  for await (const blob of blobsIn(directory, manifest)) {
    for await (const chunk of bytesOf(directory, blob)) progress.bytes += chunk.length;
    progress.blobs++;
  }
  return manifest;
}

/** The bytes of a blob in a backup. Throws ArchiveError at their end where they are others than they were. */
export async function* bytesOf(
  directory: string,
  { key, size, sha256 }: ArchivedBlob,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let read = 0;
  try {
    for await (const chunk of createReadStream(blobPath(directory, key)) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      read += chunk.length;
      yield chunk;
    }
  } catch (cause) {
    throw new ArchiveError(`The backup is damaged: the blob ${key} cannot be read.`, { cause });
  }
  if (read !== size || hash.digest('hex') !== sha256)
    throw new ArchiveError(`The backup is damaged: the blob ${key} has other bytes.`);
}
