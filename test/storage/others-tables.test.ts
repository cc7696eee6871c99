/** A database in which there is more than Atrium's tables: all that is done with tables alike keeps to its own. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { CompiledQuery } from 'kysely';
import pg from 'pg';
import { openDatabase } from '../../src/storage/open.ts';
import { migrations } from '../../src/storage/schema/migrations/index.ts';
import { ownTables, tablesMadeBy } from '../../src/storage/schema/own-tables.ts';
import { describeTables } from '../../src/storage/schema/table-rows.ts';
import { atriumJson, runAtrium } from '../command-line.ts';
import { forEachEngine, freshDatabase, type TestDatabase } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';

/** What extensions and people leave beside the tables of a program. */
const OTHERS = {
  sqlite: [
    'create view reports as select name from users',
    'create table notes (note text)',
    'create table numbered (id integer primary key autoincrement)',
    'alter table users add column nickname text',
  ],
  postgres: [
    'create extension if not exists pg_stat_statements',
    'create extension if not exists file_fdw',
    'create view reports as select name from users',
    'create materialized view counted as select count(*) from users',
    'create server files foreign data wrapper file_fdw',
    "create foreign table elsewhere (line text) server files options (filename '/dev/null')",
    'create table parts (at int) partition by range (at)',
    'create table part_one partition of parts for values from (0) to (9)',
    'create table notes (note text)',
    'create table numbered (id bigint generated always as identity primary key)',
    'create schema aside; create table aside.users (id text); create view aside.messages as select 1 as id',
    'alter table users add column nickname text',
  ],
};

async function addOthers({ databaseUrl, dataDir }: Pick<TestDatabase, 'databaseUrl' | 'dataDir'>) {
  if (databaseUrl !== undefined) {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const left: string[] = [];
    // What the server was built without cannot be there.
    for (const sql of OTHERS.postgres)
      await client.query(sql).catch((error: Error) => left.push(error.message));
    await client.end();
    return left;
  }
  const database = await openDatabase({ databaseUrl, dataDir });
  for (const sql of OTHERS.sqlite)
    await database.write((tx) => tx.executeQuery(CompiledQuery.raw(sql)).then(() => undefined));
  await database.close();
  return [];
}

async function temporary(t: TestContext): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'atrium-test-others-'));
  t.after(() => rm(home, { recursive: true }));
  return home;
}

const settingsOf = ({ databaseUrl, dataDir }: Omit<TestDatabase, 'remove'>) =>
  ({ config: { databaseUrl, dataDir } }) as Pick<TestApp, 'config'>;

forEachEngine((engine) => {
  describe('beside what others keep in the database', () => {
    it('a backup is made, verified, and comes back', async (t) => {
      const app = await startApp(engine);
      t.after(() => app.stop());
      const directory = join(await temporary(t), 'backup');
      const left = await addOthers(app.config);
      assert.deepEqual(
        left.filter((message) => !/could not open extension|is not available|does not exist/.test(message)),
        [],
      );
      assert.equal((await runAtrium(app, ['backup', directory])).stderr, '');
      assert.deepEqual((await atriumJson(app, 'verify', directory)).problems, []);
      assert.deepEqual((await atriumJson(app, 'verify')).problems, []);
      assert.match((await runAtrium(app, ['doctor'])).stdout, /migrations: The tables are up to date/);

      const storage = await freshDatabase(engine);
      t.after(() => storage.remove());
      if (engine === 'postgres') {
        const client = new pg.Client(storage.databaseUrl);
        await client.connect();
        await client.query(`
          create view reports as select 1 as one; create table notes (note text);
          insert into notes values ('kept'); create table numbered (id bigint generated always as identity)`);
        const target = settingsOf(storage);
        assert.equal((await runAtrium(target, ['restore', directory])).stderr, '');
        assert.deepEqual((await client.query('select note from notes')).rows, [{ note: 'kept' }]);
        await client.end();
        assert.equal((await atriumJson(target, 'workspace', 'list')).length, 1);
      }
    });

    it('a restore that removes tables leaves others, and tells of what is made of them', {
      skip: engine === 'sqlite' && 'a view of a table that is gone is none of its business',
    }, async (t) => {
      const app = await startApp(engine);
      t.after(() => app.stop());
      const directory = join(await temporary(t), 'backup');
      assert.equal((await runAtrium(app, ['backup', directory])).code, 0);
      const storage = await freshDatabase(engine);
      t.after(() => storage.remove());
      const target = settingsOf(storage);
      // Tables without a workspace: a first start that went no further.
      assert.equal((await runAtrium(target, ['workspace', 'list'])).code, 0);
      const client = new pg.Client(storage.databaseUrl);
      await client.connect();
      await client.query("create table notes (note text); insert into notes values ('kept')");
      await client.query('create view reports as select name from users');
      const refused = await runAtrium(target, ['restore', directory]);
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(
        refused.stderr,
        /^error: Something in the database, such as a view, is made of the table users/,
      );
      await client.query('drop view reports');
      assert.equal((await runAtrium(target, ['restore', directory])).stderr, '');
      assert.deepEqual((await client.query('select note from notes')).rows, [{ note: 'kept' }]);
      await client.end();
    });
  });

  it('what the steps of the schema make is what is there, column by column', async (t) => {
    const app = await startApp(engine);
    t.after(() => app.stop());
    const steps = migrations.map(({ name }) => name);
    const made = await tablesMadeBy(steps, 'This version');
    const { own, found } = await app.services.database.read(async (tx) => ({
      own: await ownTables(tx),
      found: await describeTables(tx),
    }));
    const withoutKeys = (shapes: typeof made) => shapes.map(({ key: _, ...shape }) => shape);
    assert.deepEqual(withoutKeys(found), withoutKeys(made));
    assert.deepEqual(own, found);
  });
});
