/** PostgreSQL gives numbers of transactions once more after a crash: the feed leaves out nothing that is written under them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';

const NAMED = 'ATRIUM_TEST_POSTGRES_URL';
/** So many transactions that others of the application cannot use up their numbers. */
const LOST = 50;

describe('the change feed after a crash of PostgreSQL', () => {
  let server: PostgresServer;
  let app: TestApp;
  let named: string | undefined;

  before(async () => {
    server = await startPostgres();
    named = process.env[NAMED];
    process.env[NAMED] = server.url;
    app = await startApp('postgres');
    // The first reader has the keys of cursors made.
    await app.get('/v1/changes');
  });
  after(async () => {
    await app.stop();
    if (named === undefined) delete process.env[NAMED];
    else process.env[NAMED] = named;
    await server.stop();
  });

  const connected = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client(app.config.databaseUrl);
    client.on('error', () => undefined);
    await client.connect();
    return await work(client).finally(() => client.end());
  };
  const number = async (client: pg.Client) =>
    Number((await client.query('select pg_current_xact_id()::text as number')).rows[0].number);
  const logWriter = async (client: pg.Client): Promise<number> =>
    (await client.query(`select pid from pg_stat_activity where backend_type = 'walwriter'`)).rows[0].pid;

  /** Transactions that are rolled back: what says so waits in memory for the writer of the log. Returns their last number. */
  const loseNumbers = async (client: pg.Client) => {
    let last = 0;
    for (let i = 0; i < LOST; i++) {
      await client.query('begin');
      last = await number(client);
      await client.query('rollback');
    }
    return last;
  };
  const write = async () => {
    const answer = await app.post('/v1/folders', { name: crypto.randomUUID() });
    assert.equal(answer.status, 201, answer.text);
    return String(answer.json.data.id);
  };
  const numberOf = (folder: string) =>
    connected(async (client) => {
      const query = 'select transaction_id as number from changes where ids like $1';
      return Number((await client.query(query, [`%${folder}%`])).rows[0].number);
    });
  const foldersAfter = async (cursor: string) => {
    const { changes } = (await app.get(`/v1/changes?cursor=${cursor}&types=folder.created&wait=5`)).json.data;
    return changes.map((change: { ids: { folder_id: string } }) => change.ids.folder_id);
  };

  /** Until the server has another writer of the log, and the application has connected to it. */
  const recovered = async (writer: number) => {
    const isAnother = () =>
      connected(async (client) => (await logWriter(client)) !== writer).catch(() => false);
    await eventually(isAnother, 'PostgreSQL answers again');
    await eventually(async () => (await app.get('/readyz')).status === 200, 'the application is ready again');
  };

  /** Takes a cursor when numbers have been used, has the server crash, and writes under the next number. */
  const crashAndWrite = async (
    takeCursor: () => Promise<string>,
    beside?: (client: pg.Client) => Promise<void>,
  ) => {
    const other = new pg.Client(app.config.databaseUrl);
    other.on('error', () => undefined);
    await other.connect();
    const writer = await logWriter(other);
    process.kill(writer, 'SIGSTOP');
    await beside?.(other);
    const last = await connected(loseNumbers);
    const cursor = await takeCursor();
    // The server ends all of its processes, and begins anew with what its log has.
    process.kill(writer, 'SIGKILL');
    await other.end().catch(() => undefined);
    await recovered(writer);
    const folder = await write();
    return { cursor, folder, isGivenOnceMore: (await numberOf(folder)) <= last };
  };

  /** A write of the application's own in between has the log written, numbers and all: then it is done again. */
  const throughCrash = async (...how: Parameters<typeof crashAndWrite>) => {
    for (let tries = 0; tries < 5; tries++) {
      const { isGivenOnceMore, ...written } = await crashAndWrite(...how);
      if (isGivenOnceMore) return written;
    }
    return assert.fail('no number is given once more');
  };

  test('a change under a number that a cursor of now has seen is read (CHANGE-5, CHANGE-6)', async () => {
    const now = async () => (await app.get('/v1/changes')).json.data.cursor;
    const { cursor, folder } = await throughCrash(now);
    assert.deepEqual(await foldersAfter(cursor), [folder]);
  });

  test('a change under a number that a cursor has moved past is read (CHANGE-6)', async () => {
    const first = (await app.get('/v1/changes')).json.data.cursor;
    const movedOn = async () => (await app.get(`/v1/changes?cursor=${first}`)).json.data.cursor;
    const { cursor, folder } = await throughCrash(movedOn);
    assert.deepEqual(await foldersAfter(cursor), [folder]);
  });

  test('a change under a number above an open transaction is read (CHANGE-6, CHANGE-13)', async () => {
    let before = '';
    const openAndWrite = async (client: pg.Client) => {
      await client.query('begin');
      await number(client);
      before = await write();
    };
    const now = async () => (await app.get('/v1/changes')).json.data.cursor;
    const { cursor, folder } = await throughCrash(now, openAndWrite);
    const read = await foldersAfter(cursor);
    assert.ok(!read.includes(before), 'what the cursor has seen is not told again');
    assert.deepEqual(read, [folder]);
  });
});
