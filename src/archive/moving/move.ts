import { newId } from '../../platform/ids.ts';
import type { WorkspaceLock, WriteTransaction } from '../../storage/database.ts';
import { insertRows } from '../../storage/schema/table-rows.ts';
import { ArchiveError } from '../backup-directory.ts';
import type { Progress } from '../manifest.ts';
import { refuseCollisions, refuseOtherForms, refuseSameSide, twofoldAddresses } from './collisions.ts';
import { tellIndexOfAll } from './found-again.ts';
import {
  findMove,
  keepClaim,
  type MoveRow,
  otherWorker,
  putMove,
  removeOwnMove,
  takeClaim,
} from './move-store.ts';
import { blobsOfWorkspace, copyBlobsAhead, keepBlobs, type Side } from './moved-blobs.ts';
import { numberRanges, takeNumbers } from './moved-numbers.ts';
import { type MovedTable, movedTables, type Offsets } from './moved-tables.ts';
import { copyTable, differingTable, removeRows, rowsInMemory } from './row-copying.ts';
import { settleOutbox, settleWrites } from './settled-writes.ts';

/** A workspace that is to move, from where and to where. */
export interface Moving {
  readonly source: Side;
  readonly target: Side;
  readonly workspaceId: string;
  /** Where clients find it afterwards; null where nobody has said so. */
  readonly location: string | null;
}

/** The steps of a move, as each ends; a copied table is one. */
export type Step =
  | 'begun'
  | 'blobs'
  | 'frozen'
  | 'cleared'
  | 'copied'
  | 'compared'
  | 'activated'
  | 'left'
  | 'told';

/** Called as each step ends, with the table where one was copied. */
export type OnStep = (step: Step, table?: string) => void;

/** What a move has found. */
export interface MoveReport {
  /** One sentence for each blob that the source has lost or damaged. */
  readonly problems: string[];
}

/**
 * Moves a workspace to another installation, or goes on with a move that broke off, from wherever it did. At every instant one
 * side has the workspace whole: the source, until one transaction of the target makes it that of the target. Rejects with
 * ArchiveError, StorageUnavailable or BlobsUnavailable.
 */
export async function moveWorkspace(
  moving: Moving,
  progress: Progress,
  onStep: OnStep = () => undefined,
): Promise<MoveReport> {
  const { source, target, workspaceId } = moving;
  await refuseSameSide(source, target);
  const move = await begin(moving);
  const tables = await source.database.read(movedTables);
  const problems: string[] = [];
  if (move.state === 'arriving') {
    onStep('begun');
    problems.push(...(await carry(moving, move, tables, progress, onStep)));
  }
  await source.database.write((tx) =>
    putMove(tx, { ...idsOf(move), state: 'left', location: moving.location }),
  );
  onStep('left');
  await tellIndexOfAll(target.database, tables, workspaceId);
  await release(moving);
  onStep('told');
  return { problems };
}

function idsOf({ workspace_id, move_id }: MoveRow): Pick<MoveRow, 'workspace_id' | 'move_id'> {
  return { workspace_id, move_id };
}

/** Finds the move that broke off, or begins one: the record at the target comes first. Returns that. */
async function begin({ source, target, workspaceId }: Moving): Promise<MoveRow> {
  const here = await source.database.read((tx) => findMove(tx, workspaceId));
  const there = await target.database.read((tx) => findMove(tx, workspaceId));
  const isUnderWay = here?.state === 'leaving' || here?.state === 'left';
  if (isUnderWay && (there === undefined || there.move_id !== here.move_id))
    throw new ArchiveError(
      `The workspace ${here.state === 'left' ? 'has moved' : 'is moving'} to another installation${here.location === null ? '' : `, ${here.location}`}. Name that one.`,
    );
  if (there?.state === 'arrived' && isUnderWay) return takeOver({ source, target, workspaceId });
  if (there?.state === 'left')
    throw new ArchiveError(
      'The workspace has been at the other installation before, and what it left is there still. Purge it there first.',
    );
  await refuseCollisions(source, target, workspaceId);
  if (there?.state === 'arriving') return takeOver({ source, target, workspaceId });
  const move = {
    workspace_id: workspaceId,
    move_id: newId('move'),
    state: 'arriving' as const,
    location: null,
  };
  return target.database.write(async (tx) => {
    await tx.lock(lockOf(workspaceId));
    const other = await findMove(tx, workspaceId);
    if (other && other.state !== 'arrived')
      throw new ArchiveError('Another move of the workspace has begun meanwhile.');
    await putMove(tx, move);
    return required(await findMove(tx, workspaceId));
  });
}

/** Takes a move on from a process that has ended. Rejects with ArchiveError while that lives. */
async function takeOver({
  target,
  workspaceId,
}: Pick<Moving, 'source' | 'target' | 'workspaceId'>): Promise<MoveRow> {
  return target.database.write(async (tx) => {
    await tx.lock(lockOf(workspaceId));
    const move = required(await findMove(tx, workspaceId));
    const other = otherWorker(move, await tx.now());
    if (other !== undefined)
      throw new ArchiveError(`The workspace is being moved by the ${other}. Wait for it to end.`);
    await takeClaim(tx, workspaceId);
    return move;
  });
}

