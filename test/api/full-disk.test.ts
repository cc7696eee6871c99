/** A disk without room: every write is refused alike, the server says that it is not ready, and all goes on by itself. */
import assert from 'node:assert/strict';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { closeDirectories } from '../../src/blobs/disk/layout.ts';
import { data } from '../areas/accounts.ts';
import { makeDocument, putContent } from '../areas/documents-world.ts';
import { makeSpreadsheet } from '../areas/spreadsheets-world.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { type Answer, OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { OF_ONE_NODE } from '../nodes/count.ts';
import { startPostgres } from '../postgres.ts';
import { type S3, startS3 } from '../s3.ts';
import { mountSmallDisk, type SmallDisk } from '../torture/small-disk.ts';

const LARGE = 'x'.repeat(300_000);
/** The log of the database may have some room of its own yet: so many writes use it up. */
const MOST_WRITES = 2_000;

/** All processes of PostgreSQL have read its settings anew by then. */
const RELOADED_MS = 500;

const octets = { 'content-type': 'application/octet-stream' };
const mail = { 'content-type': 'message/rfc822' };

/** A write of every area whose content has to go somewhere. */
async function writesOf(app: TestApp): Promise<Record<string, () => Promise<Answer>>> {
  const [{ id: inbox }] = data(await app.get('/v1/folders'));
  const [book] = data(await app.get('/v1/address-books'));
  const [calendar] = data(await app.get('/v1/calendars'));
  const document = await makeDocument(app, { key: OWNER_KEY });
  const sheet = await makeSpreadsheet(app);
  const times = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z' };
  return {
    'a file': () => app.request('POST', '/v1/files?filename=a.bin', { body: LARGE, headers: octets }),
    'a large message': () =>
      app.request('POST', `/v1/folders/${inbox}/messages`, { body: `\r\n\r\n${LARGE}`, headers: mail }),
    'a message': () =>
      app.request('POST', `/v1/folders/${inbox}/messages`, {
        body: `\r\n\r\n${LARGE.slice(0, 50_000)}`,
        headers: mail,
      }),
    'a document': () => app.post('/v1/documents', { type: 'document', title: 'a' }),
    'a large content': () => putContent(app, { key: OWNER_KEY }, document.id, LARGE),
    'a content': () => putContent(app, { key: OWNER_KEY }, document.id, LARGE.slice(0, 50_000)),
    cells: () =>
      app.put(`/v1/spreadsheets/${sheet}/values/A1`, {
        values: [[LARGE.slice(0, 30_000)]],
      }),
    'a contact': () =>
      app.post('/v1/contacts', { address_book_id: book.id, name: 'A', notes: LARGE.slice(0, 9_000) }),
    'an event': () => app.post(`/v1/calendars/${calendar.id}/events`, times),
    'a user': () => app.post('/v1/users', { name: 'U', email: `u${Math.random()}@localhost` }),
  };
}

const readiness = async (app: TestApp) => (await app.get('/readyz', { key: null })).status;

async function replyToMail(app: TestApp): Promise<string> {
  const client = await greeted(app.smtp.port);
  await client.begin(['owner@localhost']);
  client.send(`Subject: a\r\n\r\n${'x'.repeat(900)}\r\n.\r\n`);
  const { code, lines } = await client.reply();
  client.close();
  return `${code} ${lines.join(' ')}`;
}

