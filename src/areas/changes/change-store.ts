import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { isAmong, isAmongIntegers } from '../../storage/query/json-parameters.ts';
import { fittingCount } from '../../storage/query/long-rows.ts';
import { statement } from '../../storage/query/statement.ts';
import { lastNumberOf } from './numbers-on-clusters.ts';

/** The position of a reader in the order of commits: after the change with this number in this transaction. */
export interface FeedPosition {
  readonly transaction: number;
  readonly number: number;
  /** Changes after the position that were committed before it was taken, as a snapshot of PostgreSQL: they are skipped. */
  readonly seen?: string | undefined;
}

/** A change as stored for one viewer. */
export interface ChangeRow {
  number: number;
  transaction_id: number;
  id: string;
  at: number;
  type: string;
  actor_user_id: string | null;
  actor_key_id: string | null;
  /** Null where they are long: `loadLongIds` reads them, for those that are shown. */
  ids: string | null;
  /** Bytes of `ids`. */
  size: number;
}

/** Bytes of ids that are read with their row. Those of a batch are up to 34 kB, and a page has up to 1,000 rows. */
const SHORT_IDS = 1_024;

interface FeedQuery extends Pick<FeedPosition, 'transaction' | 'number'> {
  workspaceId: string;
  viewer: string;
  /** Only changes of transactions below this one. */
  settled: number;
  limit: number;
}

/** The changes for one viewer after a position, in the order of commits, without long ids. */
export const selectChanges = statement((tx, p: FeedQuery) =>
  tx
    .selectFrom('changes')
    .select(['number', 'transaction_id', 'id', 'at', 'type', 'actor_user_id', 'actor_key_id'])
    .select([
      sql<number>`octet_length(ids)`.as('size'),
      sql<string | null>`case when octet_length(ids) <= ${sql.lit(SHORT_IDS)} then ids end`.as('ids'),
    ])
    .where('workspace_id', '=', p.workspaceId)
    .where('viewer', '=', p.viewer)
    .where(({ and, eb, refTuple, tuple }) =>
      tx.engine === 'sqlite'
        ? // SQLite uses its index for the first column of a row comparison only, and this column is equal in all rows.
          and([eb('transaction_id', '=', sql.lit(0)), eb('number', '>', p.number)])
        : and([
            eb(refTuple('transaction_id', 'number'), '>', tuple(p.transaction, p.number)),
            eb('transaction_id', '<', p.settled),
          ]),
    )
    .orderBy('transaction_id')
    .orderBy('number')
    .limit(p.limit),
);

const selectIds = statement(
  (tx, p: { workspaceId: string; viewers: string; transactions: string; numbers: string }) =>
    tx
      .selectFrom('changes')
      .select(['number', 'ids'])
      .where('workspace_id', '=', p.workspaceId)
      .where(isAmong(tx, 'viewer', p.viewers))
      .where(isAmongIntegers(tx, 'transaction_id', p.transactions))
      .where(isAmongIntegers(tx, 'number', p.numbers)),
);

/** Reads the ids that `selectChanges` has left out of rows of these viewers. */
export async function loadLongIds(
  tx: ReadTransaction,
  workspaceId: string,
  viewers: readonly string[],
  rows: readonly ChangeRow[],
): Promise<void> {
  const long = rows.filter(({ ids }) => ids === null);
  if (long.length === 0) return;
  const found = await selectIds(tx, {
    workspaceId,
    viewers: JSON.stringify(viewers),
    transactions: JSON.stringify([...new Set(long.map(({ transaction_id }) => transaction_id))]),
    numbers: JSON.stringify(long.map(({ number }) => number)),
  });
  const byNumber = new Map(found.map(({ number, ids }) => [number, ids]));
  for (const row of long) row.ids = byNumber.get(row.number) ?? null;
}

/** A change, for whomever: those who see the same one have rows with the same ids. */
export type AnyChange = Pick<ChangeRow, 'number' | 'transaction_id' | 'type'> & {
  workspaceId: string;
  ids: string;
};

type Beginning = Pick<FeedPosition, 'transaction' | 'number'> & { settled: number; limit: number };

