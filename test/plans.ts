import { CompiledQuery } from 'kysely';
import type { Database, ReadTransaction } from '../src/storage/database.ts';

/** How the engine would run again each prepared statement that `work` runs. */
export async function plansOf<Tx extends ReadTransaction>(
  tx: Tx,
  work: (tx: Tx) => Promise<unknown>,
): Promise<string[][]> {
  const run: CompiledQuery[] = [];
  await work(recording(tx, run));
  const plans: string[][] = [];
  for (const query of run) plans.push(await planOf(tx, query));
  return plans;
}

function recording<Tx extends ReadTransaction>(tx: Tx, run: CompiledQuery[]): Tx {
  const executeQuery: ReadTransaction['executeQuery'] = (query) => {
    const compiled = 'sql' in query ? query : query.compile();
    run.push(compiled);
    return tx.executeQuery<never>(compiled);
  };
  return new Proxy(tx, {
    get: (target, name) => {
      if (name === 'executeQuery') return executeQuery;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function planOf(tx: ReadTransaction, { sql, parameters }: CompiledQuery): Promise<string[]> {
  const explain = tx.engine === 'sqlite' ? 'explain query plan' : 'explain';
  const { rows } = await tx.executeQuery(CompiledQuery.raw(`${explain} ${sql}`, [...parameters]));
  return rows.map((row) => {
    const { detail, 'QUERY PLAN': line } = row as Record<string, string>;
    return detail ?? line ?? '';
  });
}

/** Tells PostgreSQL what is in its tables, as it would find out by itself in time; SQLite plans without. */
export async function analyze(database: Database): Promise<void> {
  if (database.engine === 'sqlite') return;
  await database.write((tx) => tx.executeQuery(CompiledQuery.raw('analyze')));
}
