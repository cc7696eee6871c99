import type { Principal } from '../../contract/principal.ts';
import { KEYS_AUDIENCE, WORKSPACE_AUDIENCE } from '../../storage/changes.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { type ChangeRow, type FeedPosition, selectChanges, settledPosition } from './change-store.ts';
import type { Change } from './schema.ts';

/** A change of a feed, and the position after it, from which a reader continues. */
export interface PlacedChange {
  readonly change: Change;
  readonly behind: FeedPosition;
}

/** The changes of one read, in order; `position` is where the next read begins. */
export interface FeedRead {
  readonly changes: readonly PlacedChange[];
  readonly position: FeedPosition;
  /** Milliseconds since the epoch: everything that was written before it has been read. */
  readonly readUntil: number;
  readonly more: boolean;
}

/** The viewers whose changes a key sees: its user, the workspace and, if it administers keys, all keys. */
export function viewersOf({ userId, permissions }: Principal): string[] {
  const administrates = permissions.has('keys.read') && permissions.has('directory.write');
  return [userId, WORKSPACE_AUDIENCE, ...(administrates ? [KEYS_AUDIENCE] : [])];
}

/** Maximum number of a key's feeds that contain the same change: the copies have consecutive numbers. */
const MOST_COPIES = 3;

/**
 * The next changes of several feeds, merged; a change in several feeds is returned once. Changes that the key may not
 * see count toward the limit, so the search is bounded.
 */
export async function readFeeds(
  tx: ReadTransaction,
  principal: Principal,
  shown: ReadonlySet<string>,
  { transaction, number, seen }: FeedPosition,
  limit: number,
): Promise<FeedRead> {
  const { workspaceId } = principal;
  const settled = await tx.settledBelow();
  const feeds = await Promise.all(
    viewersOf(principal).map((viewer) =>
      selectChanges(tx, {
        workspaceId,
        viewer,
        transaction,
        number,
        settled,
        limit: limit + MOST_COPIES,
      }),
    ),
  );
  const lastCopies = new Map<string, ChangeRow>();
  for (const row of feeds.flat().sort(inOrder)) lastCopies.set(row.id, row);
  const all = [...lastCopies.values()];
  const rows = all.slice(0, limit);
  const more = all.length > limit;
  const last = rows.at(-1);
  const snapshot = seen === undefined ? undefined : snapshotOf(seen);
  const carryOn = (at: FeedPosition) =>
    snapshot && at.transaction + 1 < snapshot.end ? { ...at, seen } : at;
  const end = more && last ? positionOfRow(last) : await endOf(tx, { transaction, number }, last);
  const position = carryOn(end);
  const changes = rows
    .filter((row) => shown.has(row.type) && !snapshot?.sees(row.transaction_id))
    .map((row) => ({ change: changeOf(row), behind: carryOn(positionOfRow(row)) }));
  return { changes, position, readUntil: more && last ? last.at : Date.now(), more };
}

/** The position after a complete read: on PostgreSQL, the end of all settled changes, so they are not read again. */
async function endOf(
  tx: ReadTransaction,
  from: FeedPosition,
  last: ChangeRow | undefined,
): Promise<FeedPosition> {
  if (tx.engine === 'postgres') return settledPosition(tx);
  return last ? positionOfRow(last) : from;
}

/** Reads the text of a pg_snapshot, `xmin:xmax:xip,…`: which transactions had ended, and from which on none had begun. */
function snapshotOf(text: string): { end: number; sees(transaction: number): boolean } {
  const [begin = '', end = '', running = ''] = text.split(':');
  const open = new Set(running.split(',').map(Number));
  const sees = (transaction: number) =>
    transaction < Number(begin) || (transaction < Number(end) && !open.has(transaction));
  return { end: Number(end), sees };
}

function inOrder(a: ChangeRow, b: ChangeRow): number {
  return a.transaction_id - b.transaction_id || a.number - b.number;
}

function positionOfRow({ transaction_id: transaction, number }: ChangeRow): FeedPosition {
  return { transaction, number };
}

function changeOf(row: ChangeRow): Change {
  const { id, type, at, actor_user_id: userId, actor_key_id: keyId, ids } = row;
  const actor = userId === null || keyId === null ? null : { user_id: userId, key_id: keyId };
  return { id, type: type as Change['type'], at: new Date(at).toISOString(), actor, ids: JSON.parse(ids) };
}