function afterPosition(tx: ReadTransaction, p: Beginning) {
  return tx
    .selectFrom('changes')
    .where(({ and, eb, refTuple, tuple }) =>
      tx.engine === 'sqlite'
        ? eb('number', '>', p.number)
        : and([
            eb('transaction_id', '>=', p.transaction),
            eb(refTuple('transaction_id', 'number'), '>', tuple(p.transaction, p.number)),
            eb('transaction_id', '<', p.settled),
          ]),
    )
    .$if(tx.engine === 'postgres', (query) => query.orderBy('transaction_id'))
    .orderBy('number')
    .limit(p.limit);
}

const IDENTIFYING = ['workspace_id as workspaceId', 'number', 'transaction_id', 'type', 'ids'] as const;
const sizeOfIds = sql<number>`octet_length(ids)`.as('size');

/** What one follower reads, and how long the ids of it are. */
interface Portions<P extends Beginning> {
  readonly rows: (tx: ReadTransaction, p: P) => Promise<AnyChange[]>;
  readonly sizes: (tx: ReadTransaction, p: P) => Promise<{ size: number }[]>;
}

const OF_ALL: Portions<Beginning> = {
  rows: statement((tx, p: Beginning) => afterPosition(tx, p).select(IDENTIFYING)),
  sizes: statement((tx, p: Beginning) => afterPosition(tx, p).select(sizeOfIds)),
};

type BeginningOfOne = Beginning & { workspaceId: string };

const OF_ONE: Portions<BeginningOfOne> = {
  rows: statement((tx, p: BeginningOfOne) =>
    afterPosition(tx, p).select(IDENTIFYING).where('workspace_id', '=', p.workspaceId),
  ),
  sizes: statement((tx, p: BeginningOfOne) =>
    afterPosition(tx, p).select(sizeOfIds).where('workspace_id', '=', p.workspaceId),
  ),
};

/** So many changes are read without asking how long they are. */
const FEW = 16;
/** Bytes of ids that are read at once, or those of one change more: a thousand batches would hold up everybody else. */
export const MOST_BYTES = 512 * 1024;

/** Changes for followers, who see all of them. */
export interface FollowedChanges {
  readonly changes: readonly AnyChange[];
  readonly position: FeedPosition;
  readonly more: boolean;
}

/**
 * The settled changes of all workspaces and viewers after a position, in the order of commits: for the full-text index.
 * Undefined on a cluster, where each workspace has an order of its own.
 */
export async function readAllChanges(
  tx: ReadTransaction,
  position: FeedPosition,
  limit: number,
): Promise<FollowedChanges | undefined> {
  const settled = await tx.settledBelow();
  if (settled === undefined) return undefined;
  const read = await readPortion(tx, OF_ALL, { ...position, settled, limit });
  if (read.more || tx.engine === 'sqlite') return read;
  return { ...read, position: await endBelow(tx, settled) };
}

/** As `readAllChanges`, of one workspace on a cluster. */
export function readChangesOf(
  tx: ReadTransaction,
  workspaceId: string,
  position: FeedPosition,
  limit: number,
): Promise<FollowedChanges> {
  const settled = Number.MAX_SAFE_INTEGER;
  return readPortion(tx, OF_ONE, { ...position, settled, limit, workspaceId });
}

async function readPortion<P extends Beginning>(
  tx: ReadTransaction,
  portions: Portions<P>,
  begin: P,
): Promise<FollowedChanges> {
  let changes = await portions.rows(tx, { ...begin, limit: FEW });
  let more = changes.length === FEW;
  if (more) {
    const sizes = await portions.sizes(tx, begin);
    const count = fittingCount(sizes, MOST_BYTES);
    changes = await portions.rows(tx, { ...begin, limit: count });
    more = sizes.length === begin.limit || count < sizes.length;
  }
  const last = changes.at(-1);
  const position = last
    ? { transaction: last.transaction_id, number: last.number }
    : { transaction: begin.transaction, number: begin.number };
  return { changes, position, more };
}

