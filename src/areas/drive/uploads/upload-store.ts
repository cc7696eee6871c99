import { sql } from 'kysely';
import { ApiError, notFound } from '../../../contract/errors.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { insertion } from '../../../storage/query/insertion.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { UploadParts, UploadSessions, UploadState } from '../../../storage/schema/tables.ts';
import type { DriveOwner } from '../owner.ts';

export type SessionRow = UploadSessions;
export type PartRow = Pick<UploadParts, 'number' | 'place' | 'tag' | 'checksum' | 'is_current'>;

/** Identifies a session. */
export type SessionKey = Pick<SessionRow, 'workspace_id' | 'id'>;

/** A location that a part is written to. */
export interface PartKey {
  session: SessionKey;
  number: number;
  /** "" for its byte range of the upload's blob, else the key of a blob of its own (column `place`). */
  place: string;
}

/** A part whose bytes are durable. */
export interface StoredPart {
  /** The tag that the blob store assigned. */
  tag: string;
  /** CRC-32 of its bytes. */
  checksum: number;
}

const sessionById = statement((tx, p: SessionKey) =>
  tx
    .selectFrom('upload_sessions')
    .selectAll()
    .where('workspace_id', '=', p.workspace_id)
    .where('id', '=', p.id),
);

export async function findSession(tx: ReadTransaction, key: SessionKey): Promise<SessionRow | undefined> {
  const [row] = await sessionById(tx, key);
  return row;
}

export const insertSession = insertion('upload_sessions');

export async function updateSession(
  tx: WriteTransaction,
  { workspace_id, id }: SessionKey,
  changes: Partial<SessionRow>,
): Promise<void> {
  await tx
    .updateTable('upload_sessions')
    .set(changes)
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute();
}

const removeById = statement((tx: WriteTransaction, p: SessionKey) =>
  tx.deleteFrom('upload_sessions').where('workspace_id', '=', p.workspace_id).where('id', '=', p.id),
);

export async function removeSession(tx: WriteTransaction, { workspace_id, id }: SessionKey): Promise<void> {
  await removeById(tx, { workspace_id, id });
}

/** At most `most` sessions that are due for the sweep. */
export function listDueSessions(tx: ReadTransaction, now: number, most: number): Promise<SessionRow[]> {
  return tx
    .selectFrom('upload_sessions')
    .selectAll()
    .where('sweep_at', '<=', now)
    .orderBy('sweep_at')
    .limit(most)
    .execute();
}

const partsOfNumber = statement((tx, p: SessionKey & { number: number }) =>
  tx
    .selectFrom('upload_parts')
    .select(['number', 'place', 'tag', 'checksum', 'is_current'])
    .where('workspace_id', '=', p.workspace_id)
    .where('session_id', '=', p.id)
    .where('number', '=', p.number),
);

/** All locations of a part, including replaced ones. */
export function listLocations(
  tx: ReadTransaction,
  { workspace_id, id }: SessionKey,
  number: number,
): Promise<PartRow[]> {
  return partsOfNumber(tx, { workspace_id, id, number });
}

/** All locations of all parts, by part number. */
export function listParts(tx: ReadTransaction, { workspace_id, id }: SessionKey): Promise<PartRow[]> {
  return tx
    .selectFrom('upload_parts')
    .select(['number', 'place', 'tag', 'checksum', 'is_current'])
    .where('workspace_id', '=', workspace_id)
    .where('session_id', '=', id)
    .orderBy('number')
    .execute();
}

const insertLocation = statement((tx: WriteTransaction, p: SessionKey & { number: number; place: string }) =>
  tx.insertInto('upload_parts').values({
    workspace_id: p.workspace_id,
    session_id: p.id,
    number: p.number,
    place: p.place,
    tag: null,
    checksum: null,
    is_current: 0,
  }),
);

/** Records a location before anything is written to it. */
export async function claimLocation(
  tx: WriteTransaction,
  { session, number, place }: PartKey,
): Promise<void> {
  await insertLocation(tx, { workspace_id: session.workspace_id, id: session.id, number, place });
}

const setCurrent = statement(
  (tx: WriteTransaction, p: SessionKey & { number: number; place: string; tag: string; checksum: number }) =>
    tx
      .updateTable('upload_parts')
      .set({
        tag: sql<string>`case when place = ${p.place} then ${p.tag} else tag end`,
        checksum: sql<number>`case when place = ${p.place} then cast(${p.checksum} as bigint) else checksum end`,
        is_current: sql<number>`case when place = ${p.place} then 1 else 0 end`,
      })
      .where('workspace_id', '=', p.workspace_id)
      .where('session_id', '=', p.id)
      .where('number', '=', p.number),
);

/** Makes this location the current one of its part, and no other. */
export async function makeCurrent(
  tx: WriteTransaction,
  { session, number, place }: PartKey,
  { tag, checksum }: StoredPart,
): Promise<void> {
  await setCurrent(tx, { workspace_id: session.workspace_id, id: session.id, number, place, tag, checksum });
}

/** Removes a location that is not current. */
export async function releaseLocation(
  tx: WriteTransaction,
  { session, number, place }: PartKey,
): Promise<void> {
  await tx
    .deleteFrom('upload_parts')
    .where('workspace_id', '=', session.workspace_id)
    .where('session_id', '=', session.id)
    .where('number', '=', number)
    .where('place', '=', place)
    .where('is_current', '=', 0)
    .execute();
}

export async function removeParts(tx: WriteTransaction, { workspace_id, id }: SessionKey): Promise<void> {
  await tx
    .deleteFrom('upload_parts')
    .where('workspace_id', '=', workspace_id)
    .where('session_id', '=', id)
    .execute();
}

export type { UploadState };

/** The lock for changes of the state and of the current parts of an upload. */
export function uploadLock({ id }: SessionKey): string {
  return `upload ${id}`;
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
