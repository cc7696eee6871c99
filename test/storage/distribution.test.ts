/** What a database needs that spreads tables over servers by workspace. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { EVERYWHERE } from '../../src/storage/schema/everywhere.ts';
import { migratedDatabase, type TestDatabase } from '../engines.ts';

const UNIQUE_WITHOUT_WORKSPACE = `
  select distinct t.relname as name from pg_index i
  join pg_class t on t.oid = i.indrelid
  where i.indisunique and t.relnamespace = 'public'::regnamespace and not exists (
    select from pg_attribute a
    where a.attrelid = t.oid and a.attnum = any(i.indkey) and a.attname = 'workspace_id')
  order by 1`;

let database: TestDatabase;
let client: pg.Client;
before(async () => {
  database = await migratedDatabase('postgres');
  client = new pg.Client(database.databaseUrl);
  await client.connect();
});
after(async () => {
  await client.end();
  await database.remove();
});

test('whatever is unique is so within its workspace', async () => {
  const { rows } = await client.query(UNIQUE_WITHOUT_WORKSPACE);
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => !EVERYWHERE.includes(name)),
    [],
  );
});
