/** What becomes of requests while the disk under PostgreSQL is full: where its tables cannot grow, and where it ends. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { operationsOf } from '../../src/start/server.ts';
import { verify } from '../../src/start/verification.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { eventually } from '../eventually.ts';
import { type Answer, OWNER_KEY, type RequestOptions, startApp, type TestApp } from '../harness.ts';
import { EXAMPLES } from '../refusals/examples.ts';
import { validRequest } from '../refusals/refusals.ts';
import { createObjects, type Objects } from '../refusals/world.ts';
import { type PostgresOnSmallDisk, startPostgresOnSmallDisk } from '../torture/postgres-on-small-disk.ts';

/** A contact of this length takes pages that the tables do not have yet: so many of them find any room that was left. */
const NOTES = { length: 20_000, contacts: 500 };
const AT_ONCE = 50;

/** A request, and how it was answered while the disk was full. */
interface Asked {
  method: string;
  path: string;
  options: RequestOptions;
  answer: Answer;
}

describe('PostgreSQL on a full disk', { timeout: 300_000 }, () => {
  let postgres: PostgresOnSmallDisk;
  let app: TestApp;
  let objects: Objects;
  let problems: string[];
  before(async () => {
    postgres = await startPostgresOnSmallDisk();
    app = await startApp('sqlite', { ATRIUM_DATABASE_URL: postgres.url });
  });
  after(async () => {
    await app.stop();
    await postgres.stop();
  });
  beforeEach(async () => {
    const me = (await app.get('/v1/users/me')).json.data.id;
    objects = await createObjects(app, me, OWNER_KEY);
    problems = await verified();
  });
  afterEach(() => postgres.disk?.makeRoom());

  it('has writes refused and reads answered, and everything once when there is room again', async (t) => {
    if (!postgres.disk) return t.skip('the system lets us mount no file system in memory');
    await postgres.disk.fill();
    const contacts = await createContactsUntilRefused();
    assert.equal(contacts.at(-1)?.answer.json.error.code, 'quota_exceeded', 'as where files find no room');
    assert.equal((await app.get('/readyz')).status, 503, 'whoever balances is told');
    const asked = await askEverything();
    for (const { method, path, answer } of asked)
      assert.ok(method !== 'GET' || answer.status < 300, `${method} ${path}: ${answer.text}`);
    assert.ok(asked.some(isUnavailable), 'the disk has no room');
    assert.match(await replyToMail(), /^(250|451) /);
    for (const { answer } of contacts.filter(isAcknowledged))
      assert.equal((await app.get(`/v1/contacts/${answer.json.data.id}`)).status, 200);
    assert.equal((await app.get('/readyz')).status, 503, 'for as long as it lasts');
    postgres.disk.makeRoom();
    await eventually(async () => (await app.get('/readyz')).status === 200, 'it is ready again');
    await assertEverythingIsThereOnce(contacts, asked);
  });

  it('may end for want of room for its log: nothing but that is told, and everything is there once', async (t) => {
    if (!postgres.disk) return t.skip('the system lets us mount no file system in memory');
    const before = await createContacts(3);
    await postgres.disk.fill();
    const writing = createContacts(30);
    await postgres.useUpLog();
    const contacts = [...before, ...(await writing), ...(await createContacts(3))];
    const asked = await askEverything();
    assert.ok(asked.some(isUnavailable), 'PostgreSQL has ended');
    assert.match(await replyToMail(), /^(250|451) /);
    postgres.disk.makeRoom();
    await eventually(async () => (await app.get('/readyz')).status === 200, 'PostgreSQL is back');
    await assertEverythingIsThereOnce(contacts, asked);
  });

  async function createContact(): Promise<Asked> {
    const body = { address_book_id: objects.book, name: randomUUID(), notes: 'x'.repeat(NOTES.length) };
    const idempotencyKey = randomUUID();
    return ask('POST', '/v1/contacts', { body, idempotencyKey });
  }

  function createContacts(count: number): Promise<Asked[]> {
    return Promise.all(Array.from({ length: count }, createContact));
  }

  async function createContactsUntilRefused(): Promise<Asked[]> {
    const contacts: Asked[] = [];
    while (!contacts.some(isUnavailable)) {
      assert.ok(contacts.length < NOTES.contacts, 'the disk has no end of room');
      contacts.push(await createContact());
    }
    return contacts;
  }

  /** Each operation once. No answer is another fault of the server than that its storage is away. */
  async function askEverything(): Promise<Asked[]> {
    const asked: Asked[] = [];
    for (const operation of operationsOf(app.services)) {
      const example = EXAMPLES[operation.id];
      if (!example) continue;
      const { path, options } = validRequest(operation, example, objects);
      asked.push(await ask(operation.method, path, { ...options, idempotencyKey: randomUUID() }));
    }
    return asked;
  }

  async function ask(method: string, path: string, options: RequestOptions): Promise<Asked> {
    const asked = { method, path, options, answer: await app.request(method, path, options) };
    assert.ok(asked.answer.status < 500 || isUnavailable(asked), `${method} ${path}: ${asked.answer.text}`);
    return asked;
  }

  async function replyToMail(): Promise<string> {
    const client = await greeted(app.smtp.port);
    await client.command('MAIL FROM:<a@elsewhere.example>');
    const { code, lines } = await client.command('RCPT TO:<owner@localhost>');
    client.close();
    return [code, ...lines].join(' ');
  }

  async function assertEverythingIsThereOnce(contacts: Asked[], asked: Asked[]): Promise<void> {
    for (const { method, path, options } of asked.filter(isUnavailable)) await ask(method, path, options);
    for (const { path, options, answer } of contacts) {
      const again = await app.post(path, options.body, options);
      assert.equal(again.status, 201, again.text);
      if (answer.status === 201) assert.equal(again.text, answer.text);
    }
    const names = contacts.map(({ options }) => (options.body as { name: string }).name);
    for (const name of names) {
      const { data } = (await app.get(`/v1/contacts?q=${name}`)).json;
      assert.equal(data.length, 1, `${name} is there ${data.length} times`);
    }
    assert.deepEqual(await verified(), problems);
    await assertNothingIsHeld();
  }

  /** Transactions that were broken off hold neither a connection of the server nor locks. */
  async function assertNothingIsHeld(): Promise<void> {
    const reads = Array.from({ length: AT_ONCE }, () => app.get('/v1/users/me'));
    for (const { status } of await Promise.all(reads)) assert.equal(status, 200);
    const client = new pg.Client(postgres.url);
    await client.connect();
    await eventually(async () => {
      const { rows } = await client.query(
        "select from pg_stat_activity where application_name = 'atrium' and state <> 'idle'",
      );
      return rows.length === 0;
    }, 'no transaction is left open');
    await client.end();
  }

  function verified(): Promise<string[]> {
    return verify(app.services, { rows: 0, blobs: 0, bytes: 0 });
  }
});

function isUnavailable({ answer }: Asked): boolean {
  return (
    (answer.status === 503 && answer.json.error.code === 'unavailable') ||
    (answer.status === 507 && answer.json.error.code === 'quota_exceeded')
  );
}

function isAcknowledged({ answer }: Asked): boolean {
  return answer.status < 300;
}
