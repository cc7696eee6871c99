/** The edges of the protocol, through the socket: what is refused has the one shape, and the server goes on. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ErrorCode } from '../../src/contract/errors.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { operationsOf } from '../../src/start/server.ts';
import { append, folderOf, rfc822 } from '../areas/mail-world.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { storedState } from '../refusals/world.ts';
import {
  assertCommonHeaders,
  assertRefusal,
  exchange,
  openConnection,
  type RawAnswer,
  request,
} from './raw-http.ts';

const KEY = { authorization: `Bearer ${OWNER_KEY}` };
const GROUP = JSON.stringify({ name: 'Team', member_ids: [] });
const JSON_WRITE = { ...KEY, 'idempotency-key': 'one', 'content-type': 'application/json' };
const OTHERS: Record<string, readonly string[]> = {
  '/': ['GET', 'HEAD'],
  '/healthz': ['GET', 'HEAD'],
  '/readyz': ['GET', 'HEAD'],
  '/metrics': ['GET', 'HEAD'],
  '/v1/openapi.json': ['GET', 'HEAD'],
  '/owner-proof': ['GET', 'HEAD'],
  '/docs': ['GET', 'HEAD'],
  '/docs/reference.js': ['GET', 'HEAD'],
};

describe('HTTP', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp('sqlite');
  });
  after(() => app.stop());

  const get = (path: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
    exchange(app.address, request(`GET ${path} HTTP/1.1`, { ...KEY, ...headers }));

  describe('answers what is no request in the one shape, and closes (API-27, API-35, API-71, API-80)', () => {
    const post = 'POST /v1/groups HTTP/1.1';
    const broken: Record<string, [text: string, code: ErrorCode]> = {
      'a line that is no request line': ['GARBAGE\r\n\r\n', 'malformed_request'],
      'another protocol': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'malformed_request'],
      'NUL in a header': [request('GET /v1/users HTTP/1.1', { ...KEY, x: 'a\0b' }), 'malformed_request'],
      'a space in a header name': [request('GET /v1/users HTTP/1.1', { 'x y': '1' }), 'malformed_request'],
      'headers over 16 KiB': [
        request('GET /v1/users HTTP/1.1', { ...KEY, x: 'x'.repeat(200_000) }),
        'headers_too_large',
      ],
      'a request line over 16 KiB': [
        request(`GET /v1/users?q=${'x'.repeat(20_000)} HTTP/1.1`, KEY),
        'headers_too_large',
      ],
      'a tunnel to another host': [
        'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n',
        'not_found',
      ],
      'no Host': ['GET /v1/users HTTP/1.1\r\n\r\n', 'malformed_request'],
      'two Hosts': ['GET /v1/users HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 'malformed_request'],
      'a Host that is none': [request('GET /v1/users HTTP/1.1', { host: 'a b' }), 'malformed_request'],
      'a Content-Length that is no number': [
        request(post, { ...JSON_WRITE, 'content-length': 'ten' }),
        'malformed_request',
      ],
      'two ways to tell the length': [
        request(post, { ...JSON_WRITE, 'content-length': '4', 'transfer-encoding': 'chunked' }, '0\r\n\r\n'),
        'malformed_request',
      ],
      'the same length twice': [
        request(`${post}\r\nContent-Length: 2`, { ...JSON_WRITE, 'content-length': '2' }, '{}'),
        'malformed_request',
      ],
      'a length with a sign': [
        request(post, { ...JSON_WRITE, 'content-length': '+2' }, '{}'),
        'malformed_request',
      ],
      'a coding that is not the last': [
        request(post, { ...JSON_WRITE, 'transfer-encoding': 'chunked, identity' }, '0\r\n\r\n'),
        'malformed_request',
      ],
      'a coding on a folded line': [
        request(post, { ...JSON_WRITE, 'transfer-encoding': '\r\n chunked' }, '0\r\n\r\n'),
        'malformed_request',
      ],
      'a coding with a space before its colon': [
        request(post, { ...JSON_WRITE, 'transfer-encoding ': 'chunked' }, '0\r\n\r\n'),
        'malformed_request',
      ],
      'a coding in HTTP/1.0': [
        request(
          'POST /v1/groups HTTP/1.0',
          { ...JSON_WRITE, connection: 'keep-alive', 'transfer-encoding': 'chunked' },
          '0\r\n\r\n',
        ),
        'malformed_request',
      ],
      'lines that end with LF': [
        request('GET /v1/users HTTP/1.1', KEY).replaceAll('\r\n', '\n'),
        'malformed_request',
      ],
      'CR within a header': [
        request('GET /v1/users HTTP/1.1', { x: `a\rAuthorization: ${KEY.authorization}` }),
        'malformed_request',
      ],
      'a chunk whose size ends with LF': [
        request(post, { ...JSON_WRITE, 'transfer-encoding': 'chunked' }, '2;x\n{}\r\n0\r\n\r\n'),
        'malformed_request',
      ],
      'a chunk without its size': [
        request(post, { ...JSON_WRITE, 'transfer-encoding': 'chunked' }, 'many\r\n{}\r\n0\r\n\r\n'),
        'malformed_request',
      ],
      'an expectation that nobody fulfils': [
        request('GET /v1/users HTTP/1.1', { ...KEY, expect: 'a miracle' }),
        'expectation_failed',
      ],
    };
    for (const [what, [text, code]] of Object.entries(broken)) {
      it(`${what} is refused with ${code}`, async () => {
        const before = await storedState(app.services.database);
        const connection = await openConnection(app.address);
        const answer = await connection.send(text).next();
        assertRefusal(answer, code);
        assert.match(answer.line, /^HTTP\/1\.1 \d{3} [A-Z][A-Za-z ]+$/);
        assert.equal(answer.headers.get('connection'), 'close');
        assert.ok(answer.headers.get('date'));
        await connection.closed();
        assert.equal(await storedState(app.services.database), before);
        assert.equal((await get('/v1/users')).status, 200);
      });
    }

    it('a body that ends before its Content-Length is malformed (API-35)', async () => {
      const before = await storedState(app.services.database);
      for (const [path, headers] of [
        ['/v1/groups', JSON_WRITE],
        [
          `/v1/folders/${await folderOf(app, 'inbox')}/messages`,
          { ...JSON_WRITE, 'content-type': 'message/rfc822' },
        ],
      ] as const) {
        const connection = await openConnection(app.address);
        connection.send(request(`POST ${path} HTTP/1.1`, { ...headers, 'content-length': '1000' }, GROUP));
        connection.socket.end();
        assertRefusal(await connection.next(), 'malformed_request');
        await connection.closed();
      }
      assert.equal(await storedState(app.services.database), before);
    });

    it('garbage after a whole request, whose answer still comes first or not at all', async () => {
      const connection = await openConnection(app.address);
      connection.send(`${request('GET /healthz HTTP/1.1')}GARBAGE\r\n\r\n`);
      const { status, text } = await connection.next();
      assert.ok(status === 400 || (status === 200 && text === 'ok\n'), text);
      await connection.closed();
    });
  });

  describe('asks for a body that is expected to be asked for', () => {
    const expecting = { ...JSON_WRITE, 'content-length': String(GROUP.length), expect: '100-continue' };

    it('once the headers are found good', async () => {
      const connection = await openConnection(app.address);
      connection.send(request('POST /v1/groups HTTP/1.1', { ...expecting, 'idempotency-key': 'expecting' }));
      assert.equal((await connection.next()).status, 100);
      assert.equal((await connection.send(GROUP).next()).status, 201);
      connection.socket.destroy();
    });

    const { 'idempotency-key': _, ...withoutKey } = expecting;
    const refused: [what: string, headers: Record<string, string>, code: ErrorCode][] = [
      ['the key is unknown', { ...expecting, authorization: 'Bearer nobody' }, 'invalid_api_key'],
      ['a write has no Idempotency-Key', withoutKey, 'idempotency_key_required'],
    ];
    for (const [what, headers, code] of refused) {
      it(`does not ask for a body where ${what}`, async () => {
        const connection = await openConnection(app.address);
        connection.send(request('POST /v1/groups HTTP/1.1', headers));
        const answer = await connection.next();
        assertRefusal(answer, code);
        assert.equal(answer.headers.get('connection'), 'close');
        await connection.closed();
      });
    }
  });

  describe('reads the path exactly (API-11)', () => {
    const paths: Record<string, [path: string, status: number, code?: ErrorCode]> = {
      'as it is': ['/v1/users', 200],
      'with an escaped letter': ['/v1/%75sers', 200],
      'in the absolute form that a proxy sends': ['http://localhost/v1/users', 200],
      'with an escape that is none': ['/v1/users/%zz', 404, 'not_found'],
      'with a byte that is no UTF-8': ['/v1/users/%ff', 404, 'not_found'],
      'with half an escape at its end': ['/v1/users/%e', 404, 'not_found'],
      'with a slash at its end': ['/v1/users/', 404, 'not_found'],
      'with two slashes at its beginning': ['//v1/users', 404, 'not_found'],
      'with two slashes within': ['/v1//users', 404, 'not_found'],
      'with dots that lead back': ['/v1/groups/../users', 404, 'not_found'],
      'in capitals': ['/V1/USERS', 404, 'not_found'],
      'of no operation': ['/v1/nothing', 404, 'not_found'],
      'of no server': ['/robots.txt', 404, 'not_found'],
      'with a longer part than any path has': [`/v1/users/${'x'.repeat(3_000)}`, 404, 'not_found'],
      'with NUL in it': ['/v1/users/%00', 404, 'not_found'],
    };
    for (const [how, [path, status, code]] of Object.entries(paths)) {
      it(`a path ${how} is answered with ${status}`, async () => {
        const answer = await get(path);
        assert.equal(answer.status, status, answer.text);
        if (code) assertRefusal(answer, code);
      });
    }

    it('but an id that cannot be decoded is asked for as every other one: with a key (API-11)', async () => {
      assertRefusal(await exchange(app.address, request('GET /v1/users/%zz HTTP/1.1')), 'unauthenticated');
      assertRefusal(await get('/v1/spreadsheets/%ff/values/A1'), 'not_found');
      assertRefusal(await get('/v1/spreadsheets/none/values/%ff'), 'validation_failed');
    });

    it('of the server as a whole', async () => {
      assertRefusal(await exchange(app.address, request('OPTIONS * HTTP/1.1')), 'not_found');
    });

    it('the path is looked at before anything else (API-84)', async () => {
      const text = request('POST /v1/nothing HTTP/1.1', { 'content-length': '99000000' });
      assertRefusal(await exchange(app.address, text), 'not_found');
    });
  });

  describe('methods', () => {
    const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);
    const allowed: Record<string, readonly string[]> = { ...OTHERS };
    for (const path of new Set(operations.map((operation) => operation.path))) {
      allowed[path.replaceAll(/:\w+/g, 'x')] = allowOf(operations, path);
    }

    for (const [path, allow] of Object.entries(allowed)) {
      // API-6, API-51
      it(`${path} takes ${allow.join(', ')} and tells so`, async () => {
        const every = [
          'GET',
          'HEAD',
          'POST',
          'PUT',
          'DELETE',
          'PATCH',
          'OPTIONS',
          'TRACE',
          'PROPFIND',
          'QUERY',
        ];
        for (const method of every.filter((other) => !allow.includes(other))) {
          const headers = { 'content-type': 'application/json', 'content-length': '2' };
          const text = request(`${method} ${path} HTTP/1.1`, headers, '{}');
          const answer = await exchange(app.address, text, { hasBody: method !== 'HEAD' });
          assert.equal(answer.status, 405, `${method}: ${answer.text}`);
          assert.equal(answer.headers.get('allow'), allow.join(', '), method);
          assertCommonHeaders(answer.headers);
          if (method === 'HEAD') continue;
          assertRefusal(answer, 'method_not_allowed');
          assert.deepEqual(answer.json.error.details, { allow });
        }
      });
    }

    it('that are none are no requests', async () => {
      assertRefusal(await exchange(app.address, request('BREW /v1/users HTTP/1.1')), 'malformed_request');
    });

    it('HEAD answers the headers of GET (API-6)', async () => {
      const inbox = await folderOf(app, 'inbox');
      const { id } = await append(app, inbox, rfc822());
      const paths = ['/v1/users', `/v1/messages/${id}`, `/v1/messages/${id}/raw`, '/healthz', '/docs'];
      for (const path of [...paths, '/v1/openapi.json', '/v1/users/none']) {
        const whole = await get(path);
        const connection = await openConnection(app.address);
        connection.send(request(`HEAD ${path} HTTP/1.1`, KEY));
        const head = await connection.next({ hasBody: false });
        connection.send(request('GET /healthz HTTP/1.1'));
        assert.equal((await connection.next()).text, 'ok\n', 'nothing came between');
        connection.socket.destroy();
        assert.equal(head.status, whole.status, path);
        assert.deepEqual(withoutTimes(head.headers), withoutTimes(whole.headers), path);
      }
    });
  });

  describe('bodies', () => {
    it('come in chunks as well', async () => {
      const chunks = [...GROUP].map((character) => `1\r\n${character}\r\n`).join('');
      const headers = { ...JSON_WRITE, 'idempotency-key': 'chunks', 'transfer-encoding': 'chunked' };
      const answer = await exchange(
        app.address,
        request('POST /v1/groups HTTP/1.1', headers, `${chunks}0\r\n\r\n`),
      );
      assert.equal(answer.status, 201, answer.text);
    });

    it('in a transfer coding that nobody undoes are refused, not stored as they are (API-4)', async () => {
      const headers = { ...JSON_WRITE, 'idempotency-key': 'coded', 'transfer-encoding': 'gzip, chunked' };
      const chunk = `${GROUP.length.toString(16)}\r\n${GROUP}\r\n0\r\n\r\n`;
      const answer = await exchange(app.address, request('POST /v1/groups HTTP/1.1', headers, chunk));
      assertRefusal(answer, 'unsupported_media_type');
    });

    it('bodies mean nothing to GET (API-5)', async () => {
      const connection = await openConnection(app.address);
      const headers = { ...KEY, 'content-type': 'text/html', 'content-length': '5' };
      connection.send(request('GET /v1/users HTTP/1.1', headers, '<p>hi'));
      assert.equal((await connection.next()).status, 200);
      connection.send(request('GET /v1/users HTTP/1.1', KEY));
      assert.equal((await connection.next()).status, 200);
      connection.socket.destroy();
    });

    it('of one connection follow each other, refused or not', async () => {
      const connection = await openConnection(app.address);
      const post = (headers: Record<string, string>, body: string) =>
        connection
          .send(
            request('POST /v1/groups HTTP/1.1', { ...headers, 'content-length': String(body.length) }, body),
          )
          .next();
      const write = (key: string) => ({ ...JSON_WRITE, 'idempotency-key': key });
      assertRefusal(await post({}, GROUP), 'unauthenticated');
      assertRefusal(
        await post({ ...write('a'), 'content-type': 'text/plain' }, GROUP),
        'unsupported_media_type',
      );
      assertRefusal(await post(write('a'), '{'), 'invalid_json');
      assertRefusal(await post(write('a'), '{}'), 'validation_failed');
      assertRefusal(await post(write('a b'), GROUP), 'invalid_idempotency_key');
      assert.equal((await post(write('follow'), GROUP)).status, 201);
      assertRefusal(await post(write('follow'), `${GROUP} `), 'idempotency_key_reused');
      connection.socket.destroy();
    });

    it('may be of requests that were sent without waiting', async () => {
      const connection = await openConnection(app.address);
      connection.send(request('GET /v1/users/me HTTP/1.1', KEY) + request('GET /v1/groups HTTP/1.1', KEY));
      assert.equal((await connection.next()).json.data.id.slice(0, 4), 'usr_');
      assert.ok(Array.isArray((await connection.next()).json.data));
      connection.socket.destroy();
    });
  });

  describe('headers', () => {
    it('headers name the scheme of the key in any case (API-88)', async () => {
      for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
        assert.equal((await get('/v1/users', { authorization: `${scheme} ${OWNER_KEY}` })).status, 200);
      }
    });

    it('headers with two keys hold none (API-89)', async () => {
      const two = `GET /v1/users HTTP/1.1\r\nHost: a\r\n${`Authorization: Bearer ${OWNER_KEY}\r\n`.repeat(2)}\r\n`;
      assertRefusal(await exchange(app.address, two), 'unauthenticated');
    });

    it('headers with two Idempotency-Keys hold none (API-39)', async () => {
      const body = GROUP;
      const headers = { ...JSON_WRITE, 'content-length': String(body.length) };
      const text = request('POST /v1/groups HTTP/1.1\r\nIdempotency-Key: two', headers, body);
      assertRefusal(await exchange(app.address, text), 'invalid_idempotency_key');
    });

    it('headers of the client never become those of the answer (API-24)', async () => {
      const theirs = `req_${'0'.repeat(32)}`;
      const answer = await get('/v1/users', { 'x-request-id': theirs, 'request-id': theirs });
      assertCommonHeaders(answer.headers, answer.json.meta.request_id);
      assert.notEqual(answer.headers.get('x-request-id'), theirs);
    });

    it('of every answer name its request, whose body tells when it was made (API-22, API-24)', async () => {
      const before = Date.now();
      const { headers, json } = await get('/v1/users');
      assert.deepEqual(Object.keys(json.meta), ['request_id', 'timestamp']);
      assert.equal(headers.get('x-request-id'), json.meta.request_id);
      const time = Date.parse(json.meta.timestamp);
      assert.ok(before <= time && time <= Date.now(), json.meta.timestamp);
    });

    it('headers that every answer has are on every kind of answer (API-24, API-26)', async () => {
      const { id } = await append(app, await folderOf(app, 'inbox'), rfc822());
      for (const path of ['/v1/users', `/v1/messages/${id}/raw`, '/v1/none', '/healthz', '/metrics']) {
        assertCommonHeaders((await get(path)).headers);
      }
      const group = await app.delete(`/v1/api-keys/${await newKey(app)}`);
      assert.equal(group.status, 204);
      assertCommonHeaders(group.headers);
      assert.equal(group.headers.get('content-type'), null);
    });

    it('headers tell JSON by its exact type (API-3)', async () => {
      for (const path of ['/v1/users', '/v1/none', '/v1/openapi.json']) {
        assert.equal((await get(path)).headers.get('content-type'), 'application/json; charset=utf-8');
      }
    });
  });

  describe('query parameters', () => {
    for (const query of ['__proto__=1', 'constructor=1', 'toString=1', 'Limit=1', '=1', 'limit[]=1']) {
      it(`the query parameter of ?${query} is unknown`, async () => {
        const answer = await get(`/v1/users?${query}`);
        assertRefusal(answer, 'validation_failed');
        assert.equal(answer.json.error.details.errors[0].code, 'unknown_field');
      });
    }
  });

  it('the server shows nothing of what fails within (API-30, API-81)', async (t) => {
    const failure = new Error('select secret from /root/atrium at Object.<anonymous>');
    t.mock.method(app.services.keys, 'listKeys', () => Promise.reject(failure));
    const answer = await get('/v1/api-keys');
    assertRefusal(answer, 'internal');
    assert.deepEqual(answer.json.error, {
      code: 'internal',
      message: 'Something failed inside the server.',
      details: {},
    });
  });
});

function allowOf(operations: readonly Operation[], path: string): string[] {
  const shape = (of: string) => of.replaceAll(/:\w+/g, ':');
  const methods = operations
    .filter((operation) => takes(operation.path, path, shape))
    .map(({ method }) => method);
  return ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].filter(
    (method) => (methods as string[]).includes(method) || (method === 'HEAD' && methods.includes('GET')),
  );
}

/** Whether a request to one declared path also reaches another: /v1/users/me is a user's path too. */
function takes(declared: string, path: string, shape: (of: string) => string): boolean {
  const [left, right] = [shape(declared).split('/'), shape(path).split('/')];
  return left.length === right.length && left.every((word, i) => word === ':' || word === right[i]);
}

function withoutTimes(headers: Headers): Record<string, string> {
  const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(headers);
  return rest;
}

async function newKey(app: TestApp): Promise<string> {
  return (await app.post('/v1/api-keys', { name: 'gone', permissions: ['keys.read'] })).json.data.id;
}
