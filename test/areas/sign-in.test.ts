/** Sessions of browsers, the codes that open them, and tickets, through the HTTP door and the command line. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../src/platform/ids.ts';
import { letTimePass, setClockAhead } from '../clock.ts';
import { atriumJson } from '../command-line.ts';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { atOnce } from '../nodes/at-once.ts';
import { data, makeKey, makeUser, readPages } from './accounts.ts';
import { changesOf } from './changes-feed.ts';

const SAME = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
const COOKIE =
  /^(atrium-session-\d+)=([\w-]{43}); Path=\/console\/session; Max-Age=(\d+); HttpOnly; SameSite=Strict$/;
const TEN_MINUTES_MS = 600_000;
const HOUR_MS = 3_600_000;
const ALL_DATA = 'data meta';

forEachEngine((engine) => {
  let app: TestApp;
  before(async () => {
    app = await startApp(engine);
  });
  after(() => app.stop());

  const console_ = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.request(method, `/console/${path}`, {
      key: null,
      idempotencyKey: null,
      headers: { ...SAME, ...headers },
      ...(body !== undefined && { body }),
    });
  const open = (body: unknown) => console_('POST', 'session', body);
  async function openedWith(body: unknown): Promise<string> {
    const answer = await open(body);
    assert.equal(answer.status, 200, answer.text);
    return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  }
  const renewed = (cookie: string) => console_('POST', 'session/token', {}, { cookie });
  const tokenOf = async (cookie: string): Promise<string> => data(await renewed(cookie)).token;
  const codeFor = async (user: string): Promise<string> =>
    data(await app.post(`/v1/users/${user}/sign-in-codes`), 201).code;
  const me = async () => data(await app.get('/v1/users/me'));
  const statusOf = async (key: string) => (await app.get('/v1/api-keys/me', { key })).status;
  const assertStops = (key: string) => atOnce(async () => (await statusOf(key)) === 401, 'the token stops');

  describe('a session', () => {
    it('a session is opened with a key by a cookie of 30 days that no script reads (SIGN-1, SIGN-2, SIGN-5)', async () => {
      const answer = await open({ key: OWNER_KEY });
      assert.equal(answer.status, 200);
      assert.equal(Object.keys(answer.json).join(' '), ALL_DATA);
      const [, name, value = '', age] = COOKIE.exec(answer.headers.get('set-cookie') ?? '') ?? assert.fail();
      assert.equal(name, `atrium-session-${new URL(app.address).port}`);
      assert.equal(age, '2592000');
      assert.deepEqual(answer.json.data.user, await me());
      assert.ok(!answer.text.includes(value));
      const rows = await app.services.database.read((tx) => tx.selectFrom('sessions').selectAll().execute());
      assert.ok(!JSON.stringify(rows).includes(value));
      assert.ok(rows.some((row) => row.cookie_hash === createHash('sha256').update(value).digest('hex')));
      assert.equal(await statusOf(value), 401);
    });

    it('the cookie is Secure behind TLS, and its path lies below that of a proxy (SIGN-2)', async () => {
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/office', host: 'a.example' };
      const answer = await console_('POST', 'session', { key: OWNER_KEY }, headers);
      const cookie = answer.headers.get('set-cookie') ?? '';
      assert.match(cookie, /Path=\/office\/console\/session; .*; Secure$/);
    });

    it('a token is a Bearer for ten minutes with what the session may do; older tokens live on (SIGN-6, SIGN-7)', async (t) => {
      const cookie = await openedWith({ key: OWNER_KEY });
      const first = data(await renewed(cookie));
      const members = ['expires_at', 'idempotency_ttl', 'permissions', 'token', 'user'];
      assert.deepEqual(Object.keys(first).sort(), members);
      assert.equal(first.idempotency_ttl, app.config.idempotencyTtlSeconds);
      const lasts = Date.parse(first.expires_at) - Date.now();
      assert.ok(lasts > TEN_MINUTES_MS - 60_000 && lasts <= TEN_MINUTES_MS + 5_000, `${lasts}`);
      const second = await tokenOf(cookie);
      for (const key of [first.token, second]) assert.equal(await statusOf(key), 200);
      const own = data(await app.get('/v1/api-keys/me', { key: second }));
      assert.deepEqual([own.permissions, own.user_id], [first.permissions, first.user.id]);
      await letTimePass(app.services, TEN_MINUTES_MS);
      setClockAhead(t, 5_000);
      for (const key of [first.token, second]) assert.equal(await statusOf(key), 401);
      assert.equal(await statusOf(await tokenOf(cookie)), 200);
    });

    it('a session has one key id through all tokens: a retry after a renewal is the same write (SIGN-8, SIGN-9)', async () => {
      const cookie = await openedWith({ key: OWNER_KEY });
      const [first, second] = [await tokenOf(cookie), await tokenOf(cookie)];
      const ids: string[] = [];
      for (const key of [first, second]) ids.push(data(await app.get('/v1/api-keys/me', { key })).id);
      assert.equal(ids[0], ids[1]);
      const listed = (await readPages(app, '/v1/api-keys', 100)).find(({ id }) => id === ids[0]);
      assert.equal(listed.kind, 'session');
      for (const [path, body] of [
        ['/v1/folders', { name: randomUUID() }],
        ['/v1/api-keys', { name: 'secret answer', permissions: ['files.read'] }],
      ] as const) {
        const idempotencyKey = randomUUID();
        const made = await app.post(path, body, { key: first, idempotencyKey });
        const again = await app.post(path, body, { key: second, idempotencyKey });
        assert.deepEqual([made.status, again.status, again.text], [201, 201, made.text]);
        assert.equal(again.headers.get('idempotency-replayed'), 'true');
      }
    });

    it('a session never exceeds the key that opened it, and ends with it (SIGN-10, SIGN-11)', async () => {
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      const key = await makeKey(app, ['files.read', 'keys.write'], { expires_at });
      const answer = await open({ key: key.key });
      assert.deepEqual(answer.json.data.permissions, ['files.read', 'keys.write']);
      assert.equal(answer.json.data.expires_at, expires_at);
      const cookie = (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
      const token = await tokenOf(cookie);
      assert.equal((await app.get('/v1/users', { key: token })).status, 403);
      const more = await app.post('/v1/api-keys', { name: 'x', permissions: ['keys.read'] }, { key: token });
      assert.equal(more.status, 403);
      assert.equal((await app.delete(`/v1/api-keys/${key.id}`)).status, 204);
      await assertStops(token);
      assert.equal((await renewed(cookie)).status, 401);
    });

    it('a session is revoked like any key (SIGN-8)', async () => {
      const cookie = await openedWith({ key: OWNER_KEY });
      const token = await tokenOf(cookie);
      const { id } = data(await app.get('/v1/api-keys/me', { key: token }));
      assert.equal((await app.delete(`/v1/api-keys/${id}`)).status, 204);
      await assertStops(token);
      assert.equal((await renewed(cookie)).status, 401);
    });

    it('signing out ends the session and its tokens, and takes the cookie away (SIGN-12)', async () => {
      const cookie = await openedWith({ key: OWNER_KEY });
      const tokens = [await tokenOf(cookie), await tokenOf(cookie)];
      const answer = await console_('DELETE', 'session', undefined, { cookie });
      assert.deepEqual([answer.status, answer.text], [204, '']);
      assert.match(answer.headers.get('set-cookie') ?? '', /=; Path=\/console\/session; Max-Age=0;/);
      for (const token of tokens) await assertStops(token);
      assert.equal((await renewed(cookie)).status, 401);
      assert.equal((await console_('DELETE', 'session', undefined, { cookie })).status, 204);
    });

    it('a token and a cookie open no session (SIGN-13)', async () => {
      const cookie = await openedWith({ key: OWNER_KEY });
      for (const key of [await tokenOf(cookie), cookie.split('=')[1]])
        assert.equal((await open({ key })).status, 401);
    });

    it('an open tab of a suspended user ends, on every node (SIGN-14)', async () => {
      const { id } = await makeUser(app);
      const cookie = await openedWith({ code: await codeFor(id) });
      const token = await tokenOf(cookie);
      assert.equal(await statusOf(token), 200);
      await app.put(`/v1/users/${id}`, { state: 'suspended' });
      await assertStops(token);
      assert.equal((await renewed(cookie)).status, 401);
    });

    it('atrium verify finds nothing wrong with sessions, codes and tickets (SIGN-8)', async () => {
      await openedWith({ key: OWNER_KEY });
      assert.deepEqual((await atriumJson(app, 'verify')).problems, []);
    });

    it('a session that has ended is removed from the list of keys, and told, unless it has made keys (SIGN-31)', async () => {
      const { id, email } = await makeUser(app);
      const { keys, database } = app.services;
      const listed = async (): Promise<string[]> => {
        const rows = await database.read((tx) =>
          tx.selectFrom('api_keys').select('id').where('user_id', '=', id).orderBy('id').execute(),
        );
        return rows.map((row) => row.id);
      };
      const sessionOf = async () => {
        const cookie = await openedWith({ code: await codeFor(id) });
        const token = await tokenOf(cookie);
        return { cookie, token, id: data(await app.get('/v1/api-keys/me', { key: token })).id as string };
      };
      const sweep = (after: number) =>
        database.write(async (tx) => keys.signIn.forgetSessions(tx, (await tx.now()) + after, 500));
      const [one, two, maker, live] = [
        await sessionOf(),
        await sessionOf(),
        await sessionOf(),
        await sessionOf(),
      ];
      const made = await makeKey(app, ['files.read'], {}, { key: maker.token });
      for (const { cookie } of [one, maker])
        assert.equal((await console_('DELETE', 'session', {}, { cookie })).status, 204);
      await sweep(0);
      assert.deepEqual(await listed(), [one.id, two.id, maker.id, live.id, made.id]);
      await sweep(HOUR_MS + 60_000);
      assert.deepEqual(await listed(), [two.id, maker.id, live.id, made.id], email);
      const seen = await changesOf(app, undefined, () => sweep(31 * 24 * HOUR_MS));
      assert.deepEqual(await listed(), [maker.id, made.id]);
      const told = seen.filter(({ ids }) => [one.id, two.id, live.id].includes(ids.key_id));
      assert.deepEqual(
        told.map(({ type, ids }) => [type, ids.key_id]),
        [two.id, live.id].map((key) => ['api_key.revoked', key]),
      );
      assert.deepEqual((await atriumJson(app, 'verify')).problems, []);
    });

    it('of more than a thousand sessions of a user the oldest end (SIGN-32)', async () => {
      const { id } = await makeUser(app);
      const first = await openedWith({ code: await codeFor(id) });
      const second = await openedWith({ code: await codeFor(id) });
      const tokens = [await tokenOf(first), await tokenOf(second)];
      await addSessions(id, 999);
      assert.equal((await renewed(first)).status, 200);
      await openedWith({ code: await codeFor(id) });
      for (const cookie of [first, second]) assert.equal((await renewed(cookie)).status, 401);
      for (const token of tokens) await assertStops(token);
      const live = await app.services.database.read((tx) =>
        tx
          .selectFrom('api_keys')
          .select('id')
          .where('user_id', '=', id)
          .where('revoked_at', 'is', null)
          .execute(),
      );
      assert.equal(live.length, 1_000);
    });

    /** Sessions as they are stored, newer than those that there are. */
    const addSessions = (userId: string, count: number) =>
      app.services.database.write(async (tx) => {
        const row = await tx
          .selectFrom('api_keys')
          .selectAll()
          .where('user_id', '=', userId)
          .limit(1)
          .executeTakeFirstOrThrow();
        const rows = Array.from({ length: count }, () => {
          const key = newId('key');
          return { ...row, id: key, secret_hash: `session ${key}` };
        });
        for (let i = 0; i < rows.length; i += 100) {
          const some = rows.slice(i, i + 100);
          await tx.insertInto('api_keys').values(some).execute();
          const sessions = some.map(({ workspace_id, id: key_id }) => ({
            workspace_id,
            key_id,
            cookie_hash: key_id,
            ends_with_maker: 0,
          }));
          await tx.insertInto('sessions').values(sessions).execute();
        }
      });

    it('/v1 never looks at a cookie (SIGN-3)', async () => {
      const cookie = await openedWith({ key: OWNER_KEY });
      const answer = await app.get('/v1/api-keys/me', { key: null, headers: { cookie, ...SAME } });
      assert.equal(answer.status, 401);
    });
  });

  describe('what the routes of sessions refuse', () => {
    const ROUTES = [
      ['POST', 'session', { key: OWNER_KEY }],
      ['POST', 'session/token', {}],
      ['DELETE', 'session', undefined],
    ] as const;

    it('foreign sites are refused with 403, another type with 415, another method with 405 (SIGN-4)', async () => {
      const cookie = await openedWith({ key: OWNER_KEY });
      const origin = app.address;
      for (const [method, path, body] of ROUTES) {
        const ask = (headers: Record<string, string>, sent: unknown = body) =>
          app.request(method, `/console/${path}`, {
            key: null,
            idempotencyKey: null,
            headers: { 'content-type': 'application/json', cookie, ...headers },
            ...(sent !== undefined && { body: sent }),
          });
        for (const headers of [
          {},
          { 'sec-fetch-site': 'cross-site' },
          { 'sec-fetch-site': 'same-site' },
          { 'sec-fetch-site': 'none' },
          { 'sec-fetch-site': 'cross-site', origin },
          { origin: 'https://evil.example' },
          { origin: 'null' },
          { origin: `${origin}0` },
        ]) {
          const refused = await ask(headers as Record<string, string>);
          assert.deepEqual([refused.status, refused.json.error.code], [403, 'foreign_site']);
        }
        for (const type of ['text/plain', 'application/x-www-form-urlencoded', ''])
          assert.equal((await ask({ ...SAME, 'content-type': type })).status, 415, `${path} ${type}`);
        assert.equal(await statusOf(await tokenOf(cookie)), 200);
      }
      for (const [method, path, allow] of [
        ['GET', 'session', 'POST, DELETE'],
        ['PUT', 'session', 'POST, DELETE'],
        ['GET', 'session/token', 'POST'],
        ['GET', 'tickets', 'POST'],
      ] as const) {
        const answer = await console_(method, path);
        assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow]);
      }
    });

    it('the own Origin is enough where a client sends no Sec-Fetch-Site (SIGN-4)', async () => {
      const answer = await app.post(
        '/console/session',
        { key: OWNER_KEY },
        {
          key: null,
          headers: { origin: app.address },
        },
      );
      assert.equal(answer.status, 200);
    });

    it('a body that is none of a code and a key is refused in the one shape (SIGN-1)', async () => {
      for (const body of [{}, { code: 'a', key: 'b' }, { key: 1 }, { code: '' }, { key: 'a', more: 1 }, []])
        assert.equal((await open(body)).json.error.code, 'validation_failed', JSON.stringify(body));
      assert.equal((await open('{')).json.error.code, 'invalid_json');
      assert.equal((await open({ code: 'x'.repeat(70_000) })).status, 413);
      assert.equal((await open({ code: 'nobody-made-it' })).json.error.code, 'invalid_sign_in_code');
      assert.equal((await open({ key: 'atr_nobody' })).json.error.code, 'invalid_api_key');
      assert.equal((await renewed('')).json.error.code, 'unauthenticated');
      assert.equal((await renewed(`atrium-session-1=${'x'.repeat(43)}`)).status, 401);
    });
  });

  describe('a sign-in code', () => {
    it('a code is made for a colleague, opens one session and is stored as its SHA-256 (SIGN-15, SIGN-16)', async () => {
      const { id } = await makeUser(app);
      const answer = await app.post(`/v1/users/${id}/sign-in-codes`);
      assert.equal(answer.status, 201);
      const { code, url, expires_at } = data(answer, 201);
      assert.equal(url, `${app.address}/#sign-in=${code}`);
      assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - TEN_MINUTES_MS) < 60_000);
      const rows = await app.services.database.read((tx) =>
        tx.selectFrom('sign_in_codes').selectAll().execute(),
      );
      assert.ok(!JSON.stringify(rows).includes(code));
      const opened = await open({ code });
      assert.equal(opened.json.data.user.id, id);
      assert.equal((await open({ code })).status, 401);
    });

    it('of fifty clients who use one code at once, one opens a session (SIGN-15)', async () => {
      const { id } = await makeUser(app);
      const code = await codeFor(id);
      const answers = await Promise.all(Array.from({ length: 50 }, () => open({ code })));
      const tally = Object.groupBy(answers, ({ status }) => String(status));
      assert.deepEqual([tally['200']?.length, tally['401']?.length], [1, 49]);
      const sessions = (await readPages(app, `/v1/api-keys?user_id=${id}`, 100)).filter(
        ({ kind }) => kind === 'session',
      );
      assert.equal(sessions.length, 1);
    });

    it('a code ends after ten minutes, and with the key that made it (SIGN-15, SIGN-17)', async () => {
      const { id } = await makeUser(app);
      const late = await codeFor(id);
      await letTimePass(app.services, TEN_MINUTES_MS);
      assert.equal((await open({ code: late })).json.error.code, 'invalid_sign_in_code');
      const maker = await makeKey(app, ['directory.write', 'keys.write']);
      const made = await app.post(`/v1/users/${id}/sign-in-codes`, undefined, { key: maker.key });
      await app.delete(`/v1/api-keys/${maker.id}`);
      assert.equal((await open({ code: data(made, 201).code })).status, 401);
    });

    it('a session of a code can do what the maker of the code can, and outlives neither (SIGN-17)', async () => {
      const { id } = await makeUser(app);
      const maker = await makeKey(app, ['directory.write', 'keys.write']);
      const made = await app.post(`/v1/users/${id}/sign-in-codes`, undefined, { key: maker.key });
      const { permissions } = (await open({ code: data(made, 201).code })).json.data;
      assert.deepEqual(permissions, ['directory.write', 'keys.write']);
    });

    it('a code needs both permissions and a user (SIGN-16)', async () => {
      const { id } = await makeUser(app);
      for (const held of ['directory.write', 'keys.write'] as const) {
        const { key } = await makeKey(app, [held]);
        assert.equal((await app.post(`/v1/users/${id}/sign-in-codes`, undefined, { key })).status, 403);
      }
      assert.equal((await app.post('/v1/users/usr_x/sign-in-codes')).status, 404);
    });

    it('atrium sign-in makes a link that opens a session with every permission (SIGN-18)', async () => {
      const { code, url } = await atriumJson(app, 'sign-in', 'owner@localhost');
      assert.equal(url, `http://localhost:8080/#sign-in=${code}`);
      const { permissions, user } = (await open({ code })).json.data;
      assert.deepEqual([permissions.length, user.email], [25, 'owner@localhost']);
    });
  });

  describe('a ticket', () => {
    const LETTER =
      'From: a@b.example\r\nSubject: x\r\nContent-Type: text/html\r\n\r\n<p>Hello</p><script>alert(1)</script>\r\n';
    const BODY = `${'0123456789'.repeat(10)}`;
    let file = '';
    let message = '';
    before(async () => {
      const sent = await app.request('POST', '/v1/files?filename=a.txt', {
        body: BODY,
        headers: { 'content-type': 'text/plain' },
      });
      file = `/v1/files/${data(sent, 201).id}/content`;
      const { id } = data(await app.get('/v1/folders')).find(
        ({ role }: { role: string }) => role === 'inbox',
      );
      const appended = await app.request('POST', `/v1/folders/${id}/messages`, {
        body: LETTER,
        headers: { 'content-type': 'message/rfc822' },
      });
      message = data(appended, 201).id;
    });

    const issue = (path: unknown, key = OWNER_KEY, headers = {}) =>
      app.request('POST', '/console/tickets', { key, idempotencyKey: null, body: { path }, headers });
    const ticketFor = async (path: string, key = OWNER_KEY): Promise<string> =>
      `/console/tickets/${data(await issue(path, key)).ticket}`;
    const use = (ticket: string, headers: Record<string, string> = {}) =>
      app.get(ticket, { key: null, headers });

    it('a ticket serves one GET of its path with the protective headers of the answer (SIGN-19, SIGN-20)', async () => {
      const answer = await issue(file);
      assert.equal(Object.keys(answer.json).join(' '), ALL_DATA);
      const ticket = `/console/tickets/${answer.json.data.ticket}`;
      const looked = await app.request('HEAD', ticket, { key: null });
      assert.deepEqual([looked.status, looked.headers.get('content-length')], [200, '100']);
      const served = await use(ticket);
      assert.deepEqual([served.status, served.text], [200, BODY]);
      const direct = await app.get(file);
      for (const name of ['content-security-policy', 'content-disposition', 'x-content-type-options', 'etag'])
        assert.equal(served.headers.get(name), direct.headers.get(name), name);
      assert.equal((await use(ticket)).status, 404);
    });

    it('of many GETs at once one is served (SIGN-20)', async () => {
      const ticket = await ticketFor(file);
      const answers = await Promise.all(Array.from({ length: 20 }, () => use(ticket)));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    });

    it('a ticket begins within 60 seconds, and serves ranges for an hour after that (SIGN-20)', async () => {
      const late = await ticketFor(file);
      const ticket = await ticketFor(file);
      assert.equal((await use(ticket, { range: 'bytes=0-' })).status, 206);
      await letTimePass(app.services, 60_000);
      assert.equal((await use(late)).status, 404);
      assert.equal((await use(late, { range: 'bytes=0-1' })).status, 404);
      const part = await use(ticket, { range: 'bytes=3-5' });
      assert.deepEqual([part.status, part.text], [206, '345']);
      await letTimePass(app.services, 3_600_000);
      assert.equal((await use(ticket, { range: 'bytes=3-5' })).status, 404);
    });

    it('a ticket dies with its session and its user (SIGN-21)', async () => {
      const { id } = await makeUser(app);
      const cookie = await openedWith({ code: await codeFor(id) });
      const html = `/v1/messages/${message}/html`;
      const token = await tokenOf(cookie);
      const [first, second] = [await ticketFor(html, token), await ticketFor(html, token)];
      assert.equal((await use(first)).json.error.details.resource, 'message');
      await console_('DELETE', 'session', undefined, { cookie });
      assert.equal((await use(second)).json.error.details.resource, 'ticket');
      const other = await tokenOf(await openedWith({ code: await codeFor(id) }));
      const third = await ticketFor(html, other);
      await app.put(`/v1/users/${id}`, { state: 'suspended' });
      assert.equal((await use(third)).json.error.details.resource, 'ticket');
    });

    it('a ticket is refused for what is no content, without permission, and when it is changed (SIGN-19, SIGN-21)', async () => {
      for (const path of ['/v1/users', '/v1/nothing', '/docs', `${file}#x`, 'x', '', 1, '/v1/changes', ' '])
        assert.equal((await issue(path)).status, 400, String(path));
      const { key } = await makeKey(app, ['contacts.read']);
      assert.equal((await issue(file, key)).status, 403);
      assert.equal((await issue(file, 'atr_nobody')).status, 401);
      assert.equal((await issue(file, OWNER_KEY, { 'content-type': 'text/plain' })).status, 415);
      assert.equal((await issue(file, OWNER_KEY, { 'sec-fetch-site': 'cross-site' })).status, 403);
      const ticket = await ticketFor(file);
      assert.equal((await use(`${ticket.slice(0, -1)}${ticket.endsWith('A') ? 'B' : 'A'}`)).status, 404);
      assert.equal((await use(ticket)).status, 200);
    });

    it('the letter comes by ticket with its own policy (SIGN-20, SIGN-22)', async () => {
      const served = await use(await ticketFor(`/v1/messages/${message}/html?images=none`));
      assert.equal(served.status, 200);
      assert.match(served.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src/);
      assert.ok(served.text.includes('<p>Hello</p>') && !served.text.includes('alert'));
    });
  });

  describe('a preset', () => {
    const created = (body: object, key = OWNER_KEY) =>
      app.post('/v1/api-keys', { name: 'p', ...body }, { key });

    it('a preset grants those of its permissions that the caller has (SIGN-23)', async () => {
      const agent = data(await created({ preset: 'agent' }), 201).permissions;
      const withheld = [
        'mail.messages.send',
        'files.share',
        'keys.write',
        'directory.write',
        'webhooks.write',
      ];
      assert.equal(agent.length, 20);
      for (const permission of withheld) assert.ok(!agent.includes(permission));
      const kinds = async (preset: string) => [
        ...new Set(
          data(await created({ preset }), 201).permissions.map((name: string) => name.split('.')[0]),
        ),
      ];
      assert.deepEqual(await kinds('mail'), ['mail']);
      assert.deepEqual(await kinds('drive'), ['files', 'docs', 'sheets']);
      const reading = data(await created({ preset: 'read-only' }), 201).permissions;
      assert.ok(reading.every((name: string) => name.endsWith('.read')) && reading.length === 11);
      const { key } = await makeKey(app, ['keys.write', 'files.read']);
      assert.deepEqual(data(await created({ preset: 'drive' }, key), 201).permissions, ['files.read']);
      assert.equal((await created({ preset: 'mail' }, key)).status, 403);
    });

    it('a preset is refused beside permissions, and one of the two is needed (SIGN-23)', async () => {
      for (const body of [
        {},
        { preset: 'root' },
        { preset: 'agent', permissions: ['files.read'] },
        { preset: null },
      ])
        assert.equal((await created(body)).status, 400, JSON.stringify(body));
    });
  });
});
