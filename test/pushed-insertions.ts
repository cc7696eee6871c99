import type { CompiledQuery, QueryResult } from 'kysely';
import pg from 'pg';
import { EVERYWHERE } from '../src/storage/schema/everywhere.ts';
import { TransactionRun } from '../src/storage/transaction.ts';
import { CITUS_URL } from './citus.ts';

const COPIES_ROWS = /^\s*insert into "(?<table>\w+)".*\bselect\b/is;
/** What a plan of Citus says of rows that pass through the coordinator, or from each server to each. */
const COLLECTS = /INSERT\/SELECT method: /;
const CONNECT_WITHIN_MS = 5000;
/** Errors of PostgreSQL: a test has removed its database before its application stops; Citus is not there. */
const NO_DATABASE = '3D000';
const NO_TABLE = '42P01';

/** What has been run and is to be explained yet, with its values, by its text; each text is explained once. */
const ran = new Map<string, string>();
const explained = new Set<string>();
let isListening = false;

/** On a cluster, keeps each insertion of what it selects, for `requirePushedInsertions`. */
export function insistOnPushedInsertions(): void {
  if (isListening || CITUS_URL === undefined) return;
  isListening = true;
  const { executeQuery } = TransactionRun.prototype;
  TransactionRun.prototype.executeQuery = function <R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (isOfOneServer(query.sql) && !explained.has(query.sql) && !ran.has(query.sql))
      ran.set(query.sql, withLiterals(query));
    return executeQuery.call(this, query) as Promise<QueryResult<R>>;
  };
}

/**
 * Throws where a cluster passes the rows of an insertion through the coordinator, instead of sending the insertion whole to
 * the server of its workspace (OPS-70). It asks through a connection of its own: a plan that Citus explains within a
 * transaction changes how what follows there is run. What a database that is no cluster cannot tell, the next one is asked.
 */
export async function requirePushedInsertions(databaseUrl: string | undefined): Promise<void> {
  if (ran.size === 0 || databaseUrl === undefined) return;
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_WITHIN_MS });
  const collected: string[] = [];
  try {
    await client.connect();
    if (!(await isSpread(client))) return;
    for (const [sql, literal] of ran) {
      const method = await methodOf(client, literal);
      if (method !== undefined) collected.push(`${method}: ${sql}`);
      explained.add(sql);
    }
  } catch (error) {
    if (isOfCode(error, NO_DATABASE)) return;
    throw error;
  } finally {
    await client.end();
  }
  ran.clear();
  if (collected.length > 0) throw new Error(collected.join('\n'));
}

/** Whether the tables of a database are spread over a cluster. */
async function isSpread(client: pg.Client): Promise<boolean> {
  try {
    return ((await client.query('select from pg_dist_partition limit 1')).rowCount ?? 0) > 0;
  } catch (error) {
    if (isOfCode(error, NO_TABLE)) return false;
    throw error;
  }
}

function isOfCode(error: unknown, code: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code;
}

/** Whether an insertion copies rows into a table that is spread: what every server has is copied by migrations alone. */
function isOfOneServer(sql: string): boolean {
  const table = COPIES_ROWS.exec(sql)?.groups?.table;
  return table !== undefined && !EVERYWHERE.includes(table);
}

/** How a cluster passes on the rows of an insertion; undefined: it sends it whole, or refuses it. */
async function methodOf(client: pg.Client, sql: string): Promise<string | undefined> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${sql}`).catch((error) => {
    if (error instanceof pg.DatabaseError) return { rows: [] };
    throw error;
  });
  return rows
    .map((row) => row['QUERY PLAN'])
    .find((line) => COLLECTS.test(line))
    ?.trim();
}

/** Citus does not explain an insertion that it has collected with bound values. */
function withLiterals({ sql, parameters }: CompiledQuery): string {
  return sql.replace(/\$(\d+)/g, (_, number) => {
    const value = parameters[number - 1];
    if (value === null || typeof value === 'boolean') return String(value);
    return typeof value === 'number' ? `(${value})` : pg.escapeLiteral(String(value));
  });
}
