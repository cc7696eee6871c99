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

    it('a right that depends on the path goes before media type, Idempotency-Key and body', async () => {
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

    it('one answer tells what the schema and what the rules find', async () => {
      const body = { email: 1, name: 'x', time_zone: 'Mars/X', aliases: ['a@b', 'A@b'], surprise: 1 };
      const { status, json } = await app.post('/v1/users', body);
      const pointers = json.error.details.errors.map(({ pointer }: { pointer: string }) => pointer);
      assert.equal(status, 400);
      assert.deepEqual(pointers.sort(), ['/aliases/1', '/email', '/surprise', '/time_zone']);
    });

    it('an id that no storage could hold is looked for and not found, and that answer is kept', async () => {
      const idempotencyKey = randomUUID();
      const attempt = () => app.put('/v1/groups/%00', { name: 'x' }, { idempotencyKey });
      const [first, again] = [await attempt(), await attempt()];
      assert.deepEqual([first.status, first.json.error.details.resource], [404, 'group']);
      assert.equal(again.text, first.text);
      assert.equal((await app.put('/v1/groups/%00', { name: 1 })).status, 400);
      assert.equal((await app.get(`/v1/users/${'y'.repeat(5_000)}`, { key: null })).status, 401);
      assert.equal((await app.get(`/v1/users/${'y'.repeat(5_000)}`)).json.error.details.resource, 'user');
    });

    it('a repeat has the request id of the first answer in header and body', async () => {
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

    it('a query that is not valid percent-encoding is refused', async () => {
      for (const query of ['label=%ff', 'label=%e4x', 'label=%', '%zz=1']) {
        const { status, json } = await app.get(`/v1/messages?${query}`);
        const [problem] = json.error.details.errors;
        assert.deepEqual([status, problem.code], [400, 'wrong_encoding'], query);
      }
    });

    it('a key that has expired since is still what a repeat gives', async (t) => {
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
