import { escapeLiteral, Pool } from 'pg';

/** A worker of a cluster, by the number of its group, which it keeps when another server takes its place. */
export interface ProbedWorker {
  readonly group: number;
  readonly host: string;
  readonly port: number;
}

/** How long the coordinator tries to reach a worker. One that works answers within milliseconds. */
const CONNECT_MS = 800;
/** The coordinator itself answers sooner, or nothing is known. */
const ASK_MS = 1_500;

const IS_CLUSTER = "select to_regclass('pg_catalog.pg_dist_node') is not null as is_cluster";
const SPREAD = `
  select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
  where p.partmethod = 'h' and c.relnamespace = current_schema()::regnamespace`;
/** All tables of workspaces have their shards beside each other, so one of them says where they are. */
const HOMES = `
  select w.id, p.groupid as group from unnest($1::text[]) as w (id)
  join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('write_locks', w.id)`;
const WORKERS = `
  select groupid as group, nodename as host, nodeport as port from pg_dist_node
  where noderole = 'primary' and groupid <> 0`;
/** Only of this program and this role. Their transactions were not to be committed. */
const END = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where pid = any($1::integer[]) and application_name = $2 and usename = current_user`;

const BLOCKED = `
  select w.pid from unnest($1::integer[]) as w (pid) where pg_blocking_pids(w.pid) && $2::integer[]`;

/** Workers that are tried at once. */
const MOST_CONNECTIONS = 4;
/** Nothing is asked while all workers answer. */
const IDLE_MS = 10_000;

/** Asks a coordinator of its workers, on connections of its own: those of the product may all wait for a worker. */
export class WorkerProbe {
  readonly #pool: Pool;
  readonly #name: string;

  /** `name`: the application name of the connections whose processes may be ended. */
  constructor(url: string, name: string) {
    this.#pool = new Pool({
      connectionString: url,
      max: MOST_CONNECTIONS,
      connectionTimeoutMillis: ASK_MS,
      query_timeout: ASK_MS,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
      application_name: `${name} probe`,
    });
    this.#pool.on('error', () => undefined);
    this.#name = name;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Whether the database is a cluster. Rejects where it does not answer, as all others here. */
  async isCluster(): Promise<boolean> {
    const [row] = await this.#ask<{ is_cluster: boolean }>(IS_CLUSTER);
    return row?.is_cluster === true;
  }

  /** The tables that are spread by workspace. */
  async spreadTables(): Promise<string[]> {
    return (await this.#ask<{ name: string }>(SPREAD)).map(({ name }) => name);
  }

  /** The group of each workspace; one whose shard nobody has is left out. */
  async homesOf(workspaces: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#ask<{ id: string; group: number }>(HOMES, [workspaces]);
    return new Map(rows.map(({ id, group }) => [id, group]));
  }

  /** All workers. */
  workers(): Promise<ProbedWorker[]> {
    return this.#ask<ProbedWorker>(WORKERS);
  }

  /** Whether the coordinator gets a connection and an answer from a worker now. */
  async answers({ host, port }: ProbedWorker): Promise<boolean> {
    // Keeps no connection to the worker: it is to be made anew each time. In one transaction, which a pooler does not divide.
    const rows = await this.#ask<{ is_up: boolean }>(
      `begin; set local citus.node_connection_timeout = ${CONNECT_MS}; set local citus.max_cached_conns_per_worker = 0;
      select citus_check_connection_to_node(${escapeLiteral(host)}, ${port}) as is_up; commit`,
    );
    return rows[0]?.is_up === true;
  }

  /** Ends processes of the server that wait for a worker, so that their transactions hold nothing back. */
  async end(backends: readonly number[]): Promise<void> {
    if (backends.length > 0) await this.#ask(END, [backends, this.#name]);
  }

  /** Which of these processes wait for a lock of one of the others. */
  async blockedBy(waiting: readonly number[], others: readonly number[]): Promise<Set<number>> {
    if (waiting.length === 0 || others.length === 0) return new Set();
    const rows = await this.#ask<{ pid: number }>(BLOCKED, [waiting, others]);
    return new Set(rows.map(({ pid }) => pid));
  }

  async #ask<Row extends object>(text: string, values?: unknown[]): Promise<Row[]> {
    const client = await this.#pool.connect();
    let isBroken = true;
    try {
      const answer = await client.query<Row>(values === undefined ? text : { text, values });
      isBroken = false;
      // Several statements have several results.
      return [answer].flat().flatMap(({ rows }) => rows);
    } finally {
      client.release(isBroken);
    }
  }
}
