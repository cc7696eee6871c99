import { hostname } from 'node:os';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { WorkspaceMoves } from '../../storage/schema/tables.ts';

export type MoveRow = WorkspaceMoves;

/** A process that does not say that it lives within this time has ended, unless it is seen alive. */
const CLAIM_MS = 60_000;

/** The name of this process, as a claim has it. */
const WORKER = `${hostname()} ${process.pid}`;

/** The move of a workspace; undefined where there was none, or what remained of it is removed. */
export async function findMove(tx: ReadTransaction, workspaceId: string): Promise<MoveRow | undefined> {
  return tx
    .selectFrom('workspace_moves')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
}

/** Records a state, in place of the one before; without a location, that of the one before stays. */
export async function putMove(
  tx: WriteTransaction,
  move: Pick<MoveRow, 'workspace_id' | 'move_id' | 'state' | 'location'>,
): Promise<void> {
  const before = await findMove(tx, move.workspace_id);
  await removeMove(tx, move.workspace_id);
  const now = await tx.now();
  const { workspace_id, move_id, state } = move;
  const location = move.location ?? before?.location ?? null;
  const row = { workspace_id, move_id, state, location, worker: WORKER };
  await tx
    .insertInto('workspace_moves')
    .values({ ...row, claimed_until: now + CLAIM_MS, began_at: now })
    .execute();
}

export async function removeMove(tx: WriteTransaction, workspaceId: string): Promise<void> {
  await tx.deleteFrom('workspace_moves').where('workspace_id', '=', workspaceId).execute();
}

/** Removes the record of this process; that of another stays. */
export async function removeOwnMove(tx: WriteTransaction, workspaceId: string): Promise<void> {
  await tx
    .deleteFrom('workspace_moves')
    .where('workspace_id', '=', workspaceId)
    .where('worker', '=', WORKER)
    .execute();
}

/** Whether this process holds the move, in this state; if so, it holds it for longer. */
export async function keepClaim(
  tx: WriteTransaction,
  { workspace_id, move_id, state }: Pick<MoveRow, 'workspace_id' | 'move_id' | 'state'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('workspace_moves')
    .set({ claimed_until: (await tx.now()) + CLAIM_MS })
    .where('workspace_id', '=', workspace_id)
    .where('move_id', '=', move_id)
    .where('state', '=', state)
    .where('worker', '=', WORKER)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Another process that holds the move and has not ended, as people know it; undefined where there is none. */
export function otherWorker({ worker, claimed_until }: MoveRow, now: number): string | undefined {
  if (worker === WORKER || worker === '') return undefined;
  const [host = '', pid = ''] = worker.split(' ');
  const name = `process ${pid} on ${host}`;
  if (host === hostname()) return isAlive(Number(pid)) ? name : undefined;
  return claimed_until > now ? name : undefined;
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is alive, under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Makes this process the one that carries a move on. */
export async function takeClaim(tx: WriteTransaction, workspaceId: string): Promise<void> {
  await tx
    .updateTable('workspace_moves')
    .set({ worker: WORKER, claimed_until: (await tx.now()) + CLAIM_MS })
    .where('workspace_id', '=', workspaceId)
    .execute();
}
