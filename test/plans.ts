import { CompiledQuery } from 'kysely';
import type { Database, ReadTransaction, WriteTransaction } from '../src/storage/database.ts';

/** How the engine would run again each prepared statement that `work` runs. */
export async function plansOf<Tx extends ReadTransaction>(
  tx: Tx,
  work: (tx: Tx) => Promise<unknown>,
): Promise<string[][]> {
  const plans: string[][] = [];
  for (const query of await statementsOf(tx, work)) plans.push(await planOf(tx, query));
  return plans;
}

/** The prepared statements that `work` runs. */
export async function statementsOf<Tx extends ReadTransaction>(
  tx: Tx,
  work: (tx: Tx) => Promise<unknown>,
): Promise<CompiledQuery[]> {
  const run: CompiledQuery[] = [];
  await work(recording(tx, run));
  return run;
}

/** What a transaction is asked to run. */
const RUNNING = ['executeQuery', 'send', 'claim'];

function recording<Tx extends ReadTransaction>(tx: Tx, run: CompiledQuery[]): Tx {
  return new Proxy(tx, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (!RUNNING.includes(String(name))) return value.bind(target);
      return (query: Parameters<WriteTransaction['send']>[0]) => {
        const compiled = 'sql' in query ? query : query.compile();
        // A question for a plan has none.
        if (!compiled.sql.startsWith('explain')) run.push(compiled);
        return value.call(target, compiled);
      };
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
