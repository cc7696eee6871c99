import type { Principal } from '../../contract/principal.ts';
import { KEYS_AUDIENCE, WORKSPACE_AUDIENCE } from '../../storage/changes.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { type ChangeRow, type FeedPosition, loadLongIds, MOST_BYTES, selectChanges } from './change-store.ts';
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
export function viewersOf(principal: Principal): string[] {
  return [principal.userId, WORKSPACE_AUDIENCE, ...(administratesKeys(principal) ? [KEYS_AUDIENCE] : [])];
}

/** Whether a key is shown the changes of keys of all users. */
export function administratesKeys({ permissions }: Principal): boolean {
  return permissions.has('keys.read') && permissions.has('directory.write');
}

/** Maximum number of a key's feeds that contain the same change: the copies have consecutive numbers. */
const MOST_COPIES = 3;

/**
 * The next changes of several feeds, merged; a change in several feeds is returned once. At most `limit` are looked at,
 * those that the key may not see included, so the search is bounded; at most `most` are returned.
 */
export async function readFeeds(
  tx: ReadTransaction,
  principal: Principal,
  shown: ReadonlySet<string>,
  { transaction, number, seen }: FeedPosition,
  limit: number,
  most = limit,
): Promise<FeedRead> {
  const { workspaceId } = principal;
  const viewers = viewersOf(principal);
  const settled = (await tx.settledBelow()) ?? Number.MAX_SAFE_INTEGER;
  const feeds = await Promise.all(
    viewers.map((viewer) =>
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
  const snapshot = seen === undefined ? undefined : snapshotOf(seen);
  const isShown = (row: ChangeRow) => shown.has(row.type) && !snapshot?.sees(row.transaction_id);
  const rows = fittingRows(all.slice(0, limit), isShown, most);
  const more = all.length > rows.length;
  const last = rows.at(-1);
  const carryOn = (at: FeedPosition) =>
    snapshot && at.transaction + 1 < snapshot.end ? { ...at, seen } : at;
  const position = carryOn(last ? positionOfRow(last) : { transaction, number });
  const shownRows = rows.filter(isShown);
  await loadLongIds(tx, workspaceId, viewers, shownRows);
  const changes = shownRows.map((row) => ({ change: changeOf(row), behind: carryOn(positionOfRow(row)) }));
  return { changes, position, readUntil: more && last ? last.at : Date.now(), more };
}

/** The first rows, up to the one with which those that are shown are `most`, or more than MOST_BYTES. */
function fittingRows(
  rows: readonly ChangeRow[],
  isShown: (row: ChangeRow) => boolean,
  most: number,
): readonly ChangeRow[] {
  let count = 0;
  let bytes = 0;
  const last = rows.findIndex((row) => {
    if (!isShown(row)) return false;
    bytes += row.size;
    return ++count === most || bytes > MOST_BYTES;
  });
  return last === -1 ? rows : rows.slice(0, last + 1);
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
  return {
    id,
    type: type as Change['type'],
    at: new Date(at).toISOString(),
    actor,
    ids: JSON.parse(ids ?? '{}'),
  };
}
