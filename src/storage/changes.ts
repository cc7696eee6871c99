import { sql } from 'kysely';
import { newId } from '../platform/ids.ts';
import type { Actor, Change, ReadTransaction, WriteTransaction } from './database.ts';
import { rowsInsertion } from './query/insertion.ts';

/** A change with its author. */
export interface EmittedChange extends Change {
  readonly actor: Actor;
}

/** The viewer for changes that concern all users of a workspace: its directory. */
export const WORKSPACE_AUDIENCE = '*';
/** The viewer for changes of keys, seen by administrators of other users' keys. */
export const KEYS_AUDIENCE = 'keys';

/** Maximum number of ids in one change; a longer list becomes several changes. */
const MOST_IDS = 1_000;

/** Emits the changes of a batch, with the ids of its objects in `list`; emits nothing for an empty batch. */
export function emitBatch(tx: WriteTransaction, change: Change, list: string, ids: readonly string[]): void {
  for (let begin = 0; begin < ids.length; begin += MOST_IDS)
    tx.emit({ ...change, ids: { ...change.ids, [list]: ids.slice(begin, begin + MOST_IDS) } });
}

const COLUMNS = ['workspace_id', 'viewer', 'id', 'type', 'actor_user_id', 'actor_key_id', 'ids'] as const;
const insertRows = rowsInsertion('changes', COLUMNS, (insertion) => insertion);
const insertNumberedRows = rowsInsertion('changes', ['transaction_id', ...COLUMNS], (insertion) => insertion);

/**
 * Stores the changes of a transaction, one row for each viewer. These are the last statements, so the locks of the
 * transaction come before.
 */
export async function storeChanges(tx: WriteTransaction, changes: readonly EmittedChange[]): Promise<void> {
  const numbers = await numbersOf(tx, changes);
  if (numbers === undefined) return insertRows(tx, changes.flatMap(rowsOf), {});
  const numbered = (change: EmittedChange) =>
    rowsOf(change).map((row) => [numbers.get(change.workspaceId), ...row]);
  await insertNumberedRows(tx, changes.flatMap(numbered), {});
}

/** The number of the transaction in each workspace, in one order for all; undefined where the engine numbers it. */
async function numbersOf(
  tx: WriteTransaction,
  changes: readonly EmittedChange[],
): Promise<Map<string, number> | undefined> {
  const numbers = new Map<string, number>();
  for (const workspaceId of [...new Set(changes.map(({ workspaceId }) => workspaceId))].sort()) {
    const number = tx.numberChanges(workspaceId);
    if (number === undefined) return undefined;
    numbers.set(workspaceId, await number);
  }
  return numbers;
}

function rowsOf({ workspaceId, type, viewers, ids, actor }: EmittedChange): unknown[][] {
  const id = newId('chg');
  const text = JSON.stringify(ids);
  const viewer = [...new Set(viewers)];
  return viewer.map((user) => [
    workspaceId,
    user,
    id,
    type,
    actor?.userId ?? null,
    actor?.keyId ?? null,
    text,
  ]);
}

/** A transaction that holds back the change feed: no change of a later one is read before it ends. */
export interface FeedHolder {
  /** Seconds since its start. */
  readonly seconds: number;
  /** The transaction's name for an operator, such as `psql, process 4711`. */
  readonly name: string;
}

/** In all databases of the server, because the transactions of all of them count toward what is settled. */
const OLDEST_WRITER = sql<FeedHolder>`
  select name, extract(epoch from clock_timestamp() - since)::double precision as seconds
  from (
    select xact_start as since, concat(application_name, ', process ', pid) as name
    from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()
    union all
    select prepared, concat('prepared transaction ', gid) from pg_prepared_xacts
  ) as writers
  where since is not null order by since limit 1`;

/** The writing transaction that has run for the longest time; undefined where the feed waits for none. */
export async function findFeedHolder(tx: ReadTransaction): Promise<FeedHolder | undefined> {
  if (tx.engine === 'sqlite' || (await tx.settledBelow()) === undefined) return undefined;
  const { rows } = await tx.executeQuery(OLDEST_WRITER.compile(tx));
  return rows[0];
}