function required(move: MoveRow | undefined): MoveRow {
  if (move === undefined) throw new ArchiveError('The move was given up meanwhile. Begin it again.');
  return move;
}

/** The lock of all that changes the state of a move. */
export function lockOf(workspaceId: string): WorkspaceLock {
  return { workspaceId, scope: `move of ${workspaceId}` };
}

/** Copies all of it, first while it is written, then while it is not, and makes it that of the target. */
async function carry(
  moving: Moving,
  move: MoveRow,
  tables: readonly MovedTable[],
  progress: Progress,
  onStep: OnStep,
): Promise<string[]> {
  const { source, target, workspaceId } = moving;
  const ahead = await blobsOfWorkspace(source.database, tables, workspaceId);
  const problems = await copyBlobsAhead({ source, target, workspaceId }, ahead, progress);
  onStep('blobs');
  await freeze(moving, move);
  onStep('frozen');
  await removeRows(target.database, tables, workspaceId, (tx) => holdOn(tx, move));
  onStep('cleared');
  const copied = new Set(ahead.map(({ key }) => key));
  const all = await blobsOfWorkspace(source.database, tables, workspaceId);
  const late = all.filter(({ key }) => !copied.has(key));
  problems.push(...(await copyBlobsAhead({ source, target, workspaceId }, late, progress)));
  await keepBlobs({ source, target, workspaceId }, all);
  const ranges = await source.database.read((tx) => numberRanges(tx, workspaceId));
  const offsets = await target.database.write((tx) => takeNumbers(tx, ranges));
  await copyRows(moving, move, tables, offsets, progress, onStep);
  await activate(moving, move, tables, offsets, progress);
  onStep('activated');
  return problems;
}

/** Ends writing at the source. From then on what is there stays as it is. */
async function freeze({ source, workspaceId, location }: Moving, move: MoveRow): Promise<void> {
  await source.database.write(async (tx) => {
    await tx.lock(lockOf(workspaceId));
    const earlier = await findMove(tx, workspaceId);
    if (earlier && earlier.state !== 'arrived' && earlier.move_id !== move.move_id)
      throw new ArchiveError('Another move of the workspace has begun meanwhile.');
    await putMove(tx, { ...idsOf(move), state: 'leaving', location });
  });
  try {
    await settleWrites(source.database);
  } catch (error) {
    await source.database.write((tx) => removeOwnMove(tx, workspaceId));
    throw error;
  }
  await settleOutbox(source.database, workspaceId);
}

async function copyRows(
  { source, target, workspaceId }: Moving,
  move: MoveRow,
  tables: readonly MovedTable[],
  offsets: Offsets,
  progress: Progress,
  onStep: OnStep,
): Promise<void> {
  const databases = { source: source.database, target: target.database };
  const early = tables.filter(({ isEntrance }) => !isEntrance);
  const claim = (tx: WriteTransaction) => holdOn(tx, move);
  for (const table of early) {
    await copyTable(databases, table, workspaceId, offsets, progress, claim);
    onStep('copied', table.name);
  }
  const differing = await differingTable(databases, early, workspaceId);
  if (differing !== undefined)
    throw new ArchiveError(
      `The two installations do not have as many rows of ${differing}: something has written there. Move again.`,
    );
  onStep('compared');
}

/** Rejects where this process holds the move no more. */
async function holdOn(tx: WriteTransaction, move: MoveRow): Promise<void> {
  if (!(await keepClaim(tx, { ...idsOf(move), state: 'arriving' })))
    throw new ArchiveError('The move was given up, or another process carries it on.');
}

/** One transaction of the target: before it the workspace is that of the source, afterwards that of the target. */
async function activate(
  { source, target, workspaceId }: Moving,
  move: MoveRow,
  tables: readonly MovedTable[],
  offsets: Offsets,
  progress: Progress,
): Promise<void> {
  const entrances = tables.filter(({ isEntrance }) => isEntrance);
  await refuseCollisions(source, target, workspaceId);
  const twofold = await twofoldAddresses(source.database, workspaceId);
  const portions = await rowsInMemory(source.database, entrances, workspaceId, offsets);
  await target.database.write(async (tx) => {
    await tx.lock(lockOf(workspaceId));
    await refuseOtherForms(tx, twofold);
    await holdOn(tx, move);
    for (const { table, rows } of portions) await insertRows(tx, table, rows);
    await putMove(tx, { ...idsOf(move), state: 'arrived', location: null });
  });
  progress.rows += portions.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Nobody carries the move any more. */
async function release({ source, target, workspaceId }: Moving): Promise<void> {
  for (const { database } of [source, target])
    await database.write((tx) =>
      tx
        .updateTable('workspace_moves')
        .set({ worker: '' })
        .where('workspace_id', '=', workspaceId)
        .execute()
        .then(() => undefined),
    );
}
