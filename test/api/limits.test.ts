/** What the server takes of one request, of one key and of one connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlobsUnavailable } from '../../src/blobs/blob-store.ts';
import { createNodeServer, PATIENCE as NODE_PATIENCE } from '../../src/server/http/node-server.ts';
import { createOwnedWorkspace } from '../../src/start/first-workspace.ts';
import { makeKey, makeUser } from '../areas/accounts.ts';
import { folderOf, rfc822 } from '../areas/mail-world.ts';
import { setClockAhead } from '../clock.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { storedState } from '../refusals/world.ts';
import { sendWrite, startNode } from './nodes.ts';
import { assertRefusal, exchange, openConnection, type RawConnection, request } from './raw-http.ts';

const KEY = { authorization: `Bearer ${OWNER_KEY}` };
const MOST_JSON = 10_000_000;
const MOST_MAIL = 64 * 1024 * 1024;
const MEBIBYTE = 'x'.repeat(1024 * 1024);
/** More than the system takes for a server that does not read. */
const LARGE = 12_000_000;

describe('a body', () => {
  let app: TestApp;
  let inbox: string;
  let before_: string;
  before(async () => {
    app = await startApp('sqlite');
    inbox = await folderOf(app, 'inbox');
    before_ = await storedState(app.services.database);
  });
  after(() => app.stop());

  const post = (path: string, type: string, headers: Record<string, string>) =>
    request(`POST ${path} HTTP/1.1`, { ...KEY, 'idempotency-key': 'one', 'content-type': type, ...headers });
  const postJson = (headers: Record<string, string>) => post('/v1/groups', 'application/json', headers);
  const postMail = (headers: Record<string, string>) =>
    post(`/v1/folders/${inbox}/messages`, 'message/rfc822', headers);
  const assertGoesOn = async (connection: RawConnection) => {
    connection.send(request('GET /healthz HTTP/1.1'));
    assert.equal((await connection.next()).text, 'ok\n');
    connection.socket.destroy();
    assert.equal(await storedState(app.services.database), before_, 'nothing was kept');
  };

  it('a body of JSON announced as too large is refused before it is sent (API-153)', async () => {
    const connection = await openConnection(app.address);
    const answer = await connection.send(postJson({ 'content-length': String(MOST_JSON + 1) })).next();
    assertRefusal(answer, 'payload_too_large');
    assert.deepEqual(answer.json.error.details, { max_size: MOST_JSON });
    connection.send('x'.repeat(MOST_JSON + 1));
    await assertGoesOn(connection);
  });

  it('a body of mail announced as too large is refused before it is sent (MAIL-67)', async () => {
    const answer = await exchange(app.address, postMail({ 'content-length': String(MOST_MAIL + 1) }));
    assertRefusal(answer, 'payload_too_large');
    assert.deepEqual(answer.json.error.details, { max_size: MOST_MAIL });
  });

  for (const [kind, head, most] of [
    ['JSON', postJson, MOST_JSON],
    ['mail', postMail, MOST_MAIL],
  ] as const) {
    it(`of ${kind} that turns out too large is refused, and its sender hears it`, async () => {
      const connection = await openConnection(app.address);
      connection.send(head({ 'transfer-encoding': 'chunked' }));
      for (let sent = 0; sent <= most; sent += MEBIBYTE.length) {
        connection.send(`${MEBIBYTE.length.toString(16)}\r\n${MEBIBYTE}\r\n`);
      }
      const answer = await connection.next();
      assertRefusal(answer, 'payload_too_large');
      assert.deepEqual(answer.json.error.details, { max_size: most });
      connection.send(`5\r\nafter\r\n0\r\n\r\n`);
      await assertGoesOn(connection);
    });
  }

  it('that the store cannot keep is answered while it is still being sent', async (t) => {
    t.mock.method(app.services.blobs, 'put', async (_key: string, content: AsyncIterable<Uint8Array>) => {
      for await (const _ of content) throw new BlobsUnavailable('full');
    });
    const body = rfc822({ body: MEBIBYTE.repeat(5) });
    const connection = await openConnection(app.address);
    connection.send(postMail({ 'content-length': String(body.length) }) + body.slice(0, MEBIBYTE.length));
    const answer = await connection.next();
    assertRefusal(answer, 'unavailable');
    assert.equal(answer.headers.get('retry-after'), '1');
    connection.send(body.slice(MEBIBYTE.length));
    await assertGoesOn(connection);
  });

  // Such as Python's urllib: it says that this request is the last one, and reads when all of it has left.
  for (const [code, line, headers] of [
    ['payload_too_large', 'POST /v1/groups HTTP/1.1', { ...KEY, 'content-type': 'application/json' }],
    ['invalid_api_key', 'POST /v1/files?filename=a HTTP/1.1', { authorization: 'Bearer none' }],
    ['not_found', 'PUT /v1/nothing HTTP/1.1', KEY],
    ['malformed_request', 'PUT /v1/nothing HTTP/1.1', { host: 'a b' }],
  ] as const) {
    it(`that is refused as ${code} may be sent whole before the answer is read`, async () => {
      const connection = await openConnection(app.address);
      connection.socket.pause();
      const length = { 'content-length': String(LARGE), 'idempotency-key': 'one', connection: 'close' };
      connection.send(request(line, { ...length, ...headers }, 'x'.repeat(LARGE)));
      await once(connection.socket, 'drain');
      connection.socket.resume();
      assertRefusal(await connection.next(), code);
      await connection.closed();
      assert.equal(await storedState(app.services.database), before_, 'nothing was kept');
    });
  }

  it('a body of exactly the size is taken (API-153)', async () => {
    const group = JSON.stringify({ name: 'Large', member_ids: [] });
    const answer = await app.post('/v1/groups', group.padEnd(MOST_JSON), {
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(answer.status, 201, answer.text);
  });
});

describe('the rate of a user', () => {
  const RATE_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'];

  it('the rate of a user has no limit by default (API-154, API-155, OPS-24)', async (t) => {
    const app = await startApp('sqlite');
    t.after(() => app.stop());
    for (let i = 0; i < 50; i++) assert.equal((await app.get('/v1/users/me')).status, 200);
    const { headers } = await app.get('/v1/users/me');
    for (const name of RATE_HEADERS) assert.equal(headers.get(name), null);
  });

  it('the rate of a user is limited where that is set, over all of their keys, and for each user by itself (API-79, API-85, API-154, API-155, OPS-24)', async (t) => {
    const app = await startApp('sqlite', { ATRIUM_RATE_LIMIT: '3' });
    t.after(() => app.stop());
    const { key: another } = await makeKey(app, ['directory.read']);
    const { key: otherUser } = await app.services.database.write((tx) =>
      createOwnedWorkspace(tx, app.services, { name: 'Elsewhere', ownerEmail: 'other@t.example' }),
    );
    for (let i = 0; i < 5; i++) assert.equal((await app.get('/v1/users', { key: 'atr_nobody' })).status, 401);
    const second = await app.get('/v1/users/none');
    assert.equal(second.status, 404, 'a refusal counts as well');
    assert.equal(second.headers.get('ratelimit-remaining'), '1');
    const third = await app.get('/v1/users/me');
    assert.deepEqual(
      ['200', '3', '0'],
      [String(third.status), third.headers.get('ratelimit-limit'), third.headers.get('ratelimit-remaining')],
    );
    const fourth = await app.get('/v1/users/me', { key: another });
    assertRefusal(fourth, 'rate_limited');
    const reset = Number(fourth.headers.get('ratelimit-reset'));
    assert.ok(reset >= 1 && reset <= 60, `reset ${reset}`);
    assert.equal(fourth.headers.get('retry-after'), String(reset));
    assert.equal(fourth.headers.get('ratelimit-remaining'), '0');
    assert.deepEqual(fourth.json.error.details, { limit: 3, retry_after: reset });
    assert.equal((await app.get('/v1/users/me', { key: otherUser })).headers.get('ratelimit-remaining'), '2');
    assert.equal((await app.get('/healthz', { key: null })).status, 200);
    assertRefusal(await app.get('/v1/api-keys', { key: another }), 'rate_limited');
    assertRefusal(await app.get('/v1/users', { key: 'atr_nobody' }), 'invalid_api_key');
  });

  it('is counted by each node, and a refused write may come again under its key (API-131, API-154)', async (t) => {
    const app = await startApp('sqlite', { ATRIUM_RATE_LIMIT: '1' });
    const other = await startNode(app.config);
    t.after(async () => {
      await other.stop();
      await app.stop();
    });
    const write = { path: '/v1/groups', body: '{"name":"G","member_ids":[]}', idempotencyKey: 'again' };
    assert.equal((await app.get('/v1/users/me')).status, 200);
    assert.equal((await sendWrite(app.address, write)).status, 429);
    assert.equal((await sendWrite(other.address, write)).status, 201);
  });
});

it('a cursor ends with its time (API-143, OPS-26)', async (t) => {
  const app = await startApp('sqlite', { ATRIUM_CURSOR_TTL: '600' });
  t.after(() => app.stop());
  await makeUser(app);
  const { pagination } = (await app.get('/v1/users?limit=1')).json;
  setClockAhead(t, 600_000);
  assertRefusal(await app.get(`/v1/users?limit=1&cursor=${pagination.next_cursor}`), 'cursor_expired');
});

describe('the patience with a connection', { concurrency: true }, () => {
  // Each is long enough for a busy machine to stop in the middle of what is meant to be in time.
  const PATIENCE = { headers: 2_000, request: 4_000, silence: 2_500, idle: 1_000, lookEvery: 50 };
  const POST = request('POST / HTTP/1.1', { 'content-length': '100' });
  /** Longer than every patience but that with the whole request. */
  const WORK_MS = 3_000;

  const answer: RequestListener = async (incoming, response) => {
    if (incoming.url === '/long') response.end(Buffer.alloc(100_000_000));
    incoming.on('error', () => undefined).resume();
    if (!incoming.complete) await once(incoming, 'end').catch(() => undefined);
    if (incoming.url === '/work') await sleep(WORK_MS);
    if (!response.headersSent) response.end('done');
  };
  const server = createNodeServer(answer, undefined, PATIENCE);
  let address: string;
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const assertTimedOut = async (connection: RawConnection) => {
    assertRefusal(await connection.next(), 'request_timeout');
    await connection.closed();
  };

  it('is 30 seconds with headers, an hour with a request and a minute with silence (API-157)', () => {
    const { headers, request: whole, silence } = NODE_PATIENCE;
    assert.deepEqual([headers, whole, silence], [30_000, 3_600_000, 60_000]);
  });

  it('the patience ends with headers that do not come (API-52, API-157)', async () => {
    await assertTimedOut((await openConnection(address)).send('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '));
  });

  it('the patience ends with a body that stops (API-157)', async () => {
    await assertTimedOut((await openConnection(address)).send(`${POST}ten bytes.`));
  });

  it('the patience ends with a body that trickles for ever (API-157)', async () => {
    const connection = (await openConnection(address)).send(POST);
    const trickle = setInterval(() => connection.send('x'), 50);
    await assertTimedOut(connection).finally(() => clearInterval(trickle));
  });

  it('ends with a connection that never says a word', async () => {
    await (await openConnection(address)).closed();
  });

  it('ends with one that says no more', async () => {
    const connection = await openConnection(address);
    assert.equal((await connection.send(request('GET / HTTP/1.1')).next()).text, 'done');
    await connection.closed();
  });

  it('ends with a client that does not read its answer', async () => {
    const connection = await openConnection(address);
    const [[accepted]] = await Promise.all([
      once(server, 'request'),
      connection.send(request('GET /long HTTP/1.1')),
    ]);
    connection.socket.pause();
    await once(accepted.socket, 'close', { signal: AbortSignal.timeout(60_000) });
    connection.socket.destroy();
  });

  it('has no end while the work is ours', async () => {
    const connection = await openConnection(address);
    assert.equal((await connection.send(request('GET /work HTTP/1.1')).next()).text, 'done');
    connection.socket.destroy();
  });
});
