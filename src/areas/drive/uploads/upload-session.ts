import { ApiError, notFound } from '../../../contract/errors.ts';
import type { ReadTransaction, WorkspaceLock, WriteTransaction } from '../../../storage/database.ts';
import type { UploadState } from '../../../storage/schema/tables.ts';
import type { DriveOwner } from '../owner.ts';
import {
  findSession,
  type PartRow,
  type SessionKey,
  type SessionRow,
  updateSession,
} from './upload-store.ts';

export type { UploadState };

/** The lock for changes of the state and of the current parts of an upload. */
export function uploadLock({ workspace_id: workspaceId, id }: SessionKey): WorkspaceLock {
  return { workspaceId, scope: `upload ${id}` };
}

/** An upload of this user; uploads belong to the user who started them. Throws ApiError not_found. */
export async function ownSession(tx: ReadTransaction, owner: DriveOwner, id: string): Promise<SessionRow> {
  const row = await findSession(tx, { workspace_id: owner.workspaceId, id });
  if (row?.user_id !== owner.userId) throw notFound('upload', id);
  return row;
}

/** The same with the lock of the upload. */
export async function lockedSession(
  tx: WriteTransaction,
  owner: DriveOwner,
  id: string,
): Promise<SessionRow> {
  await tx.lock(uploadLock({ workspace_id: owner.workspaceId, id }));
  return ownSession(tx, owner, id);
}

/** Whether the upload can still be completed. It may be expired before the sweep has recorded that. */
export function isLive({ state, expires_at }: SessionRow, now: number): boolean {
  return (state === 'open' || state === 'completing') && expires_at > now;
}

/** Why an upload accepts no more parts. */
export function closedRefusal({ state, file_id }: SessionRow): ApiError {
  if (state === 'finished' || state === 'completing') {
    return new ApiError('upload_finished', 'The upload is finished.', { file_id });
  }
  if (state === 'aborted')
    return new ApiError('upload_aborted', 'The upload was aborted; start another one.');
  return new ApiError('upload_expired', 'The upload was not finished in time; start another one.');
}

/** When an upload began, expires, and is swept next. */
export type Lifetime = Pick<SessionRow, 'created_at' | 'expires_at' | 'sweep_at'>;

/** The times of an upload that expires after `ms` milliseconds. */
export async function lifetime(tx: WriteTransaction, ms: number): Promise<Lifetime> {
  const now = await tx.now();
  return { created_at: now, expires_at: now + ms, sweep_at: now + ms };
}

/** Ends an upload. The sweep releases the space that it still occupies, unless the caller does so before. */
export async function endSession(
  tx: WriteTransaction,
  key: SessionKey,
  state: 'finished' | 'aborted' | 'expired',
): Promise<void> {
  await updateSession(tx, key, { state, sweep_at: await tx.now() });
}

/** The API record of an upload session. */
export function sessionRecord(row: SessionRow) {
  return {
    session_id: row.id,
    document_id: row.file_id,
    part_size: row.part_size,
    total_size: row.total_size,
  };
}

/** The API record of an upload in a list. */
export function openUploadRecord(row: SessionRow) {
  return {
    ...sessionRecord(row),
    filename: row.filename,
    part_count: row.part_count,
    received_bytes: row.received_bytes,
    expires_at: new Date(row.expires_at).toISOString(),
  };
}

/** The API record of the progress of an upload. */
export function statusRecord(row: SessionRow, parts: readonly PartRow[], now: number) {
  const received = receivedRanges(row, parts, now);
  return {
    ...sessionRecord(row),
    filename: row.filename,
    state: shownState(row, now),
    part_count: row.part_count,
    received_bytes: received.length > 0 ? row.received_bytes : 0,
    received_parts: received,
    missing_parts: rangesBetween(received, row.part_count),
    expires_at: new Date(row.expires_at).toISOString(),
  };
}

/** The parts that have not been received, as [first, last]. */
export function missingParts({ part_count: count }: SessionRow, parts: readonly PartRow[]): PartRange[] {
  return rangesBetween(receivedNumbers(parts), count);
}

/** A finished upload has all of its parts; an aborted or expired one has none. */
function receivedRanges(row: SessionRow, parts: readonly PartRow[], now: number): PartRange[] {
  if (row.state === 'finished') return row.part_count > 0 ? [[1, row.part_count]] : [];
  return isLive(row, now) ? receivedNumbers(parts) : [];
}

function receivedNumbers(parts: readonly PartRow[]): PartRange[] {
  return rangesOf(parts.filter((part) => part.is_current === 1).map(({ number }) => number));
}

function shownState(row: SessionRow, now: number): 'open' | 'finished' | 'aborted' | 'expired' {
  if (isLive(row, now)) return 'open';
  return row.state === 'finished' || row.state === 'aborted' ? row.state : 'expired';
}

/** First and last number of consecutive parts. */
type PartRange = [first: number, last: number];

/** Converts ascending numbers to ranges. */
function rangesOf(numbers: readonly number[]): PartRange[] {
  const ranges: PartRange[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

/** The ranges from 1 to `count` that the given ranges leave out. */
function rangesBetween(ranges: readonly PartRange[], count: number): PartRange[] {
  const starts = [1, ...ranges.map(([, last]) => last + 1)];
  const ends = [...ranges.map(([first]) => first - 1), count];
  return starts
    .map((start, i): PartRange => [start, ends[i] ?? count])
    .filter(([first, last]) => first <= last);
}
