import { sql } from 'kysely';
import { newId } from '../platform/ids.ts';
import type { Actor, Change, ReadTransaction, WriteTransaction } from './database.ts';
import { rowsInsertion } from './query/insertion.ts';

/** A change whose writer is known. */
export interface EmittedChange extends Change {
  readonly actor: Actor;
}

/** Whoever sees everything of a workspace that concerns all of its users: its directory. */
export const WORKSPACE_AUDIENCE = '*';
/** Whoever administrates the keys of others. */
export const KEYS_AUDIENCE = 'keys';

/** What one change names of a list at most; longer ones are several changes. */
const MOST_IDS = 1_000;

/** Reports a change of a batch, of which `list` names the objects by their ids; where there are none, nothing. */
export function emitBatch(tx: WriteTransaction, change: Change, list: string, ids: readonly string[]): void {
  for (let begin = 0; begin < ids.length; begin += MOST_IDS)
    tx.emit({ ...change, ids: { ...change.ids, [list]: ids.slice(begin, begin + MOST_IDS) } });
}

const insertRows = rowsInsertion(
  'changes',
  ['workspace_id', 'viewer', 'id', 'type', 'actor_user_id', 'actor_key_id', 'ids'],
  (insertion) => insertion,
);

/** Stores what a transaction has changed, a row for each viewer; as its last statements, so that its locks come before. */
export async function storeChanges(tx: WriteTransaction, changes: readonly EmittedChange[]): Promise<void> {
  await insertRows(tx, changes.flatMap(rowsOf), {});
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
  /** Since when it runs. */
  readonly seconds: number;
  /** What its operator calls it, such as `psql, process 4711`. */
  readonly name: string;
}

/** Of any database of the server, because a transaction of each counts toward what is settled. */
const OLDEST_WRITER = sql<FeedHolder>`
  select name, extract(epoch from clock_timestamp() - since)::double precision as seconds
  from (
    select xact_start as since, concat(application_name, ', process ', pid) as name
    from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()
    union all
    select prepared, concat('prepared transaction ', gid) from pg_prepared_xacts
  ) as writers
  where since is not null order by since limit 1`;

/** The writing transaction that has run for the longest time; undefined where none runs, as always on SQLite. */
export async function findFeedHolder(tx: ReadTransaction): Promise<FeedHolder | undefined> {
  if (tx.engine === 'sqlite') return undefined;
  const { rows } = await tx.executeQuery(OLDEST_WRITER.compile(tx));
  return rows[0];
}
