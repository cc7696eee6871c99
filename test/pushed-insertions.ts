import type { CompiledQuery, QueryResult } from 'kysely';
import pg from 'pg';
import { TransactionRun } from '../src/storage/transaction.ts';
import { CITUS_URL } from './citus.ts';

const COPIES_ROWS = /^\s*insert into\b.*\bselect\b/is;
/** What a plan of Citus says of rows that pass through the coordinator, or from each server to each. */
const COLLECTS = /INSERT\/SELECT method: /;

/** Each statement is planned once: it is the same wherever it is run. */
const planned = new Set<string>();
const collected: string[] = [];
let isInsistedOn = false;

/**
 * On a cluster, has `requirePushedInsertions` throw once an insertion of what it selects has passed its rows through the
 * coordinator, instead of being sent whole to the server of its workspace (OPS-70).
 */
export function insistOnPushedInsertions(): void {
  if (isInsistedOn || CITUS_URL === undefined) return;
  isInsistedOn = true;
  const { executeQuery } = TransactionRun.prototype;
  TransactionRun.prototype.executeQuery = function <R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (COPIES_ROWS.test(query.sql) && !planned.has(query.sql)) {
      planned.add(query.sql);
      const explain = { ...query, sql: `explain ${withLiterals(query)}`, parameters: [] };
      // Whoever is refused the plan is refused the statement as well.
      executeQuery.call(this, explain).then(
        ({ rows }) => note(query.sql, rows as Record<string, string>[]),
        () => undefined,
      );
    }
    return executeQuery.call(this, query) as Promise<QueryResult<R>>;
  };
}

/** Throws where insertions were collected: whoever ran them got what they asked for. */
export function requirePushedInsertions(): void {
  const found = collected.splice(0);
  if (found.length > 0) throw new Error(found.join('\n'));
}

/** Citus does not explain an insertion that it has collected with bound values. */
function withLiterals({ sql, parameters }: CompiledQuery): string {
  return sql.replace(/\$(\d+)/g, (_, number) => {
    const value = parameters[number - 1];
    if (value === null || typeof value === 'boolean') return String(value);
    return typeof value === 'number' ? `(${value})` : pg.escapeLiteral(String(value));
  });
}

function note(sql: string, plan: readonly Record<string, string>[]): void {
  const how = plan.map((row) => row['QUERY PLAN'] ?? '').find((line) => COLLECTS.test(line));
  if (how !== undefined) collected.push(`${how.trim()}: ${sql}`);
}
