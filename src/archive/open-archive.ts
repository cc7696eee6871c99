import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { matchTables, rowsIn, type ShapedTable } from './archived-tables.ts';
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
  lossSentences,
  type Manifest,
  type Progress,
  parseArchivedBlob,
  parseManifest,
} from './manifest.ts';
import { ReferencedBlobs } from './referenced-blobs.ts';

/** A backup whose manifest has been read. */
export interface OpenedArchive {
  manifest: Manifest;
  /** The tables of the manifest. */
  tables: readonly ShapedTable[];
}

/**
 * Opens the backup in a directory and matches its tables with its migrations. Rejects with ArchiveError if there is no
 * backup that this version understands, and with MigrationError for an unknown migration.
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
  return { manifest, tables: await matchTables(manifest) };
}

/** The list of blobs of a backup. Throws ArchiveError if the list is damaged or does not match the counts of the manifest. */
export async function* blobsIn(directory: string, { blobs }: Manifest): AsyncGenerator<ArchivedBlob> {
  const keys = new Set<string>();
  let bytes = 0;
  for await (const line of readLines(blobListPath(directory), blobs.sha256)) {
    const blob = parseArchivedBlob(line);
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
 * Reads all rows and blobs of a backup. Returns one sentence for each blob that was missing or damaged when the backup
 * was made. Rejects with ArchiveError at the first damaged or missing item, and with the errors of openArchive.
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
 * The bytes of a blob in a backup, at most as many as its size. Throws ArchiveError, at the end at the latest, if size
 * or digest do not match.
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
