import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/query/statement.ts';
import type { Changes } from '../../storage/schema/tables.ts';

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
  ids: string;
}

interface FeedQuery extends Pick<FeedPosition, 'transaction' | 'number'> {
  workspaceId: string;
  viewer: string;
  /** Only changes of transactions below this one. */
  settled: number;
  limit: number;
}

/** The changes for one viewer after a position, in the order of commits. */
export const selectChanges = statement((tx, p: FeedQuery) =>
  tx
    .selectFrom('changes')
    .select(['number', 'transaction_id', 'id', 'at', 'type', 'actor_user_id', 'actor_key_id', 'ids'])
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

const SNAPSHOT = sql<{ seen: string }>`select pg_current_snapshot()::text as seen`;

/** The position after everything that can be read: on PostgreSQL, an older transaction may hold back later changes. */
export async function settledPosition(tx: ReadTransaction): Promise<FeedPosition> {
  if (tx.engine === 'sqlite') return currentPosition(tx);
  return { transaction: (await tx.settledBelow()) - 1, number: Number.MAX_SAFE_INTEGER };
}

/** The current position: after everything that the transaction sees. */
export async function currentPosition(tx: ReadTransaction): Promise<FeedPosition> {
  if (tx.engine === 'postgres') {
    const { rows } = await tx.executeQuery(SNAPSHOT.compile(tx));
    return { ...(await settledPosition(tx)), seen: rows[0]?.seen };
  }
  const last = await tx
    .selectFrom('changes')
    .select(({ fn }) => fn.max('number').as('number'))
    .executeTakeFirst();
  return { transaction: 0, number: last?.number ?? 0 };
}

/**
 * The viewers, of all workspaces, whose feeds have changes after a position; and the position up to which the query
 * has looked.
 */
export async function findNews(
  tx: ReadTransaction,
  since: FeedPosition,
): Promise<{ viewers: Pick<Changes, 'workspace_id' | 'viewer'>[]; until: FeedPosition }> {
  const until = await settledPosition(tx);
  if (until.transaction === since.transaction && until.number === since.number) return { viewers: [], until };
  const viewers = await tx
    .selectFrom('changes')
    .select(['workspace_id', 'viewer'])
    .distinct()
    .$if(tx.engine === 'sqlite', (query) =>
      query.where('number', '>', since.number).where('number', '<=', until.number),
    )
    .$if(tx.engine === 'postgres', (query) =>
      query.where('transaction_id', '>', since.transaction).where('transaction_id', '<=', until.transaction),
    )
    .execute();
  return { viewers, until };
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
