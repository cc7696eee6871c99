import { CompiledQuery, sql } from 'kysely';
import type { ReadTransaction } from '../database.ts';
import { EVERYWHERE } from './everywhere.ts';
import { appliedSteps, tablesMadeBy } from './own-tables.ts';

/** A server of a cluster that has shards. */
export interface Worker {
  readonly host: string;
  readonly port: number;
}

/** What a database knows of itself as part of a cluster of Citus. */
export interface Cluster {
  readonly version: string;
  /** Whether this is the server that plans for the others and changes tables. */
  readonly isCoordinator: boolean;
  /** The servers that get shards; those that were deactivated are left out. */
  readonly workers: readonly Worker[];
  /** Tables of Atrium that are spread over the workers, or on each of them as a whole. */
  readonly spread: readonly string[];
  /** Tables of Atrium that are on the coordinator alone. */
  readonly left: readonly string[];
  /** Tables that are spread otherwise than Atrium needs. */
  readonly wrong: readonly string[];
  /** Shards of each table that is spread by workspace; undefined where none is. */
  readonly shards: number | undefined;
}

/** How a table is spread. */
interface Partition {
  readonly name: string;
  /** "h": by the hash of a column; "n": by none. */
  readonly method: string;
  /** "t": whole on each server; "s": on one. */
  readonly replication: string;
  readonly column: string | null;
  readonly colocation: number;
  readonly shards: number;
}

const VERSION = "select extversion as version from pg_extension where extname = 'citus'";
const GROUP = 'select groupid as number from pg_dist_local_group';
const WORKERS = `
  select nodename as host, nodeport as port from pg_dist_node
  where noderole = 'primary' and isactive and shouldhaveshards order by groupid`;
const PARTITIONS = `
  select c.relname as name, p.partmethod as method, p.repmodel as replication, p.colocationid as colocation,
    column_to_column_name(p.logicalrelid, p.partkey) as column,
    (select count(*)::integer from pg_dist_shard s where s.logicalrelid = p.logicalrelid) as shards
  from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
  where c.relnamespace = current_schema()::regnamespace order by c.relname`;

/** The cluster that a database is part of; undefined where it is none: SQLite, or PostgreSQL without the extension Citus. */
export async function findCluster(tx: ReadTransaction): Promise<Cluster | undefined> {
  if (tx.engine === 'sqlite') return undefined;
  const ask = async <Row>(query: string) =>
    (await tx.executeQuery<Row>(CompiledQuery.raw(query) as CompiledQuery<Row>)).rows;
  const [extension] = await ask<{ version: string }>(VERSION);
  if (extension === undefined) return undefined;
  const [group] = await ask<{ number: number }>(GROUP);
  const workers = await ask<Worker>(WORKERS);
  const partitions = await findPartitions(tx);
  const own = await ownNames(tx);
  const byWorkspace = own.flatMap((name) => {
    const row = partitions.get(name);
    return !EVERYWHERE.includes(name) && row?.method === 'h' ? [row] : [];
  });
  const isSpread = (name: string) => isPlaced(partitions.get(name));
  const isWrong = (name: string) => {
    const row = partitions.get(name);
    if (row === undefined || !isPlaced(row)) return false;
    if (EVERYWHERE.includes(name)) return row.replication !== 't';
    return row.column !== 'workspace_id' || row.colocation !== byWorkspace[0]?.colocation;
  };
  return {
    version: extension.version,
    isCoordinator: Number(group?.number) === 0,
    workers,
    spread: own.filter(isSpread),
    left: own.filter((name) => !isSpread(name)),
    wrong: own.filter(isWrong),
    shards: byWorkspace[0]?.shards,
  };
}

/** How the tables of a database that has the extension are spread, by name; those of one server are left out. */
export async function findPartitions(
  tx: Pick<ReadTransaction, 'executeQuery'>,
): Promise<Map<string, Partition>> {
  const { rows } = await tx.executeQuery<Partition>(
    CompiledQuery.raw(PARTITIONS) as CompiledQuery<Partition>,
  );
  return new Map(rows.map((row) => [row.name, row]));
}

/** Whether a table is on the workers, not on the coordinator alone. */
export function isPlaced(partition: Partition | undefined): boolean {
  return partition?.method === 'h' || partition?.replication === 't';
}

/** The tables that the applied migrations have made; none where none was applied. */
async function ownNames(tx: ReadTransaction): Promise<string[]> {
  const { rows } = await tx.executeQuery<{ is_made: boolean }>(
    CompiledQuery.raw("select to_regclass('migrations') is not null as is_made") as CompiledQuery<{
      is_made: boolean;
    }>,
  );
  if (rows[0]?.is_made !== true) return [];
  return (await tablesMadeBy(await appliedSteps(tx), 'The database')).map(({ name }) => name);
}

/** How a server of a cluster answers. */
export interface WorkerState {
  /** Such as "10.0.0.2:5432". */
  readonly server: string;
  readonly isUp: boolean;
  /** Its `max_prepared_transactions`; undefined where it is down. */
  readonly preparedTransactions: number | undefined;
}

/** How long a connection of the coordinator to a worker may take to be made, in milliseconds. */
const CONNECT_MS = 2_000;
const LIMIT = 'max_prepared_transactions';

/** How the servers of a cluster answer: the coordinator first, then its workers as it reaches them. */
export async function findWorkerStates(tx: ReadTransaction): Promise<WorkerState[]> {
  // For this transaction only: as it is, the coordinator waits for half a minute.
  const { rows: own } = await tx.executeQuery(
    sql<{ limit: string }>`select current_setting(${LIMIT}) as limit,
      set_config('citus.node_connection_timeout', ${String(CONNECT_MS)}, true)`.compile(tx),
  );
  const { rows } = await tx.executeQuery(
    sql<{ server: string; success: boolean; result: string }>`
      select nodename || ':' || nodeport as server, success, result
      from run_command_on_workers(${`show ${LIMIT}`}) order by nodename, nodeport`.compile(tx),
  );
  const workers = rows.map(({ server, success, result }) => ({
    server,
    isUp: success,
    preparedTransactions: success ? Number(result) : undefined,
  }));
  return [{ server: 'the coordinator', isUp: true, preparedTransactions: Number(own[0]?.limit) }, ...workers];
}