describe('SQLite and blobs on a full disk', { skip: OF_ONE_NODE }, () => {
  let directory: string;
  let disk: SmallDisk | undefined;
  let app: TestApp;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'atrium-test-full-'));
    disk = mountSmallDisk(directory);
    app = await startApp('sqlite', { ATRIUM_DATA_DIR: directory });
  });
  after(async () => {
    disk?.makeRoom();
    await app.stop();
    // Directories that were synced stay open for a while.
    closeDirectories();
    const isRemoved = () =>
      rm(directory, { recursive: true }).then(
        () => true,
        () => false,
      );
    await eventually(() => {
      disk?.unmount();
      return isRemoved();
    }, 'the disk is gone');
  });

  it('SQLite and blobs on a full disk refuse every write with one code, tell that they are not ready, and go on by themselves (API-83, OPS-35, SMTP-4)', async (t) => {
    if (!disk) return t.skip('the system lets us mount no file system in memory');
    const writes = await writesOf(app);
    assert.equal(await readiness(app), 200);
    await disk.fill();
    assert.equal(await readiness(app), 503, 'before anybody has written');
    for (let n = 0, refused = false; !refused; n++) {
      assert.ok(n < MOST_WRITES, 'the disk has no end of room');
      refused = (await writes['a message']?.())?.status === 507;
    }
    assert.equal(await readiness(app), 503);
    for (const [name, send] of Object.entries(writes)) {
      const { status, json } = await send();
      assert.deepEqual([status, json.error?.code], [507, 'quota_exceeded'], name);
    }
    assert.match(await replyToMail(app), /^451 .*There is no room here now/);
    assert.equal(await readiness(app), 503);
    assert.equal((await app.get('/v1/folders')).status, 200, 'reads go on');
    disk.makeRoom();
    await eventually(async () => (await readiness(app)) === 200, 'it is ready again');
    // How much is free is known for a second.
    for (const [name, send] of Object.entries(writes))
      await eventually(async () => (await send()).status < 300, `${name} is taken`);
    assert.match(await replyToMail(app), /^250 /);
    assert.equal(await readiness(app), 200);
  });
});

forEachEngine((engine) => {
  describe('an S3 store without room', () => {
    let s3: S3;
    let app: TestApp;
    before(async () => {
      s3 = await startS3();
      Object.assign(process.env, s3.env);
      app = await startApp(engine, { ATRIUM_BLOBS: s3.blobs });
    });
    after(async () => {
      await app.stop();
      await s3.stop();
    });
    beforeEach(() => {
      s3.fault = undefined;
    });

    it('is told by the same code, and by readiness, until it has some', { skip: OF_ONE_NODE }, async () => {
      const writes = await writesOf(app);
      s3.fault = (request) => (/^(PUT|POST) /.test(request) ? 'full' : undefined);
      for (const name of ['a file', 'a large message', 'a large content']) {
        const answer = await writes[name]?.();
        assert.deepEqual([answer?.status, answer?.json.error?.code], [507, 'quota_exceeded'], name);
      }
      assert.equal(await readiness(app), 503);
      s3.fault = undefined;
      await eventually(async () => (await readiness(app)) === 200, 'it is ready again');
      assert.equal((await writes['a file']?.())?.status, 201);
    });
  });
});

describe('a database file that is gone or a database that may only be read', { skip: OF_ONE_NODE }, () => {
  it('makes SQLite unready before anybody writes, until the file is back', async (t) => {
    const app = await startApp('sqlite');
    t.after(() => app.stop());
    const file = join(app.config.dataDir, 'atrium.sqlite');
    assert.equal(await readiness(app), 200);
    await rename(file, `${file}.away`);
    assert.equal(await readiness(app), 503);
    await rename(`${file}.away`, file);
    assert.equal(await readiness(app), 200);
  });

  it('makes PostgreSQL unready before anybody writes, and refuses writes as unavailable', async (t) => {
    const server = await startPostgres();
    const app = await startApp('sqlite', { ATRIUM_DATABASE_URL: server.url });
    const operator = new pg.Client(server.url);
    await operator.connect();
    t.after(() =>
      operator
        .end()
        .then(() => app.stop())
        .then(() => server.stop()),
    );
    const set = async (change: string) => {
      await operator.query(`alter system ${change}`);
      await operator.query('select pg_reload_conf()');
      await sleep(RELOADED_MS);
    };
    assert.equal(await readiness(app), 200);
    await set('set default_transaction_read_only = on');
    assert.equal(await readiness(app), 503, 'before anybody has written');
    const refused = await app.post('/v1/folders', { name: 'Receipts' });
    assert.deepEqual([refused.status, refused.json.error.code], [503, 'unavailable']);
    assert.equal((await app.get('/v1/folders')).status, 200, 'reads go on');
    await set('reset default_transaction_read_only');
    await eventually(async () => (await readiness(app)) === 200, 'it is ready again');
    assert.equal((await app.post('/v1/folders', { name: 'Receipts' })).status, 201);
  });
});
