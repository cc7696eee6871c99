import { ApiError, notFound } from '../../../contract/errors.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { DriveOwner } from '../owner.ts';
import { findSession, type SessionKey, type SessionRow, updateSession } from './upload-store.ts';

/** The lock under which an upload changes its state and what counts of its parts. */
export function uploadLock({ id }: SessionKey): string {
  return `upload ${id}`;
}

/** An upload belongs to the user who started it. Throws ApiError not_found. */
export async function ownSession(tx: ReadTransaction, owner: DriveOwner, id: string): Promise<SessionRow> {
  const row = await findSession(tx, { workspace_id: owner.workspaceId, id });
  if (row?.user_id !== owner.userId) throw notFound('upload', id);
  return row;
}

/** The same under its lock. */
export async function lockedSession(
  tx: WriteTransaction,
  owner: DriveOwner,
  id: string,
): Promise<SessionRow> {
  await tx.lock(uploadLock({ workspace_id: owner.workspaceId, id }));
  return ownSession(tx, owner, id);
}

/** Whether something may still become of it; its end may have come before housekeeping has noticed. */
export function isLive({ state, expires_at }: SessionRow, now: number): boolean {
  return (state === 'open' || state === 'completing') && expires_at > now;
}

/** Why an upload takes nothing more. */
export function closedRefusal({ state, file_id }: SessionRow): ApiError {
  if (state === 'finished' || state === 'completing') {
    return new ApiError('upload_finished', 'The upload is finished.', { file_id });
  }
  if (state === 'aborted')
    return new ApiError('upload_aborted', 'The upload was aborted; start another one.');
  return new ApiError('upload_expired', 'The upload was not finished in time; start another one.');
}

/** When an upload began, ends, and is looked at next. */
export type Lifetime = Pick<SessionRow, 'created_at' | 'expires_at' | 'sweep_at'>;

/** The times of an upload that may take so many milliseconds from now on. */
export async function lifetime(tx: WriteTransaction, ms: number): Promise<Lifetime> {
  const now = await tx.now();
  return { created_at: now, expires_at: now + ms, sweep_at: now + ms };
}

/** Ends an upload; housekeeping gives back the space that it still holds, if nobody does before. */
export async function endSession(
  tx: WriteTransaction,
  key: SessionKey,
  state: 'finished' | 'aborted' | 'expired',
): Promise<void> {
  await updateSession(tx, key, { state, sweep_at: await tx.now() });
}
