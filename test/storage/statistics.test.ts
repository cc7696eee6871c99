/** The statistics by which PostgreSQL plans: of a table that was just filled there are none. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { type CounterDatabase, counters, openCounters } from '../contract/storage-counters.ts';
import { eventually } from '../eventually.ts';

let context: CounterDatabase;
beforeEach(async () => {
  context = await openCounters('postgres');
});
afterEach(() => context.close());

async function addMany(from: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => ({ name: `counter ${from + i}`, value: 0 }));
  await context.database.write((tx) => counters(tx).insertInto('counters').values(rows).execute());
}

/** The rows that the planner knows of; -1 where it was never told. */
async function knownRows(): Promise<number> {
  const { rows } = await context.database.read((tx) =>
    sql<{ known: number }>`select reltuples as known from pg_class where relname = 'counters'`.execute(tx),
  );
  return rows[0]?.known ?? 0;
}

test('a table that is filled has statistics soon, and new ones when it has doubled', async () => {
  assert.equal(await knownRows(), -1);
  await addMany(0, 500);
  await eventually(async () => (await knownRows()) === 500, 'the planner knows of 500 rows');
  await addMany(500, 1_000);
  await eventually(async () => (await knownRows()) === 1_500, 'the planner knows of 1,500 rows');
});

test('a table of which few rows have changed is left to the server', async () => {
  await addMany(0, 100);
  await context.database.alter((tx) => sql`create table looked_at (number integer)`.execute(tx));
  await context.database.write((tx) =>
    sql`insert into looked_at select * from generate_series(1, 1000)`.execute(tx),
  );
  const isLookedAt = async () => {
    const { rows } = await context.database.read((tx) =>
      sql`select 1 from pg_class where relname = 'looked_at' and reltuples = 1000`.execute(tx),
    );
    return rows.length === 1;
  };
  await eventually(isLookedAt, 'the tables were looked at');
  assert.equal(await knownRows(), -1);
});
