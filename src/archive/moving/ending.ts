import { removeChecksumAnywhere } from '../../blobs/checksum.ts';
import { insertPending, removePendingAnywhere } from '../../blobs/pending-store.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import { ArchiveError } from '../backup-directory.ts';
import type { Progress } from '../manifest.ts';
import { BLOB_OWNERS, type ReferencedBlob } from '../referenced-blobs.ts';
import { refuseSameSide } from './collisions.ts';
import { SEARCHED, tellIndex } from './found-again.ts';
import { lockOf, type Moving } from './move.ts';
import { findMove, otherWorker, removeMove } from './move-store.ts';
import { blobsOfWorkspace } from './moved-blobs.ts';
import { type MovedTable, movedTables } from './moved-tables.ts';
import { type OnRemoved, removeRows } from './row-copying.ts';

/**
 * Gives a move up: what has come of the workspace is removed from the target, and the source writes it again. Rejects with
 * ArchiveError where the target has it already, or another process carries the move.
 */
export async function abandonMove({ source, target, workspaceId }: Omit<Moving, 'location'>): Promise<void> {
  await refuseSameSide(source, target);
  const here = await source.database.read((tx) => findMove(tx, workspaceId));
  const there = await target.database.read((tx) => findMove(tx, workspaceId));
  if (here?.state === 'left' || (there?.state === 'arrived' && there.move_id === here?.move_id))
    throw new ArchiveError(
      'The workspace has arrived at the other installation. Move again to end the move.',
    );
  if (here?.state === 'leaving' && there !== undefined && there.move_id !== here.move_id)
    throw new ArchiveError('The workspace moves to another installation. Name that one.');
  if (there?.state !== 'arriving' && here?.state !== 'leaving')
    throw new ArchiveError('No move of the workspace is under way.');
  const tables = await source.database.read(movedTables);
  if (there?.state === 'arriving') await undoArrival({ source, target, workspaceId }, tables);
  await source.database.write(async (tx) => {
    await tx.lock(lockOf(workspaceId));
    if ((await findMove(tx, workspaceId))?.state === 'leaving') await removeMove(tx, workspaceId);
  });
}

async function undoArrival(
  { source, target, workspaceId }: Omit<Moving, 'location'>,
  tables: readonly MovedTable[],
): Promise<void> {
  const hold = async (tx: WriteTransaction) => {
    await tx.lock(lockOf(workspaceId));
    const move = await findMove(tx, workspaceId);
    if (move?.state !== 'arriving') throw new ArchiveError('The workspace has arrived meanwhile.');
    const other = otherWorker(move, await tx.now());
    if (other !== undefined)
      throw new ArchiveError(`The workspace is being moved by the ${other}. End that process first.`);
  };
  await target.database.write(hold);
  await removeRows(target.database, tables, workspaceId, hold);
  for (const { key } of await blobsOfWorkspace(source.database, tables, workspaceId)) {
    if (await isNamed(target.database, key, workspaceId)) continue;
    await target.blobs.remove(key);
    await target.database.write(async (tx) => {
      await removePendingAnywhere(tx, key);
      await removeChecksumAnywhere(tx, key);
    });
  }
  await target.database.write(async (tx) => {
    await hold(tx);
    await removeMove(tx, workspaceId);
  });
}

/** Whether a row of another workspace names a blob. */
function isNamed(database: Database, key: string, workspaceId: string): Promise<boolean> {
  return database.read(async (tx) => {
    for (const { table } of BLOB_OWNERS) {
      const found = await tx
        .selectFrom(table as 'files')
        .select('workspace_id')
        .where('blob_key', '=', key)
        .where('workspace_id', '!=', workspaceId)
        .limit(1)
        .execute();
      if (found.length > 0) return true;
    }
    return false;
  });
}

/**
 * Removes what is left of a workspace that has moved away; `progress` counts rows and blobs. Goes on where it broke off.
 * Rejects with ArchiveError for any other workspace.
 */
export async function purgeWorkspace(
  { database }: { database: Database },
  workspaceId: string,
  progress: Progress,
): Promise<void> {
  const move = await database.read((tx) => findMove(tx, workspaceId));
  if (move?.state !== 'left')
    throw new ArchiveError('Only a workspace that has moved to another installation can be purged.');
  const tables = await database.read(movedTables);
  const blobs = await blobsOfWorkspace(database, tables, workspaceId);
  await releaseBlobs(database, blobs, workspaceId, progress);
  const entrances = tables.filter(({ isEntrance }) => isEntrance).reverse();
  const others = tables.filter(({ isEntrance }) => !isEntrance);
  const onRemoved: OnRemoved = async (tx, removed, rows) => {
    await tx.join(workspaceId, ['left']);
    if (SEARCHED.includes(removed.name)) tellIndex(tx, removed, workspaceId, rows);
  };
  progress.rows += await removeRows(
    database,
    [...others, ...entrances],
    workspaceId,
    onRemoved,
    indexedColumns,
  );
  await database.write((tx) => removeMove(tx, workspaceId));
}

/** What the search index is told of rows that go. */
function indexedColumns({ name }: MovedTable): readonly string[] {
  if (!SEARCHED.includes(name)) return [];
  return name === 'nodes' ? ['id', 'kind'] : ['id'];
}

/** Has the server remove blobs that no other workspace names. */
async function releaseBlobs(
  database: Database,
  blobs: readonly ReferencedBlob[],
  workspaceId: string,
  progress: Progress,
): Promise<void> {
  for (const { key } of blobs) {
    if (await isNamed(database, key, workspaceId)) continue;
    await database.write(async (tx) => {
      await removePendingAnywhere(tx, key);
      await insertPending(tx, workspaceId, [key], 0);
      await removeChecksumAnywhere(tx, key);
    });
    progress.blobs++;
  }
}
