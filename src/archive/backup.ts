import type { BlobStore } from '../blobs/blob-store.ts';
import { findChecksum } from '../blobs/checksum.ts';
import { VERSION } from '../platform/version.ts';
import type { Database, ReadTransaction } from '../storage/database.ts';
import { appliedSteps, ownTables } from '../storage/schema/own-tables.ts';
import { type Cell, readRows, type TableShape } from '../storage/schema/table-rows.ts';
import { lineOf, UNARCHIVED_TABLES } from './archived-tables.ts';
import { ArchiveError, beginBackup, publishBackup, tablePath } from './backup-directory.ts';
import { copyBlobs, type Loss } from './copy-blobs.ts';
import { LineFile } from './line-file.ts';
import { type ArchivedTable, type LostBlob, type Manifest, manifestText, type Progress } from './manifest.ts';
import { ownersOf, ReferencedBlobs } from './referenced-blobs.ts';

type Storage = { readonly database: Database; readonly blobs: BlobStore };

const ROWS_AT_ONCE = 200;

/**
 * Makes a backup of everything in a directory, which must be new or empty, or contain an aborted backup. It copies all
 * rows as of one moment, while others continue to write, and then the blobs that the rows refer to, which nobody
 * changes or removes. When it resolves, the backup is complete, except for blobs that the store has lost or damaged;
 * the manifest lists these. Rejects with ArchiveError, MigrationError, StorageUnavailable or BlobsUnavailable.
 */
export async function backUp(
  { database, blobs }: Storage,
  directory: string,
  progress: Progress,
): Promise<Manifest> {
  try {
    await beginBackup(directory);
    return await copyEverything({ database, blobs }, directory, progress);
  } catch (error) {
    throw isFull(error) ? noRoom(directory, error) : error;
  }
}

function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function noRoom(directory: string, cause: unknown): ArchiveError {
  const message = `There is no room in ${directory}: what is there is no backup. Make room and back up to it again, or remove it and name a place with more.`;
  return new ArchiveError(message, { cause });
}

async function copyEverything(
  { database, blobs }: Storage,
  directory: string,
  progress: Progress,
): Promise<Manifest> {
  const referenced = new ReferencedBlobs();
  const { tables, migrations } = await database.read((tx) => copyRows(tx, directory, referenced, progress));
  const checksumOf = (key: string) => database.read((tx) => findChecksum(tx, key));
  const copying = { blobs, directory, checksumOf, progress };
  const { list, missing, damaged } = await copyBlobs(copying, referenced.all);
  const manifest: Manifest = {
    product: 'atrium',
    format: 2,
    version: VERSION,
    created_at: new Date().toISOString(),
    migrations,
    tables,
    blobs: list,
    missing_blobs: await database.read((tx) => lossesOf(tx, missing)),
    damaged_blobs: await database.read((tx) => lossesOf(tx, damaged)),
  };
  await publishBackup(directory, manifestText(manifest));
  return manifest;
}

async function lossesOf(tx: ReadTransaction, found: readonly Loss[]): Promise<LostBlob[]> {
  const losses: LostBlob[] = [];
  for (const { blob, reason } of found) losses.push({ key: blob.key, of: await ownersOf(tx, blob), reason });
  return losses.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** May be retried from its beginning, like every transaction. */
async function copyRows(
  tx: ReadTransaction,
  directory: string,
  referenced: ReferencedBlobs,
  progress: Progress,
): Promise<Pick<Manifest, 'tables' | 'migrations'>> {
  referenced.clear();
  progress.rows = 0;
  const shapes = await ownTables(tx);
  if (shapes.length === 0)
    throw new ArchiveError('The database has no tables yet: there is nothing to back up.');
  const tables: ArchivedTable[] = [];
  for (const shape of shapes.filter(({ name }) => !UNARCHIVED_TABLES.includes(name))) {
    const onRows = (rows: readonly Cell[][]) => {
      progress.rows += rows.length;
      referenced.add(shape, rows);
    };
    tables.push(await copyTable(tx, shape, directory, onRows));
  }
  return { tables, migrations: await appliedSteps(tx) };
}

async function copyTable(
  tx: ReadTransaction,
  shape: TableShape,
  directory: string,
  onRows: (rows: readonly Cell[][]) => void,
): Promise<ArchivedTable> {
  const file = await LineFile.create(tablePath(directory, shape.name));
  try {
    for await (const rows of readRows(tx, shape, ROWS_AT_ONCE)) {
      onRows(rows);
      await file.write(rows.map(lineOf));
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  const { lines, sha256 } = await file.close();
  return { name: shape.name, columns: [...shape.columns], bytes: [...shape.bytes], rows: lines, sha256 };
}
