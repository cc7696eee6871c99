/** Who has read the source attacks sessions, codes and tickets from beside the page: other ports, other users, raw connections. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { data, makeKey, makeUser, makeWorkspace, readPages } from '../areas/accounts.ts';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { NODES } from '../nodes/count.ts';

const SAME = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
const SECRET = /^(atrium-session-\d+=[\w-]{43});/;

function consoleOf(app: TestApp) {
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.request(method, `/console/${path}`, {
      key: null,
      idempotencyKey: null,
      headers: { ...SAME, ...headers },
      ...(body !== undefined && { body }),
    });
  const open = (body: unknown) => ask('POST', 'session', body);
  const cookieOf = async (body: unknown): Promise<string> => {
    const answer = await open(body);
    assert.equal(answer.status, 200, answer.text);
    return SECRET.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? assert.fail();
  };
  const renew = (cookie: string) => ask('POST', 'session/token', {}, { cookie });
  const end = (cookie: string) => ask('DELETE', 'session', undefined, { cookie });
  return { ask, open, cookieOf, renew, end };
}

forEachEngine((engine) => {
  describe('sessions under attack', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const codeFor = async (user: string, key = OWNER_KEY): Promise<string> =>
      data(await app.post(`/v1/users/${user}/sign-in-codes`, undefined, { key }), 201).code;

    it('a cookie that another port or name has planted beside the own signs nobody in (SIGN-27)', async () => {
      const { cookieOf, renew } = consoleOf(app);
      const own = await cookieOf({ key: OWNER_KEY });
      const planted = await cookieOf({ code: await codeFor((await makeUser(app)).id) });
      assert.equal((await renew(`${planted}; ${own}`)).status, 401);
      assert.equal((await renew(`${own}; ${planted}`)).status, 401);
      const [name = ''] = own.split('=');
      const garbage = `${name}=${'x'.repeat(43)}`;
      for (const cookie of [`${garbage}; ${own}`, `${own}; ${garbage}`, `${own}; ${own}`])
        assert.equal((await renew(cookie)).status, 200, cookie);
      const many = Array.from({ length: 5 }, (_, i) => `${name}=${String(i).repeat(43)}`);
      assert.equal((await renew([own, ...many].join('; '))).status, 401);
    });

    it('signing out ends each session whose cookie is sent (SIGN-27)', async () => {
      const { cookieOf, renew, end } = consoleOf(app);
      const cookies = [await cookieOf({ key: OWNER_KEY }), await cookieOf({ key: OWNER_KEY })];
      assert.equal((await end(cookies.join('; '))).status, 204);
      for (const cookie of cookies) assert.equal((await renew(cookie)).status, 401);
    });

    it('who has no session does not wait for the writer, nor keeps it (SIGN-6, SIGN-12)', async () => {
      const { open, renew, end } = consoleOf(app);
      const unknown = `atrium-session-1=${'y'.repeat(43)}`;
      const release = Promise.withResolvers<void>();
      const held = app.services.database.write(() => release.promise);
      try {
        const asked = [
          renew(''),
          renew(unknown),
          end(''),
          end(unknown),
          open({ code: 'c' }),
          open({ key: 'k' }),
        ];
        const answers = await Promise.race([Promise.all(asked), pause(20_000, undefined, { ref: false })]);
        assert.deepEqual(
          answers?.map(({ status }) => status),
          [401, 401, 204, 204, 401, 401],
        );
      } finally {
        release.resolve();
        await held;
      }
    });

    it('a code that a session has made opens nothing once that session has ended (SIGN-17)', async () => {
      const { open, cookieOf, renew, end } = consoleOf(app);
      const cookie = await cookieOf({ key: OWNER_KEY });
      const { token, user } = data(await renew(cookie));
      const code = await codeFor(user.id, token);
      assert.equal((await end(cookie)).status, 204);
      assert.equal((await open({ code })).json.error.code, 'invalid_sign_in_code');
    });

    it('of a code that is used while all that its maker has made is revoked, no session lives on (SIGN-17)', async () => {
      const { open, renew } = consoleOf(app);
      const { id } = await makeUser(app);
      for (let round = 0; round < 10; round++) {
        const maker = await makeKey(app, ['directory.write', 'keys.write']);
        const code = await codeFor(id, maker.key);
        const [opened, revoked] = await Promise.all([
          open({ code }),
          app.delete(`/v1/api-keys/${maker.id}?made_by=true`),
        ]);
        assert.equal(revoked.status, 204);
        const [, cookie = ''] = SECRET.exec(opened.headers.get('set-cookie') ?? '') ?? [];
        assert.equal((await renew(cookie)).status, 401, `round ${round}: ${opened.status}`);
      }
    });

    it('a code of a user who is suspended opens nothing, and is not used up by that (SIGN-15, SIGN-17)', async () => {
      const { open } = consoleOf(app);
      const { id } = await makeUser(app);
      const code = await codeFor(id);
      await app.put(`/v1/users/${id}`, { state: 'suspended' });
      assert.equal((await open({ code })).status, 401);
      await app.put(`/v1/users/${id}`, { state: 'active' });
      assert.equal((await open({ code })).status, 200);
    });

    it('a wait for changes that began before the session ended tells nothing of what comes after (SIGN-14, CHANGE-76)', async () => {
      const { cookieOf, renew, end } = consoleOf(app);
      for (const isSuspended of [false, true]) {
        const { id } = await makeUser(app);
        const cookie = await cookieOf({ code: await codeFor(id) });
        const { token } = data(await renew(cookie));
        const { cursor } = data(await app.get('/v1/changes', { key: token }));
        const types = 'types=user.created';
        const waiting = app.get(`/v1/changes?wait=30&${types}&cursor=${encodeURIComponent(cursor)}`, {
          key: token,
        });
        await pause(500);
        if (isSuspended) await app.put(`/v1/users/${id}`, { state: 'suspended' });
        else await end(cookie);
        // Another node remembers a key for 2 seconds.
        if (NODES > 1) await pause(2_500);
        await makeUser(app);
        assert.equal((await waiting).json.error?.code, 'invalid_api_key');
      }
    });

    it('a token has no more permissions by any door than its session (SIGN-10, SIGN-13)', async () => {
      const { open, cookieOf, renew } = consoleOf(app);
      const { key } = await makeKey(app, ['keys.write', 'contacts.read']);
      const { token } = data(await renew(await cookieOf({ key })));
      const asToken = { key: token };
      const other = await makeUser(app);
      for (const [path, body] of [
        ['/v1/api-keys', { name: 'x', permissions: ['keys.read'] }],
        ['/v1/api-keys', { name: 'x', permissions: ['contacts.read'], user_id: other.id }],
        ['/v1/api-keys', { name: 'x', preset: 'drive' }],
        [`/v1/users/${other.id}/sign-in-codes`, undefined],
      ] as const)
        assert.equal((await app.post(path, body, asToken)).status, 403, path);
      const made = data(await app.post('/v1/api-keys', { name: 'x', preset: 'agent' }, asToken), 201);
      assert.deepEqual(made.permissions, ['contacts.read']);
      assert.equal((await open({ key: token })).json.error.code, 'invalid_api_key');
    });

    it('two headers where one counts are refused (SIGN-4)', async () => {
      const { cookieOf } = consoleOf(app);
      const cookie = await cookieOf({ key: OWNER_KEY });
      const { hostname, port, host, origin } = new URL(app.address);
      const ask = async (...headers: string[]) => {
        const socket = connect(Number(port), hostname);
        const lines = [
          'POST /console/session/token HTTP/1.1',
          `Host: ${host}`,
          `Cookie: ${cookie}`,
          'Content-Length: 0',
          'Connection: close',
          ...headers,
        ];
        socket.write(`${lines.join('\r\n')}\r\n\r\n`);
        return Number((await text(socket)).slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
      };
      const json = 'Content-Type: application/json';
      assert.equal(await ask(json, 'Sec-Fetch-Site: same-origin'), 200);
      assert.equal(await ask(json, `Origin: ${origin}`), 200);
      assert.equal(await ask(json, 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'), 403);
      assert.equal(await ask(json, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Site: same-origin'), 403);
      assert.equal(await ask(json, 'Sec-Fetch-Site:', `Origin: ${origin}`), 403);
      assert.equal(await ask(json, `Origin: ${origin}`, 'Origin: https://evil.example'), 403);
      assert.equal(await ask(json, `Origin: ${origin}/`), 403);
      assert.equal(await ask(json, 'Origin: null'), 403);
      assert.equal(await ask(json), 403);
      const form = 'Content-Type: text/plain; x=application/json';
      assert.equal(await ask(form, 'Sec-Fetch-Site: same-origin'), 415);
      assert.equal(await ask(form, json, 'Sec-Fetch-Site: same-origin'), 415);
    });

    it('headers of a request write nothing into the cookie (SIGN-2)', async () => {
      const { ask } = consoleOf(app);
      for (const prefix of ['/a; Domain=evil.example', '/a/../b', '/a\\b', '//evil', '/%0d%0aX: y']) {
        const headers = { 'x-forwarded-prefix': prefix, 'x-forwarded-proto': 'https;x' };
        const answer = await ask('POST', 'session', { key: OWNER_KEY }, headers);
        assert.match(
          answer.headers.get('set-cookie') ?? '',
          /^atrium-session-\d+=[\w-]{43}; Path=\/console\/session; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
          prefix,
        );
      }
    });
  });

  describe('sessions and the limit of requests', () => {
    it('opening sessions counts as other requests of the user do (SIGN-26)', async () => {
      const app = await startApp(engine, { ATRIUM_RATE_LIMIT: '20' });
      try {
        const { open } = consoleOf(app);
        const answers = [];
        for (let i = 0; i < 50; i++) answers.push(await open({ key: OWNER_KEY }));
        const { 200: opened = [], 429: refused = [] } = Object.groupBy(answers, ({ status }) => status);
        assert.ok(opened.length <= 2 * 20 && refused.length >= 10, `${opened.length} of ${answers.length}`);
        assert.equal(refused[0]?.json.error.code, 'rate_limited');
        assert.ok(Number(refused[0]?.headers.get('retry-after')) > 0);
      } finally {
        await app.stop();
      }
    });
  });

  describe('tickets under attack', () => {
    let app: TestApp;
    let file = '';
    before(async () => {
      app = await startApp(engine);
      const sent = await app.request('POST', '/v1/files?filename=run.js', {
        body: 'alert(1)',
        headers: { 'content-type': 'text/javascript' },
      });
      file = data(sent, 201).id;
    });
    after(() => app.stop());

    const issue = (path: string, key = OWNER_KEY) =>
      app.request('POST', '/console/tickets', { key, idempotencyKey: null, body: { path } });
    const ticketFor = async (path: string, key = OWNER_KEY): Promise<string> =>
      data(await issue(path, key)).url;
    const use = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
      app.request(method, url, { key: null, headers, idempotencyKey: null });

    it('a ticket serves nothing that a browser would run, whatever the file is (SIGN-28)', async () => {
      const url = await ticketFor(`/v1/files/${file}/content`);
      for (const wanted of [
        'script',
        'style',
        'worker',
        'sharedworker',
        'serviceworker',
        'audioworklet',
        'object',
        'embed',
        'xslt',
        'manifest',
        'image, script',
      ]) {
        const answer = await use(url, { 'sec-fetch-dest': wanted });
        assert.deepEqual([answer.status, answer.json.error.details.resource], [404, 'ticket'], wanted);
      }
      const answer = await use(url, { 'sec-fetch-dest': 'document' });
      assert.deepEqual([answer.status, answer.text], [200, 'alert(1)']);
      assert.match(answer.headers.get('content-disposition') ?? '', /^attachment/);
    });

    it('paths that lead elsewhere get no ticket (SIGN-19)', async () => {
      const content = `/v1/files/${file}/content`;
      for (const path of [
        '/v1/../console/session',
        `/v1/../v1/files/${file}/content`,
        '/v1/console/tickets/x',
        `/v1//files/${file}/content`,
        `//evil.example${content}`,
        `http://127.0.0.1${content}`,
        `${content}/`,
        `${content}#?`,
        `${content}?a=\u00e9`,
        `${content} HTTP/1.1`,
        `${content}\r\nX: y`,
        content.toUpperCase(),
        '/v1/openapi.json',
        '/v1/api-keys/me',
        '/v1/changes/stream',
        `/v1/files/${file}`,
      ])
        assert.equal((await issue(path)).status, 400, JSON.stringify(path));
    });

    it('a ticket shows its caller nothing that a key would not, by any path (SIGN-20)', async () => {
      const stranger = await makeWorkspace(app);
      const { id } = await makeUser(app);
      const colleague = await makeKey(app, ['files.read'], { user_id: id });
      for (const key of [stranger.key, colleague.key])
        for (const path of [
          `/v1/files/${file}/content`,
          `/v1/files/${file}%2fcontent/content`,
          `/v1/files/..%2f${file}/content`,
          `/v1/files/${file}%00/content`,
        ]) {
          const answer = await use(await ticketFor(path, key));
          assert.deepEqual([answer.status, answer.json.error.code], [404, 'not_found'], path);
        }
      const odd = await use(await ticketFor(`/v1/files/${file}/content?user_id=x`));
      assert.equal(odd.status, 400);
    });

    it('a ticket is for GET and HEAD, and a Bearer adds nothing to it (SIGN-20)', async () => {
      const url = await ticketFor(`/v1/files/${file}/content`);
      for (const method of ['POST', 'PUT', 'DELETE']) assert.equal((await use(url, {}, method)).status, 405);
      const none = await app.get(`/console/tickets/${'z'.repeat(43)}`);
      assert.equal(none.status, 404);
      assert.equal((await use(url)).status, 200);
      assert.equal((await use(url, { 'if-none-match': '*' })).status, 404);
    });

    it('ranges end at once with the key that the ticket was made with (SIGN-21)', async () => {
      const { id, key } = await makeKey(app, ['files.read']);
      const url = await ticketFor(`/v1/files/${file}/content`, key);
      assert.equal((await use(url, { range: 'bytes=0-1' })).status, 206);
      assert.equal((await app.delete(`/v1/api-keys/${id}`)).status, 204);
      assert.equal((await use(url, { range: 'bytes=0-1' })).status, 404);
      assert.ok(!(await readPages(app, '/v1/api-keys', 100)).some((listed) => listed.id === id));
    });
  });
});
