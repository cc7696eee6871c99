/** The statistics by which PostgreSQL plans: of a table that was just filled there are none. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { openPostgres } from '../../src/storage/postgres/postgres.ts';
import {
  type CounterDatabase,
  counters,
  createCounters,
  openCounters,
} from '../contract/storage-counters.ts';
import { eventually } from '../eventually.ts';
import { startPostgres } from '../postgres.ts';

let context: CounterDatabase;
beforeEach(async () => {
  context = await openCounters('postgres');
});
afterEach(() => context.close());

async function addMany(from: number, count: number, { database } = context): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => ({ name: `counter ${from + i}`, value: 0 }));
  await database.write((tx) => counters(tx).insertInto('counters').values(rows).execute());
}

const KNOWN = "select reltuples as known from pg_class where relname = 'counters'";

/** The rows that the planner knows of; -1 where it was never told. */
async function knownRows({ database } = context): Promise<number> {
  const { rows } = await database.read((tx) => sql<{ known: number }>`${sql.raw(KNOWN)}`.execute(tx));
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

test('what is written in one burst is seen, though nothing follows it', async () => {
  // Whatever else its session did would have it report to the server what it has changed.
  const other = new pg.Client(context.databaseUrl);
  await other.connect();
  await addMany(0, 5);
  await addMany(5, 5_000);
  const isKnown = async () => (await other.query(KNOWN)).rows[0].known === 5_005;
  await eventually(isKnown, 'the planner knows of 5,005 rows');
  await other.end();
});

test('a synchronous standby that is away is not waited for, and reads go on', async (t) => {
  const server = await startPostgres();
  t.after(() => server.stop());
  const database = openPostgres(server.url, { connections: 3 });
  await createCounters(database);
  const operator = new pg.Client(server.url);
  await operator.connect();
  await addMany(0, 500, { ...context, database });
  await operator.query("alter system set synchronous_standby_names = 'nobody'");
  await operator.query('select pg_reload_conf()');
  const isKnown = async () => (await knownRows({ ...context, database })) === 500;
  await eventually(isKnown, 'the planner knows of 500 rows');
  await operator.query('alter system reset synchronous_standby_names');
  await operator.query('select pg_reload_conf()');
  await operator.end();
  await database.close();
});

test('closing waits for no table that is looked at', async () => {
  const operator = new pg.Client(context.databaseUrl);
  await operator.connect();
  await addMany(0, 500);
  // A look that begins now waits for the catalogue.
  await operator.query('begin; lock table pg_statistic in access exclusive mode');
  const isLooking = async () => {
    const { rows } = await operator.query(
      "select 1 from pg_locks where not granted and relation = 'pg_statistic'::regclass",
    );
    return rows.length > 0;
  };
  await eventually(isLooking, 'a table is looked at');
  await context.database.close();
  await operator.query('rollback');
  await operator.end();
});
