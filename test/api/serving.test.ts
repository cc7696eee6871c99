/** A server as those who run it see it: health, figures, reference, TLS, storage that goes away, and the end. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync } from 'node:fs';
import { request as requestOverTls } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { closeServer, createNodeServer } from '../../src/server/http/node-server.ts';
import { operationsOf } from '../../src/start/server.ts';
import { data, makeKey, makeUser } from '../areas/accounts.ts';
import { putClock, setClockAhead } from '../clock.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { PROGRAM } from '../program.ts';
import { type PostgresProxy, startProxy } from '../storage/postgres-proxy.ts';
import { type Node, sendWrite, startNode } from './nodes.ts';
import {
  assertCommonHeaders,
  assertRefusal,
  exchange,
  openConnection,
  RawConnection,
  request,
} from './raw-http.ts';

const KEY = { authorization: `Bearer ${OWNER_KEY}` };
const TLS = join(import.meta.dirname, 'tls');
/** A key that was revoked elsewhere works no longer than this. */
const REVOKED_WITHIN_MS = 5_000;

describe('without a key', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp('sqlite');
  });
  after(() => app.stop());
  const get = (path: string) => app.get(path, { key: null });

  it('health is told in a word (OPS-33, OPS-34, OPS-35)', async () => {
    const health = { '/healthz': 'ok\n', '/readyz': 'ready\n' };
    for (const [path, word] of Object.entries(health)) {
      const answer = await get(path);
      assert.deepEqual([answer.status, answer.text], [200, word]);
      assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
      assertCommonHeaders(answer.headers);
    }
  });

  it('readiness ends with the directory of the blobs, and comes back with it (OPS-34, OPS-35)', async () => {
    const blobs = join(app.config.dataDir, 'blobs');
    renameSync(blobs, `${blobs}-gone`);
    const answer = await get('/readyz');
    assertRefusal(answer, 'unavailable');
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.equal((await get('/healthz')).status, 200);
    renameSync(`${blobs}-gone`, blobs);
    assert.equal((await get('/readyz')).status, 200);
  });

  it('figures count operations, and name nobody (OPS-33, OPS-36)', async () => {
    const user = await makeUser(app);
    await app.get(`/v1/users/${user.id}`);
    await app.get('/v1/users?q=ada%40example.org');
    const { text: figures, headers } = await get('/metrics');
    assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    const count = 'atrium_http_request_duration_seconds_count';
    assert.match(figures, new RegExp(`^${count}\\{operation="getUser",status="200"\\} 1$`, 'm'));
    assert.match(figures, new RegExp(`^${count}\\{operation="createUser",status="201"\\} 1$`, 'm'));
    for (const line of figures.split('\n').filter(Boolean)) {
      assert.match(line, /^(# (HELP|TYPE) \w+ .*|\w+(\{.*\})? [-+.\de]+(nf|aN)?)$/i);
    }
    assert.doesNotMatch(figures, /@|(usr|key|wsp|req|atr)_|127\.0\.0\.1/);
  });

  it('the reference is a page of this server (OPS-33, OPS-38)', async () => {
    assert.match((await get('/docs')).text, /^<!doctype html>/);
    const script = await get('/docs/reference.js');
    assert.equal(script.status, 200);
    assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/);
  });

  it('the OpenAPI document describes every operation, whole and by itself (OPS-33, OPS-37)', async () => {
    const answer = await get('/v1/openapi.json');
    const document = answer.json;
    assert.equal(document.openapi, '3.1.0');
    assert.ok(document.info.title && document.info.version);
    const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);
    const described = Object.values<object>(document.paths).flatMap((path) => Object.values(path));
    assert.deepEqual(
      described.map(({ operationId }) => operationId).sort(),
      operations.map(({ id }) => id).sort(),
    );
    for (const [path, methods] of Object.entries<object>(document.paths)) {
      for (const operation of Object.values(methods)) assertDescribed(path, operation);
    }
    for (const reference of answer.text.matchAll(/"\$ref":"([^"]*)"/g)) {
      assert.ok(resolve(document, reference[1] ?? ''), `${reference[1]} leads nowhere`);
    }
    assert.doesNotMatch(answer.text, /"\$id"|"~/);
  });
});

interface Described {
  summary: string;
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  responses: Record<string, { description: string }>;
}

function assertDescribed(path: string, { summary, parameters, responses }: Described): void {
  assert.ok(summary, path);
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  assert.deepEqual(
    inPath.map(({ name }) => `{${name}}`),
    path.match(/\{\w+\}/g) ?? [],
  );
  for (const parameter of parameters) assert.ok(parameter.schema && parameter.required !== undefined);
  for (const parameter of inPath) assert.equal(parameter.required, true);
  assert.ok(Object.keys(responses).some((status) => status.startsWith('2')));
  for (const status of ['400', '401', '429', '500', '503']) assert.ok(responses[status]?.description, path);
}

