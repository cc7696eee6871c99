import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { rowsIn, type ShapedTable, shapedTables } from './archived-tables.ts';
import {
  ArchiveError,
  blobListPath,
  blobPath,
  blobsDirectory,
  bytesOfPlainFile,
  manifestPath,
  requirePlainDirectory,
  tablesDirectory,
} from './backup-directory.ts';
import { readLines } from './line-file.ts';
import {
  type ArchivedBlob,
  checkedBlob,
  lossSentences,
  type Manifest,
  type Progress,
  parseManifest,
} from './manifest.ts';
import { ReferencedBlobs } from './referenced-blobs.ts';

/** What a backup says is in it. */
export interface OpenedArchive {
  manifest: Manifest;
  /** The tables of the manifest. */
  tables: readonly ShapedTable[];
}

/**
 * Opens the backup in a directory, of the tables that its steps of the schema make. Rejects with ArchiveError
 * where there is none that this version understands, and with MigrationError where it does not know one of the steps.
 */
export async function openArchive(directory: string): Promise<OpenedArchive> {
  let text: string;
  try {
    text = (await buffer(bytesOfPlainFile(manifestPath(directory)))).toString();
  } catch (cause) {
    throw new ArchiveError(
      `${directory} holds no backup: there is no manifest.json, which a backup writes last.`,
      { cause },
    );
  }
  const manifest = parseManifest(text);
  for (const path of [tablesDirectory(directory), blobsDirectory(directory)]) {
    await requirePlainDirectory(path).catch((cause) => {
      throw new ArchiveError(`The backup is damaged: its directory ${basename(path)} cannot be read.`, {
        cause,
      });
    });
  }
  return { manifest, tables: await shapedTables(manifest) };
}

/** What the backup says of its blobs. Throws ArchiveError where the list is damaged, or not as the manifest counts it. */
export async function* blobsIn(directory: string, { blobs }: Manifest): AsyncGenerator<ArchivedBlob> {
  const keys = new Set<string>();
  let bytes = 0;
  for await (const line of readLines(blobListPath(directory), blobs.sha256)) {
    const blob = checkedBlob(line);
    if (keys.has(blob.key))
      throw new ArchiveError(`The backup is damaged: it lists the blob ${blob.key} twice.`);
    keys.add(blob.key);
    bytes += blob.size;
    yield blob;
  }
  if (keys.size !== blobs.count || bytes !== blobs.bytes)
    throw new ArchiveError('The manifest of the backup is damaged: it counts other blobs than there are.');
}

/**
 * Reads a backup through: every row and every blob. Answers one sentence for each blob that was not there to be backed
 * up, or was damaged. Rejects with ArchiveError at the first thing that is damaged or missing, and as openArchive does.
 */
export async function verifyArchive(directory: string, progress: Progress): Promise<string[]> {
  const { manifest, tables } = await openArchive(directory);
  const referenced = new ReferencedBlobs();
  for (const table of tables) {
    for await (const row of rowsIn(directory, table)) {
      referenced.add(table, [row]);
      progress.rows++;
    }
  }
  const unexpected = new Set(referenced.all.map(({ key }) => key));
  for (const { key } of manifest.missing_blobs) unexpected.delete(key);
  for await (const blob of blobsIn(directory, manifest)) {
    for await (const chunk of bytesOf(directory, blob)) progress.bytes += chunk.length;
    unexpected.delete(blob.key);
    progress.blobs++;
  }
  const [left] = unexpected;
  if (left !== undefined)
    throw new ArchiveError(`The backup is damaged: a row names the blob ${left}, which is in no list.`);
  return lossSentences(manifest);
}

/**
 * The bytes of a blob in a backup, and never more than it has. Throws ArchiveError, at their end at the latest, where they
 * are others than they were.
 */
export async function* bytesOf(
  directory: string,
  { key, size, sha256 }: ArchivedBlob,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let read = 0;
  try {
    for await (const chunk of bytesOfPlainFile(blobPath(directory, key))) {
      read += chunk.length;
      if (read > size) break;
      hash.update(chunk);
      yield chunk;
    }
  } catch (cause) {
    throw new ArchiveError(`The backup is damaged: the blob ${key} cannot be read.`, { cause });
  }
  if (read !== size || hash.digest('hex') !== sha256)
    throw new ArchiveError(`The backup is damaged: the blob ${key} has other bytes.`);
}
