import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { insertion } from '../../../storage/query/insertion.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { UploadParts, UploadSessions, UploadState } from '../../../storage/schema/tables.ts';

export type SessionRow = UploadSessions;
export type PartRow = Pick<UploadParts, 'number' | 'place' | 'tag' | 'checksum' | 'is_current'>;

/** What tells one session from all others. */
export type SessionKey = Pick<SessionRow, 'workspace_id' | 'id'>;

/** A place that a part is written to. */
export interface PartKey {
  session: SessionKey;
  number: number;
  /** "" for its place in the blob. */
  place: string;
}

/** A part whose bytes are durable. */
export interface StoredPart {
  /** What the blob store calls it. */
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

/** Up to `most` sessions that housekeeping is to look at by now. */
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

/** Every place that a part of this number has, or had. */
export function listPlaces(
  tx: ReadTransaction,
  { workspace_id, id }: SessionKey,
  number: number,
): Promise<PartRow[]> {
  return partsOfNumber(tx, { workspace_id, id, number });
}

/** Every place of every part, by their numbers. */
export function listParts(tx: ReadTransaction, { workspace_id, id }: SessionKey): Promise<PartRow[]> {
  return tx
    .selectFrom('upload_parts')
    .select(['number', 'place', 'tag', 'checksum', 'is_current'])
    .where('workspace_id', '=', workspace_id)
    .where('session_id', '=', id)
    .orderBy('number')
    .execute();
}

const insertPlace = statement((tx: WriteTransaction, p: SessionKey & { number: number; place: string }) =>
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

/** Notes a place before anything is written there. */
export async function claimPlace(tx: WriteTransaction, { session, number, place }: PartKey): Promise<void> {
  await insertPlace(tx, { workspace_id: session.workspace_id, id: session.id, number, place });
}

const landPlace = statement(
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

/** What is at this place counts from now on, and nothing else of its number. */
export async function makeCurrent(
  tx: WriteTransaction,
  { session, number, place }: PartKey,
  { tag, checksum }: StoredPart,
): Promise<void> {
  await landPlace(tx, { workspace_id: session.workspace_id, id: session.id, number, place, tag, checksum });
}

/** Forgets a place at which nothing counts. */
export async function releasePlace(tx: WriteTransaction, { session, number, place }: PartKey): Promise<void> {
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