/** What a JSON pointer in a fragment leads to. */
function resolve(document: unknown, reference: string): unknown {
  assert.ok(reference.startsWith('#/'), `${reference} is elsewhere`);
  const steps = reference.slice(2).split('/');
  return steps.reduce((here, step) => Reflect.get(Object(here), step), document);
}

it('HTTP and SMTP listen on the address of the settings alone, on any free port (OPS-12, OPS-13, OPS-14)', async (t) => {
  const app = await startApp('sqlite', { ATRIUM_HOST: '127.0.0.2' });
  t.after(() => app.stop());
  const { hostname, port } = new URL(app.address);
  assert.equal(hostname, '127.0.0.2');
  for (const number of [Number(port), app.smtp.port]) {
    assert.ok(number > 0);
    const there = connect(number, '127.0.0.2');
    await once(there, 'connect');
    there.destroy();
    await assert.rejects(once(connect(number, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' });
  }
});

describe('with a certificate', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp('sqlite', {
      ATRIUM_TLS_CERT: join(TLS, 'cert.pem'),
      ATRIUM_TLS_KEY: join(TLS, 'key.pem'),
    });
  });
  after(() => app.stop());
  const ca = readFileSync(join(TLS, 'cert.pem'));

  async function getOverTls(path: string): Promise<{ status: number | undefined; body: string }> {
    const sent = requestOverTls(`${app.address}${path}`, { ca, headers: KEY, agent: false }).end();
    const [response] = await once(sent, 'response');
    return { status: response.statusCode, body: await text(response) };
  }

  it('with a certificate it speaks HTTPS (OPS-29, OPS-30)', async () => {
    assert.match(app.address, /^https:/);
    const { status, body } = await getOverTls('/v1/users/me');
    assert.equal(status, 200, body);
  });

  it('what is broken has the one shape over TLS too (API-27)', async () => {
    const socket = connectTls({ port: Number(new URL(app.address).port), host: '127.0.0.1', ca });
    await once(socket, 'secureConnect');
    assertRefusal(await new RawConnection(socket).send('GARBAGE\r\n\r\n').next(), 'malformed_request');
    socket.destroy();
  });

  it('whoever speaks no TLS is not served, and harms nobody', async () => {
    const connection = await openConnection(app.address);
    await connection.send(request('GET /healthz HTTP/1.1')).closed();
    assert.equal((await getOverTls('/healthz')).body, 'ok\n');
  });

  it('patience with headers is the same', async (t) => {
    const tls = { cert: ca.toString(), key: readFileSync(join(TLS, 'key.pem'), 'utf8') };
    const patience = { headers: 1_000, request: 5_000, silence: 60_000, idle: 1_000, lookEvery: 50 };
    const server = createNodeServer(() => undefined, tls, patience);
    t.after(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as { port: number };
    const socket = connectTls({ port, host: '127.0.0.1', ca });
    await once(socket, 'secureConnect');
    assertRefusal(await new RawConnection(socket).send('GET / HTTP/1.1\r\n').next(), 'request_timeout');
    socket.destroy();
  });
});

describe('while the database is away', () => {
  let app: TestApp;
  let proxy: PostgresProxy;
  let node: Node;
  before(async () => {
    app = await startApp('postgres');
    proxy = await startProxy(app.config.databaseUrl ?? '');
    node = await startNode(app.config, { databaseUrl: proxy.url });
  });
  after(async () => {
    await node.stop();
    await proxy.close();
    await app.stop();
  });
  const get = (path: string) => exchange(node.address, request(`GET ${path} HTTP/1.1`, KEY));

  it('every request is told to come again, and later ones are served (API-82, OPS-34, OPS-35)', async () => {
    const write = { path: '/v1/groups', body: '{"name":"G","member_ids":[]}', idempotencyKey: 'later' };
    assert.equal((await get('/v1/users')).status, 200);
    proxy.breakDown();
    for (const path of ['/v1/users', '/v1/groups', '/readyz']) {
      const answer = await get(path);
      assertRefusal(answer, 'unavailable');
      assert.equal(answer.headers.get('retry-after'), '1');
      assert.deepEqual(answer.json.error.details, {});
    }
    assert.equal((await sendWrite(node.address, write)).status, 503);
    assert.equal((await get('/healthz')).status, 200);
    proxy.resume();
    await eventually(async () => (await get('/readyz')).status === 200, 'it is ready again');
    assert.equal((await get('/v1/users')).status, 200);
    const { status, replayed } = await sendWrite(node.address, write);
    assert.deepEqual([status, replayed], [201, false]);
  });
});

forEachEngine((engine) => {
  describe('a key that is used on two nodes', () => {
    let app: TestApp;
    let other: Node;
    before(async () => {
      app = await startApp(engine);
      other = await startNode(app.config);
    });
    after(async () => {
      await other.stop();
      await app.stop();
    });

    const works = async (address: string, key: string) => {
      const headers = { authorization: `Bearer ${key}` };
      return (await exchange(address, request('GET /v1/users/me HTTP/1.1', headers))).status === 200;
    };

    it('a key stops at once where it is revoked, and within 5 s on the other node (DIR-34)', async (t) => {
      const { id, key } = await makeKey(app, ['directory.read']);
      for (const { address } of [app, other]) assert.ok(await works(address, key));
      assert.equal((await app.delete(`/v1/api-keys/${id}`)).status, 204);
      assert.equal(await works(app.address, key), false);
      setClockAhead(t, REVOKED_WITHIN_MS);
      assert.equal(await works(other.address, key), false);
    });

    it('stops within 5 s on the other though the clock is put back', async (t) => {
      const { id, key } = await makeKey(app, ['directory.read']);
      assert.ok(await works(other.address, key));
      assert.equal((await app.delete(`/v1/api-keys/${id}`)).status, 204);
      setClockAhead(t, REVOKED_WITHIN_MS);
      putClock(t, -3_600_000);
      assert.equal(await works(other.address, key), false);
    });

    it('stops within 5 s when the command line revokes it', async (t) => {
      const { id, key } = await makeKey(app, ['directory.read']);
      assert.ok(await works(app.address, key));
      const { dataDir, databaseUrl = '' } = app.config;
      const env = { ...process.env, ATRIUM_DATA_DIR: dataDir, ATRIUM_DATABASE_URL: databaseUrl };
      const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'key', 'revoke', id], {
        env,
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
      setClockAhead(t, REVOKED_WITHIN_MS);
      assert.equal(await works(app.address, key), false);
    });

    it('a key stops within 5 s when its user is suspended on the other (DIR-12)', async (t) => {
      const user = await makeUser(app);
      const { key } = await makeKey(app, ['directory.read'], { user_id: user.id });
      assert.ok(await works(other.address, key));
      data(await app.put(`/v1/users/${user.id}`, { state: 'suspended' }));
      setClockAhead(t, REVOKED_WITHIN_MS);
      assert.equal(await works(other.address, key), false);
    });

    it('stops when it expires, on both', async (t) => {
      const lifeMs = 3_600_000;
      const fields = { expires_at: new Date(Date.now() + lifeMs).toISOString() };
      const { key } = await makeKey(app, ['directory.read'], fields);
      for (const { address } of [app, other]) assert.ok(await works(address, key));
      setClockAhead(t, lifeMs);
      for (const { address } of [app, other]) assert.equal(await works(address, key), false);
    });
  });
});

describe('the end', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp('sqlite');
  });
  after(() => app.stop());

  const body = JSON.stringify({ name: 'Last', member_ids: [] });
  const post = (key: string) =>
    request('POST /v1/groups HTTP/1.1', {
      ...KEY,
      'idempotency-key': key,
      'content-type': 'application/json',
      'content-length': String(body.length),
    });
  const refusesConnections = (address: string) => async () =>
    openConnection(address).then(
      ({ socket }) => {
        socket.destroy();
        return false;
      },
      () => true,
    );

  it('the end lets what runs finish, and takes nothing new (OPS-8)', async () => {
    const node = await startNode(app.config);
    const running = await openConnection(node.address);
    running.send(post('running') + body.slice(0, -1));
    const idle = await openConnection(node.address);
    await idle.send(request('GET /healthz HTTP/1.1')).next();
    const stopped = node.stop();
    await eventually(refusesConnections(node.address), 'it takes nothing new');
    await idle.closed();
    running.send(body.slice(-1) + request('GET /v1/users/me HTTP/1.1', KEY));
    assert.equal((await running.next()).status, 201);
    const last = await running.next();
    assert.equal(last.status, 200, 'what came on the same connection is served as well');
    assert.equal(last.headers.get('connection'), 'close');
    await running.closed();
    await stopped;
  });

  it('does not wait for connections that ask for nothing', async () => {
    const node = await startNode(app.config);
    const idle = await openConnection(node.address);
    await idle.send(request('GET /healthz HTTP/1.1')).next();
    const startedAt = performance.now();
    await node.stop();
    assert.ok(performance.now() - startedAt < 8_000, 'what runs has ten seconds');
    await idle.closed();
  });

  it('does not wait for handshakes of TLS that nobody ends (OPS-8)', async () => {
    const tls = {
      cert: readFileSync(join(TLS, 'cert.pem'), 'utf8'),
      key: readFileSync(join(TLS, 'key.pem'), 'utf8'),
    };
    const server = createNodeServer(() => undefined, tls);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const silent = connect(port, '127.0.0.1').resume();
    await once(server, 'connection');
    const cut = once(silent, 'close', { signal: AbortSignal.timeout(20_000) });
    await closeServer(server, 60_000);
    await cut;
  });

  it('the end cuts what has not finished in time (OPS-8)', async () => {
    const server = createNodeServer(() => undefined, undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const connection = await openConnection(`http://127.0.0.1:${port}`);
    connection.send(request('GET / HTTP/1.1'));
    await once(server, 'request');
    const startedAt = performance.now();
    await closeServer(server, 200);
    assert.ok(performance.now() - startedAt >= 190, 'not before its time');
    await connection.closed();
  });
});
