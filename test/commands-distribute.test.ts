/** That `database distribute` spreads a database over a cluster, and refuses one that is none. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { openServices } from '../src/start/composition.ts';
import { EVERYWHERE } from '../src/storage/schema/everywhere.ts';
import { CITUS_URL, type CitusDatabase, makeEmptyCitusDatabase } from './citus.ts';
import { atriumJson, runAtrium } from './command-line.ts';
import { forEachEngine, freshDatabase } from './engines.ts';
import { startApp, type TestApp } from './harness.ts';

const DISTRIBUTE = ['database', 'distribute'];

forEachEngine((engine) => {
  it('a database that is no cluster is not spread, and the command says why (OPS-87)', async (t) => {
    const storage = await freshDatabase(engine);
    t.after(() => storage.remove());
    const config = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl } as TestApp['config'];
    const { code, stdout, stderr } = await runAtrium({ config }, [...DISTRIBUTE, '--yes']);
    assert.deepEqual([code, stdout], [1, '']);
    const why =
      engine === 'sqlite' ? /^error: The database is SQLite, which has one server/ : /no extension Citus/;
    assert.match(stderr, why);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });
});

describe('a database of a cluster', {
  skip: CITUS_URL === undefined && 'ATRIUM_TEST_CITUS_URL names no cluster',
}, () => {
  let cluster: CitusDatabase;
  let app: TestApp;
  let client: pg.Client;
  before(async () => {
    cluster = await makeEmptyCitusDatabase(CITUS_URL ?? '');
    app = await startApp('postgres', { ATRIUM_DATABASE_URL: cluster.url });
    client = new pg.Client(cluster.url);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await app.stop();
    await cluster.remove();
  });

  const run = (...args: string[]) => runAtrium(app, [...DISTRIBUTE, ...args]);
  /** How each table is spread, by name. */
  const partitions = async () => {
    const { rows } = await client.query<{ name: string; kind: string; shards: number }>(
      `select p.logicalrelid::text as name, case p.repmodel when 't' then 'copied' else column_to_column_name(p.logicalrelid, p.partkey) end as kind,
        count(s.shardid)::integer as shards
      from pg_dist_partition p left join pg_dist_shard s using (logicalrelid)
      where p.partmethod = 'h' or p.repmodel = 't' group by p.logicalrelid, p.repmodel, p.partkey order by 1`,
    );
    return rows;
  };
  const userCount = async () => (await app.get('/v1/users?limit=100')).json.data.length;

  it('is left as it is by a server, and by a command that can ask nobody (OPS-87, OPS-88)', async () => {
    assert.deepEqual(await partitions(), []);
    const { code, stdout, stderr } = await run();
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /This is no terminal, where you could be asked: say --yes\./);
    assert.deepEqual(await partitions(), []);
  });

  it('is spread with all that is in it, and by a run that goes on with one that broke off (OPS-87)', async () => {
    for (const name of ['Ada', 'Grace'])
      assert.equal((await app.post('/v1/users', { email: `${name}@spread.example`, name })).status, 201);
    const before = await userCount();
    await client.query("select create_reference_table('workspaces')");
    await client.query(
      "select create_distributed_table('users', 'workspace_id', colocate_with => 'none', shard_count => 4)",
    );
    const refused = await run('--yes', '--shards', '8');
    assert.match(refused.stderr, /The tables that are spread have 4 shards.* leave out --shards/);
    const { code, stdout, stderr } = await run('--yes');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^All \d+ tables are spread over \d+ workers, in 4 shards each\.$/m);
    assert.match(stderr, /^ *\d+ of \d+ {2}user_addresses, 3 rows$/m);
    assert.doesNotMatch(stderr, /users, \d+ row/);
    const made = await partitions();
    for (const { name, kind, shards } of made)
      assert.deepEqual(
        [name, kind, shards],
        EVERYWHERE.includes(name) ? [name, 'copied', 1] : [name, 'workspace_id', 4],
      );
    assert.equal(await userCount(), before);
    assert.equal((await app.post('/v1/folders', { name: 'after' })).status, 201);
    const { rows } = await client.query<{ bytes: string }>(
      "select pg_relation_size('user_addresses') as bytes",
    );
    assert.equal(Number(rows[0]?.bytes), 0, 'the coordinator keeps no rows of its own');
  });

  it('is left as it is by a command that has nothing to do (OPS-87)', async () => {
    const before = await partitions();
    const { spread, copied, before: found } = await atriumJson(app, ...DISTRIBUTE);
    assert.deepEqual([spread, copied, found.length], [[], [], before.length]);
    assert.deepEqual(await partitions(), before);
  });

  it('gets the tables that a migration has made spread by the servers that start, of which one does (OPS-88)', async () => {
    const before = await partitions();
    for (const name of ['webhook_attempts', 'key_workspaces'])
      await client.query('select undistribute_table($1::text::regclass)', [name]);
    assert.equal((await partitions()).length, before.length - 2);
    const started = await Promise.all([1, 2, 3].map(() => openServices(app.config)));
    await Promise.all(started.map((services) => services.close()));
    assert.deepEqual(await partitions(), before);
    assert.ok((await userCount()) > 0);
  });
});
