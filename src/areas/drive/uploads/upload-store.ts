import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { insertion } from '../../../storage/query/insertion.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { UploadParts, UploadSessions } from '../../../storage/schema/tables.ts';
import type { DriveOwner } from '../owner.ts';

export type SessionRow = UploadSessions;
export interface PartRow extends Pick<UploadParts, 'number' | 'tag' | 'checksum' | 'is_current'> {
  /** As in PartKey. */
  asideKey: string;
}

/** Identifies a session. */
export type SessionKey = Pick<SessionRow, 'workspace_id' | 'id'>;

/** A location that a part is written to. */
export interface PartKey {
  session: SessionKey;
  number: number;
  /** "" for its byte range of the upload's blob, else the key of a blob of its own (column `place`). */
  asideKey: string;
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

const removeById = command((tx: WriteTransaction, p: SessionKey) =>
  tx.deleteFrom('upload_sessions').where('workspace_id', '=', p.workspace_id).where('id', '=', p.id),
);

export async function removeSession(tx: WriteTransaction, { workspace_id, id }: SessionKey): Promise<void> {
  await removeById(tx, { workspace_id, id });
}

const openSessions = statement(
  (tx, p: { workspaceId: string; userId: string; now: number; before: string; limit: number }) =>
    tx
      .selectFrom('upload_sessions')
      .selectAll()
      .where('workspace_id', '=', p.workspaceId)
      .where('user_id', '=', p.userId)
      // Literals, as the index names them.
      .where(sql<boolean>`state in ('open', 'completing')`)
      .where('expires_at', '>', p.now)
      .where('id', '<', p.before)
      .orderBy('id', 'desc')
      .limit(p.limit),
);

/** The uploads of a user that take parts, newest first, before an id. */
export function listOpenSessions(
  tx: ReadTransaction,
  { workspaceId, userId }: DriveOwner,
  { now, before, limit }: { now: number; before: string; limit: number },
): Promise<SessionRow[]> {
  return openSessions(tx, { workspaceId, userId, now, before, limit });
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
    .select(['number', 'place as asideKey', 'tag', 'checksum', 'is_current'])
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
    .select(['number', 'place as asideKey', 'tag', 'checksum', 'is_current'])
    .where('workspace_id', '=', workspace_id)
    .where('session_id', '=', id)
    .orderBy('number')
    .execute();
}

const insertLocation = command((tx: WriteTransaction, p: SessionKey & { number: number; asideKey: string }) =>
  tx.insertInto('upload_parts').values({
    workspace_id: p.workspace_id,
    session_id: p.id,
    number: p.number,
    place: p.asideKey,
    tag: null,
    checksum: null,
    is_current: 0,
  }),
);

/** Records a location before anything is written to it. */
export async function claimLocation(
  tx: WriteTransaction,
  { session, number, asideKey }: PartKey,
): Promise<void> {
  await insertLocation(tx, { workspace_id: session.workspace_id, id: session.id, number, asideKey });
}

const setCurrent = command(
  (
    tx: WriteTransaction,
    p: SessionKey & { number: number; asideKey: string; tag: string; checksum: number },
  ) =>
    tx
      .updateTable('upload_parts')
      .set({
        tag: sql<string>`case when place = ${p.asideKey} then ${p.tag} else tag end`,
        checksum: sql<number>`case when place = ${p.asideKey} then cast(${p.checksum} as bigint) else checksum end`,
        is_current: sql<number>`case when place = ${p.asideKey} then 1 else 0 end`,
      })
      .where('workspace_id', '=', p.workspace_id)
      .where('session_id', '=', p.id)
      .where('number', '=', p.number),
);

/** Makes this location the current one of its part, and no other. */
export async function makeCurrent(
  tx: WriteTransaction,
  { session, number, asideKey }: PartKey,
  { tag, checksum }: StoredPart,
): Promise<void> {
  await setCurrent(tx, {
    workspace_id: session.workspace_id,
    id: session.id,
    number,
    asideKey,
    tag,
    checksum,
  });
}

/** Removes a location that is not current. */
export async function releaseLocation(
  tx: WriteTransaction,
  { session, number, asideKey }: PartKey,
): Promise<void> {
  await tx
    .deleteFrom('upload_parts')
    .where('workspace_id', '=', session.workspace_id)
    .where('session_id', '=', session.id)
    .where('number', '=', number)
    .where('place', '=', asideKey)
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
