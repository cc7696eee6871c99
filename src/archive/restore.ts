import type { BlobStore } from '../blobs/blob-store.ts';
import { adoptStore } from '../blobs/store-marker.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { continueNumbers } from '../storage/schema/own-tables.ts';
import { insertRows } from '../storage/schema/table-rows.ts';
import { rowsIn, type ShapedTable } from './archived-tables.ts';
import { ArchiveError } from './backup-directory.ts';
import type { Manifest, Progress } from './manifest.ts';
import { blobsIn, bytesOf, openArchive } from './open-archive.ts';
import { type PortionBounds, rowPortions } from './row-portions.ts';

/** Name of a row among the server's secrets, a table of every version. It exists while a restore is incomplete. */
const MARK = 'restore under way';

/** The secret that cursors of the change feed name: what was read before a restore is not followed behind it. */
export const FEED_ERA = 'era of changes';

/** Records that a restore has begun. */
async function markRestoring(tx: WriteTransaction): Promise<void> {
  await tx
    .insertInto('server_secrets')
    .values({ name: MARK, value: new Uint8Array(0) })
    .execute();
}

/** Records that the restore is complete. */
async function unmarkRestoring(tx: WriteTransaction): Promise<void> {
  await tx.deleteFrom('server_secrets').where('name', 'in', [MARK, FEED_ERA]).execute();
}

/** Whether a restore has begun and is not complete. */
export async function isRestoring(tx: ReadTransaction): Promise<boolean> {
  const found = await tx.selectFrom('server_secrets').select('name').where('name', '=', MARK).execute();
  return found.length > 0;
}

/** The storage that a backup is restored into. */
export interface RestoreTarget {
  readonly database: Database;
  readonly blobs: BlobStore;
  /** Whether there are tables of any version. */
  hasTables(): Promise<boolean>;
  /** Drops every table with its content. */
  removeTables(): Promise<void>;
  /** Creates the tables as of these migrations, or of all migrations. Rejects with MigrationError for an unknown migration. */
  makeTables(steps?: readonly string[]): Promise<void>;
}

/** Of one statement; both engines accept more. */
const AT_ONCE: PortionBounds = { values: 30_000, size: 4 * 1024 * 1024 };

/**
 * Restores a backup into storage of any kind without a workspace. After an aborted restore the storage cannot be used
 * until a restore into it completes. The tables of an earlier version are migrated. Rejects with ArchiveError,
 * MigrationError, StorageUnavailable or BlobsUnavailable.
 */
export async function restore(
  directory: string,
  target: RestoreTarget,
  progress: Progress,
): Promise<Manifest> {
  const { manifest, tables } = await openArchive(directory);
  await refuseOccupied(target);
  await target.removeTables();
  await target.makeTables(manifest.migrations);
  await target.database.write((tx) => markRestoring(tx));
  await restoreBlobs(directory, manifest, target.blobs, progress);
  for (const table of tables) await restoreTable(directory, table, target.database, progress);
  await target.makeTables();
  await adoptStore(target);
  await target.database.write(async (tx) => {
    await continueNumbers(tx);
    await unmarkRestoring(tx);
  });
  return manifest;
}

async function refuseOccupied({ database, hasTables }: RestoreTarget): Promise<void> {
  if (!(await hasTables())) return;
  const isOccupied = await database.read(async (tx) => {
    if (await isRestoring(tx)) return false;
    const found = await tx.selectFrom('workspaces').select('id').limit(1).execute();
    return found.length > 0;
  });
  if (isOccupied)
    throw new ArchiveError(
      'The database holds a workspace already. Restore into an empty data directory or database.',
    );
}

async function restoreBlobs(
  directory: string,
  manifest: Manifest,
  blobs: BlobStore,
  progress: Progress,
): Promise<void> {
  for await (const blob of blobsIn(directory, manifest)) {
    const { size } = await blobs.put(blob.key, bytesOf(directory, blob));
    progress.blobs++;
    progress.bytes += size;
  }
}

async function restoreTable(
  directory: string,
  table: ShapedTable,
  database: Database,
  progress: Progress,
): Promise<void> {
  for await (const rows of rowPortions(rowsIn(directory, table), table.columns.length, AT_ONCE)) {
    await database.write((tx) => insertRows(tx, table, rows));
    progress.rows += rows.length;
  }
}
