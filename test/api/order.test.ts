/** The order of checks, where several things are wrong at once, and what one answer tells of them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { makeUser } from '../areas/accounts.ts';
import { setClockAhead } from '../clock.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';

forEachEngine((engine) => {
  describe('several things wrong at once', () => {
    let app: TestApp;
    let other: string;
    /** Of the owner, without directory.write. */
    let reader: string;
    before(async () => {
      app = await startApp(engine);
      other = (await makeUser(app)).id;
      const body = { name: 'reader', permissions: ['directory.read', 'keys.read'] };
      reader = (await app.post('/v1/api-keys', body)).json.data.key;
    });
    after(() => app.stop());

    it('a right that depends on the path goes before media type, Idempotency-Key and body (API-84)', async () => {
      const path = `/v1/users/${other}`;
      const attempts = [
        { body: 'x', headers: { 'content-type': 'text/plain' } },
        { body: { time_zone: 'UTC' }, idempotencyKey: null },
        { body: { surprise: 1 } },
      ];
      for (const options of attempts) {
        const { status, json } = await app.request('PUT', path, { ...options, key: reader });
        assert.deepEqual([status, json.error.details], [403, { missing_permission: 'directory.write' }]);
      }
      const listed = await app.get(`/v1/api-keys?user_id=${other}&limit=0`, { key: reader });
      assert.equal(listed.json.error.code, 'insufficient_scope');
    });

    it('one answer tells what the schema and what the rules find (API-31)', async () => {
      const body = { email: 1, name: 'x', time_zone: 'Mars/X', aliases: ['a@b', 'A@b'], surprise: 1 };
      const { status, json } = await app.post('/v1/users', body);
      const pointers = json.error.details.errors.map(({ pointer }: { pointer: string }) => pointer);
      assert.equal(status, 400);
      assert.deepEqual(pointers.sort(), ['/aliases/1', '/email', '/surprise', '/time_zone']);
    });

    it('one answer tells the problems of body, path and query (API-31)', async () => {
      const path = '/v1/spreadsheets/sht_none/values/nowhere?surprise=1';
      const { status, json } = await app.put(path, { values: 5 });
      const places = json.error.details.errors.map(
        ({ pointer, parameter }: { pointer?: string; parameter?: string }) => pointer ?? parameter,
      );
      assert.deepEqual([status, places.sort()], [400, ['/values', 'range', 'surprise']]);
      for (const { code, message } of json.error.details.errors) assert.ok(code && message);
    });

    it('the first of the checks that fails is told: route, key, permission, media type, key of the write, body, object, state (API-84)', async () => {
      const all = {
        key: 'nobody',
        body: 'x',
        headers: { 'content-type': 'text/plain' },
        idempotencyKey: null,
      };
      const code = async (method: string, path: string, options: object) =>
        (await app.request(method, path, options)).json.error.code;
      const group = '/v1/groups/grp_none';
      const markdown = { 'content-type': 'text/markdown' };
      const [document, text] = ['/v1/documents/doc_none/content', { body: 'x', headers: markdown }];
      const { id } = (await app.post('/v1/documents', { type: 'document', title: 'T' })).json.data;
      const steps: [method: string, path: string, options: object, code: string][] = [
        ['PUT', '/v1/nothing', all, 'not_found'],
        ['PATCH', group, all, 'method_not_allowed'],
        ['PUT', group, all, 'invalid_api_key'],
        ['PUT', group, { ...all, key: reader }, 'insufficient_scope'],
        ['PUT', group, { ...all, key: undefined }, 'unsupported_media_type'],
        ['PUT', group, { body: { name: 'x'.repeat(10_000_000) }, idempotencyKey: null }, 'payload_too_large'],
        ['PUT', group, { body: { name: 5 }, idempotencyKey: null }, 'idempotency_key_required'],
        ['PUT', group, { body: { name: 5 }, idempotencyKey: 'a b' }, 'invalid_idempotency_key'],
        ['PUT', group, { body: { name: 5 } }, 'validation_failed'],
        ['PUT', group, { body: { name: 'x' } }, 'not_found'],
        ['PUT', document, text, 'not_found'],
        ['PUT', `/v1/documents/${id}/content`, text, 'precondition_required'],
      ];
      for (const [method, path, options, expected] of steps)
        assert.equal(await code(method, path, options), expected);
    });

    it('an id that no storage could hold is looked for and not found, and that answer is kept (API-18)', async () => {
      const idempotencyKey = randomUUID();
      const attempt = () => app.put('/v1/groups/%00', { name: 'x' }, { idempotencyKey });
      const [first, again] = [await attempt(), await attempt()];
      assert.deepEqual([first.status, first.json.error.details.resource], [404, 'group']);
      assert.equal(again.text, first.text);
      assert.equal((await app.put('/v1/groups/%00', { name: 1 })).status, 400);
      assert.equal((await app.get(`/v1/users/${'y'.repeat(5_000)}`, { key: null })).status, 401);
      assert.equal((await app.get(`/v1/users/${'y'.repeat(5_000)}`)).json.error.details.resource, 'user');
    });

    it('a repeat has the request id of the first answer in header and body (API-128)', async () => {
      const idempotencyKey = randomUUID();
      for (const path of ['/v1/groups', '/v1/groups/unknown']) {
        const send = () =>
          app.request(path === '/v1/groups' ? 'POST' : 'PUT', path, {
            body: GROUP,
            idempotencyKey: `${idempotencyKey}${path.length}`,
          });
        await send();
        const { headers, json } = await send();
        assert.equal(headers.get('idempotency-replayed'), 'true');
        assert.equal(headers.get('x-request-id'), json.meta.request_id);
      }
    });

    it('a query that is not valid percent-encoding is refused (API-11)', async () => {
      for (const query of ['label=%ff', 'label=%e4x', 'label=%', '%zz=1']) {
        const { status, json } = await app.get(`/v1/messages?${query}`);
        const [problem] = json.error.details.errors;
        assert.deepEqual([status, problem.code], [400, 'wrong_encoding'], query);
      }
    });

    it('a key that has expired since is still what a repeat gives (API-84)', async (t) => {
      const idempotencyKey = randomUUID();
      const lifeMs = 3_600_000;
      const body = {
        name: 'short',
        permissions: ['files.read'],
        expires_at: new Date(Date.now() + lifeMs).toISOString(),
      };
      const first = await app.post('/v1/api-keys', body, { idempotencyKey });
      setClockAhead(t, lifeMs);
      assert.equal((await app.post('/v1/api-keys', body, { idempotencyKey })).text, first.text);
      assert.equal((await app.post('/v1/api-keys', body)).status, 400);
    });
  });
});

const GROUP = { name: 'Team', member_ids: [] };
