import { sql } from 'kysely';
import { type Database, NotDistributable, type ReadTransaction } from '../database.ts';
import { type Cluster, findCluster, findPartitions, isPlaced } from './cluster.ts';
import { EVERYWHERE } from './everywhere.ts';
import type { SchemaTransaction, StorageEngine } from './schema-transaction.ts';

/** What is to be done, so that every table is where it belongs. */
export interface Distribution {
  /** Tables to spread by workspace, and to have on every server. */
  readonly toSpread: readonly string[];
  readonly toCopy: readonly string[];
  /** Tables that are where they belong already. */
  readonly done: readonly string[];
  readonly workers: number;
  /** Shards of each table that is spread. */
  readonly shards: number;
  /** What the tables that are to be spread or copied take now. */
  readonly bytes: number;
}

/** Told of each table: that it is begun, and when it is done. */
export interface DistributionSteps {
  begun?(table: string, place: number, count: number): void;
  done?(table: string, rows: number): void;
}

const LEAST_SHARDS = 32;
const SHARDS_PER_WORKER = 16;
/** The bound of Citus. */
const MOST_SHARDS = 64_000;

/**
 * Says what there is to do. `shards`: how many each table gets; without it a power of two that leaves some for workers that are
 * added. Rejects with NotDistributable.
 */
export async function planDistribution(database: Database, shards?: number): Promise<Distribution> {
  const { cluster, bytes } = await database.read(async (tx) => {
    const cluster = await findCluster(tx);
    return { cluster, bytes: await bytesOf(tx, cluster?.left ?? []) };
  });
  if (cluster === undefined)
    throw new NotDistributable(
      'The database that ATRIUM_DATABASE_URL names has no extension Citus: install it on every server, and run `create extension citus` in the database.',
    );
  refuseUnfit(cluster);
  const count = cluster.workers.length;
  return {
    toSpread: cluster.left.filter((name) => !EVERYWHERE.includes(name)),
    toCopy: cluster.left.filter((name) => EVERYWHERE.includes(name)),
    done: cluster.spread,
    workers: count,
    shards: shardsOf(cluster, shards),
    bytes,
  };
}

async function bytesOf(tx: ReadTransaction, tables: readonly string[]): Promise<number> {
  if (tables.length === 0) return 0;
  const query = sql<{ bytes: number }>`
    select coalesce(sum(pg_total_relation_size(name::regclass)), 0)::bigint as bytes
    from jsonb_array_elements_text(${JSON.stringify(tables)}::jsonb) as name`;
  return (await tx.executeQuery(query.compile(tx))).rows[0]?.bytes ?? 0;
}

function refuseUnfit({ isCoordinator, workers, wrong }: Cluster): void {
  if (!isCoordinator)
    throw new NotDistributable(
      'ATRIUM_DATABASE_URL names a worker of the cluster: let it name the coordinator.',
    );
  if (workers.length === 0)
    throw new NotDistributable(
      'The cluster has no worker that takes tables: add each with `select citus_add_node(host, port)`.',
    );
  if (wrong.length > 0)
    throw new NotDistributable(
      `Spread otherwise than by workspace_id: ${wrong.join(', ')}. Undo that with \`select undistribute_table(name)\`.`,
    );
}

function shardsOf({ shards, workers }: Cluster, wanted: number | undefined): number {
  if (shards !== undefined && wanted !== undefined && shards !== wanted)
    throw new NotDistributable(
      `The tables that are spread have ${shards} shards, and all have as many: leave out --shards.`,
    );
  if (wanted !== undefined && (wanted < workers.length || wanted > MOST_SHARDS))
    throw new NotDistributable(
      `The number of shards is between that of the workers, ${workers.length}, and ${MOST_SHARDS}.`,
    );
  return shards ?? wanted ?? defaultShards(workers.length);
}

function defaultShards(workers: number): number {
  return Math.max(LEAST_SHARDS, 2 ** Math.ceil(Math.log2(workers * SHARDS_PER_WORKER)));
}

/**
 * Puts every table where it belongs, each in a transaction of its own, so that a run that broke off is gone on with. A table
 * that is there already is left as it is. Several processes may do so at once, and beside a migration.
 */
export async function distribute(
  database: StorageEngine,
  { toCopy, toSpread, done, shards }: Distribution,
  steps: DistributionSteps = {},
): Promise<void> {
  // What is on every server goes first: the others are found by it.
  const tables = [...toCopy, ...toSpread];
  const own = new Set([...done, ...tables]);
  for (const [i, table] of tables.entries()) {
    steps.begun?.(table, i + 1, tables.length);
    const rows = await database.alter((tx) => placeTable(tx, { table, own, shards }));
    steps.done?.(table, rows);
  }
}

/**
 * Puts the tables that migrations have made where they belong, where the others are spread already; elsewhere it does nothing.
 * Rejects with NotDistributable.
 */
export async function distributeNewTables(database: StorageEngine): Promise<void> {
  const cluster = await database.read((tx) => findCluster(tx));
  if (cluster === undefined || !cluster.isCoordinator || cluster.spread.length === 0) return;
  if (cluster.left.length === 0) return;
  await distribute(database, await planDistribution(database));
}

/** Returns the number of rows that went over; 0 where another process was first. */
async function placeTable(
  tx: SchemaTransaction,
  { table, own, shards }: { table: string; own: ReadonlySet<string>; shards: number },
): Promise<number> {
  // Nobody migrates meanwhile, and of several who spread one does.
  await tx.lockInstallation('migrations');
  const partitions = await findPartitions(tx);
  if (isPlaced(partitions.get(table))) return 0;
  const rows = await countRows(tx, table);
  const first = [...partitions].find(([name, row]) => row.method === 'h' && own.has(name))?.[0];
  await tx.executeQuery(placing(table, first, shards).compile(tx));
  // The rows are on the workers now; what stays here takes space and is never read.
  await tx.executeQuery(
    sql`select truncate_local_data_after_distributing_table(${table}::regclass)`.compile(tx),
  );
  return rows;
}

async function countRows(tx: SchemaTransaction, table: string): Promise<number> {
  const { rows } = await tx.executeQuery(
    sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.compile(tx),
  );
  return Number(rows[0]?.count);
}

/** `first`: a table that is spread by workspace, beside whose shards those of this one are to be. */
function placing(table: string, first: string | undefined, shards: number) {
  if (EVERYWHERE.includes(table)) return sql`select create_reference_table(${table}::regclass)`;
  return first === undefined
    ? sql`select create_distributed_table(${table}::regclass, 'workspace_id', colocate_with => 'none', shard_count => ${shards}::integer)`
    : sql`select create_distributed_table(${table}::regclass, 'workspace_id', colocate_with => ${first}::text)`;
}
