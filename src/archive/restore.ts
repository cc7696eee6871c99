import type { BlobStore } from '../blobs/blob-store.ts';
import { adoptStore } from '../blobs/store-marker.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { continueNumbers } from '../storage/schema/own-tables.ts';
import { type Cell, insertRows } from '../storage/schema/table-rows.ts';
import { rowsIn, type ShapedTable } from './archived-tables.ts';
import { ArchiveError } from './backup-directory.ts';
import type { Manifest, Progress } from './manifest.ts';
import { blobsIn, bytesOf, openArchive } from './open-archive.ts';

/** Stands among the server's secrets, which every version has, as long as what is there is not whole. */
const MARK = 'restore under way';

/** The secret that cursors of the change feed name: what was read before a restore is not followed behind it. */
export const FEED_ERA = 'era of changes';

/** Notes that a restore has begun. */
async function markRestoring(tx: WriteTransaction): Promise<void> {
  await tx
    .insertInto('server_secrets')
    .values({ name: MARK, value: new Uint8Array(0) })
    .execute();
}

/** Notes that it has come to its end. */
async function unmarkRestoring(tx: WriteTransaction): Promise<void> {
  await tx.deleteFrom('server_secrets').where('name', 'in', [MARK, FEED_ERA]).execute();
}

/** Whether a restore has begun and not come to its end. */
export async function isRestoring(tx: ReadTransaction): Promise<boolean> {
  const found = await tx.selectFrom('server_secrets').select('name').where('name', '=', MARK).execute();
  return found.length > 0;
}

/** The storage that a backup goes into. */
export interface RestoreTarget {
  readonly database: Database;
  readonly blobs: BlobStore;
  /** Whether there are tables, as this version or another makes them. */
  hasTables(): Promise<boolean>;
  /** Removes every table, with all that is in them. */
  removeTables(): Promise<void>;
  /**
   * Makes the tables as they were after these steps, or as they are now. Rejects with MigrationError where this version
   * does not know one of them.
   */
  makeTables(steps?: readonly string[]): Promise<void>;
}

/** Values of one statement: both engines take more. */
const VALUES_AT_ONCE = 30_000;
/** Characters and bytes of one statement, about. */
const SIZE_AT_ONCE = 4 * 1024 * 1024;

/**
 * Puts a backup back, into storage of either kind that holds no workspace. What breaks off leaves storage that serves
 * nothing until a restore into it has come to its end. A backup of an earlier version is brought up to date.
 * Rejects with ArchiveError, MigrationError, StorageUnavailable or BlobsUnavailable.
 */
export async function restore(
  directory: string,
  target: RestoreTarget,
  progress: Progress,
): Promise<Manifest> {
  const { manifest, tables } = await openArchive(directory);
  await refuseHeld(target);
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

async function refuseHeld({ database, hasTables }: RestoreTarget): Promise<void> {
  if (!(await hasTables())) return;
  const isHeld = await database.read(async (tx) => {
    if (await isRestoring(tx)) return false;
    const found = await tx.selectFrom('workspaces').select('id').limit(1).execute();
    return found.length > 0;
  });
  if (isHeld)
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
  for await (const rows of portions(rowsIn(directory, table), table.columns.length)) {
    await database.write((tx) => insertRows(tx, table, rows));
    progress.rows += rows.length;
  }
}

async function* portions(rows: AsyncIterable<Cell[]>, columns: number): AsyncGenerator<Cell[][]> {
  const most = Math.floor(VALUES_AT_ONCE / columns);
  let portion: Cell[][] = [];
  let size = 0;
  for await (const row of rows) {
    portion.push(row);
    size += sizeOf(row);
    if (portion.length < most && size < SIZE_AT_ONCE) continue;
    yield portion;
    portion = [];
    size = 0;
  }
  if (portion.length > 0) yield portion;
}

function sizeOf(row: readonly Cell[]): number {
  return row.reduce<number>(
    (sum, value) => sum + (value === null || typeof value === 'number' ? 8 : value.length),
    0,
  );
}
