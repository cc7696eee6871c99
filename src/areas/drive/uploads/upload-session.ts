import { ApiError, notFound } from '../../../contract/errors.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { DriveOwner } from '../owner.ts';
import {
  findSession,
  type PartRow,
  type SessionKey,
  type SessionRow,
  updateSession,
} from './upload-store.ts';

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

/** The upload session of the interface. */
export function sessionRecord(row: SessionRow) {
  return {
    session_id: row.id,
    document_id: row.file_id,
    part_size: row.part_size,
    total_size: row.total_size,
  };
}

/** How far an upload has come. */
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

/** The parts that have not landed, as [first, last]. */
export function missingParts({ part_count: count }: SessionRow, parts: readonly PartRow[]): PartRange[] {
  return rangesBetween(landed(parts), count);
}

/** Of what is finished everything has come, of what was given up nothing is left. */
function receivedRanges(row: SessionRow, parts: readonly PartRow[], now: number): PartRange[] {
  if (row.state === 'finished') return row.part_count > 0 ? [[1, row.part_count]] : [];
  return isLive(row, now) ? landed(parts) : [];
}

function landed(parts: readonly PartRow[]): PartRange[] {
  return rangesOf(parts.filter((part) => part.is_current === 1).map(({ number }) => number));
}

function shownState(row: SessionRow, now: number): 'open' | 'finished' | 'aborted' | 'expired' {
  if (isLive(row, now)) return 'open';
  return row.state === 'finished' || row.state === 'aborted' ? row.state : 'expired';
}

/** First and last number of parts that follow one another. */
type PartRange = [first: number, last: number];

/** Ascending numbers as ranges. */
function rangesOf(numbers: readonly number[]): PartRange[] {
  const ranges: PartRange[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

/** The ranges from 1 to `count` that lie between those given. */
function rangesBetween(ranges: readonly PartRange[], count: number): PartRange[] {
  const starts = [1, ...ranges.map(([, last]) => last + 1)];
  const ends = [...ranges.map(([first]) => first - 1), count];
  return starts
    .map((start, i): PartRange => [start, ends[i] ?? count])
    .filter(([first, last]) => first <= last);
}