const SNAPSHOT = sql<{ seen: string }>`select pg_current_snapshot()::text as seen`;

/** The number of the last transaction whose changes are seen here and kept; 0 where there is none. */
async function lastTransaction(tx: ReadTransaction): Promise<number> {
  const last = await tx
    .selectFrom('changes')
    .select(({ fn }) => fn.max('transaction_id').as('transaction'))
    .executeTakeFirst();
  return last?.transaction ?? 0;
}

/**
 * The end of the feed of all workspaces: the position after everything that can be read. On PostgreSQL, an older transaction
 * may hold back later changes. It is never behind the last change: PostgreSQL gives the numbers of transactions that left
 * nothing in its log once more after a crash or on a standby that is promoted, and a change with such a number would be
 * passed over. A change that is seen is in the log, and so are all numbers up to its own. On a cluster changes of some
 * workspaces may still come before it.
 */
export async function endOfFeed(tx: ReadTransaction): Promise<FeedPosition> {
  return endBelow(tx, await tx.settledBelow());
}

/** `settled`: as `settledBelow` of the transaction has said. */
export async function endBelow(tx: ReadTransaction, settled: number | undefined): Promise<FeedPosition> {
  if (tx.engine === 'sqlite') return lastRow(tx);
  const last = await lastTransaction(tx);
  return behind(settled === undefined ? last : Math.min(settled - 1, last));
}

/** As `endOfFeed`, for readers of one workspace. */
export async function settledPosition(tx: ReadTransaction, workspaceId: string): Promise<FeedPosition> {
  if (tx.engine === 'sqlite') return lastRow(tx);
  const settled = await tx.settledBelow();
  if (settled === undefined) return behind(await lastNumberOf(tx, workspaceId));
  return behind(Math.min(settled - 1, await lastTransaction(tx)));
}

/** The current position of readers of a workspace: after everything that the transaction sees. */
export async function currentPosition(tx: ReadTransaction, workspaceId: string): Promise<FeedPosition> {
  if (tx.engine === 'sqlite') return lastRow(tx);
  const settled = await tx.settledBelow();
  if (settled === undefined) return behind(await lastNumberOf(tx, workspaceId));
  const [last, snapshot] = await Promise.all([lastTransaction(tx), tx.executeQuery(SNAPSHOT.compile(tx))]);
  const position = behind(Math.min(settled - 1, last));
  // Nothing that is seen is above an open transaction: the number alone says it.
  if (last < settled) return position;
  return { ...position, seen: seenUpTo(last, snapshot.rows[0]?.seen ?? '') };
}

/** The position behind everything of a transaction. */
function behind(transaction: number): FeedPosition {
  return { transaction, number: Number.MAX_SAFE_INTEGER };
}

async function lastRow(tx: ReadTransaction): Promise<FeedPosition> {
  const last = await tx
    .selectFrom('changes')
    .select(({ fn }) => fn.max('number').as('number'))
    .executeTakeFirst();
  return { transaction: 0, number: last?.number ?? 0 };
}

/** A snapshot of PostgreSQL, `xmin:xmax:xip,…`, without the transactions above `last`: their numbers may be given again. */
function seenUpTo(last: number, snapshot: string): string {
  const [begin, , running = ''] = snapshot.split(':');
  const open = running.split(',').filter((number) => number !== '' && Number(number) <= last);
  return `${begin}:${last + 1}:${open.join(',')}`;
}

/**
 * Examines the `limit` oldest changes, and removes those written before a time; a transaction is removed as a whole.
 * Returns the number of examined changes that were removed.
 */
export async function removeChangesBefore(
  tx: WriteTransaction,
  time: number,
  limit: number,
): Promise<number> {
  const order = tx.engine === 'sqlite' ? 'number' : 'transaction_id';
  const oldest = await tx.selectFrom('changes').select([order, 'at']).orderBy(order).limit(limit).execute();
  const ended = oldest.filter(({ at }) => at < time);
  const last = ended.at(-1)?.[order as 'number'];
  if (last === undefined) return 0;
  await tx.deleteFrom('changes').where(order, '<=', last).execute();
  return ended.length;
}
