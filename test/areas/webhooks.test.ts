/** Webhooks as their owner sees them, and deliveries as a receiver does. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { leaseWebhook } from '../../src/areas/changes/webhooks/delivery-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { startNode } from '../api/nodes.ts';
import { letTimePass } from '../clock.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { type RequestOptions, startApp, type TestApp } from '../harness.ts';
import { NODES } from '../nodes/count.ts';
import { data, makeKey, makeUser } from './accounts.ts';
import { settled } from './changes-feed.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
/** Longer than each of the waits between two tries. */
const LONGEST_WAIT_MS = 27 * HOUR_MS;
const TYPES = ['message.*'];

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Data = any;

forEachEngine((engine) => {
  describe('webhooks', () => {
    let app: TestApp;
    let receiver: Receiver;
    let inbox: string;
    before(async () => {
      app = await startApp(engine, { ATRIUM_WEBHOOK_ALLOW: '127.0.0.1' });
      inbox = (await app.get('/v1/folders')).json.data[0].id;
    });
    after(() => app.stop());
    beforeEach(async () => {
      receiver = await startReceiver();
    });
    afterEach(async () => {
      for (const { id } of data(await app.get('/v1/webhooks?limit=100')))
        await app.delete(`/v1/webhooks/${id}`);
      await receiver.stop();
    });

    /** Follows from where everything that was written before can be read, so that none of it is delivered. */
    const create = async (fields: object = {}, options: RequestOptions = {}): Promise<Data> => {
      await settled(app);
      return data(
        await app.post('/v1/webhooks', { url: receiver.url, types: TYPES, ...fields }, options),
        201,
      );
    };
    const get = async (id: string): Promise<Data> => data(await app.get(`/v1/webhooks/${id}`));
    const attempts = async (id: string): Promise<Data[]> =>
      data(await app.get(`/v1/webhooks/${id}/attempts`));
    const dead = async (id: string): Promise<Data[]> => data(await app.get(`/v1/webhooks/${id}/dead`));
    const addMessage = async (): Promise<string> => {
      const headers = { 'content-type': 'message/rfc822' };
      const raw = 'From: Ada <ada@example.org>\r\nSubject: Hello\r\n\r\nFirst light.\r\n';
      return data(await app.post(`/v1/folders/${inbox}/messages`, raw, { headers }), 201).id;
    };
    /** A change of a message. */
    const star = async (id: string) => {
      const change = { message_ids: [id], op: 'add', flags: ['starred'] };
      data(await app.post(`/v1/folders/${inbox}/messages/flags`, change));
    };
    /** So many messages, each of which can be starred. */
    const addMessages = async (count: number): Promise<string[]> => {
      const ids: string[] = [];
      for (let i = 0; i < count; i++) ids.push(await addMessage());
      return ids;
    };
    const starred = ({ received }: Receiver): string[] =>
      received
        .filter(({ event }) => event.type === 'message.changed')
        .map(({ event }) => event.data.ids.message_ids[0]);
    const passes = (ms: number) => letTimePass(app.services, ms);
    /** Lets each wait pass as long as it is, until a condition holds. */
    const inTime = async (id: string, holds: () => boolean | Promise<boolean>, what: string) => {
      let tries = 0;
      await eventually(async () => {
        if (await holds()) return true;
        const { attempts_made: made, next_attempt_at: at } = await rowOf(id);
        if (made > tries) await passes(at - (await app.services.database.read((tx) => tx.now())) + SECOND_MS);
        tries = made;
        return false;
      }, what);
    };
    const rowOf = (id: string) =>
      app.services.database.read((tx) =>
        tx.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      );
    const setRow = (id: string, columns: object) =>
      app.services.database.write((tx) =>
        tx.updateTable('webhooks').set(columns).where('id', '=', id).execute(),
      );

    /** A dead delivery as time and an endpoint make one. */
    const bury = async (webhook: string, type: string): Promise<string> => {
      const { workspace_id } = await rowOf(webhook);
      const id = newId('whd');
      const change = { id: newId('chg'), type, at: new Date().toISOString(), actor: null, ids: {} };
      const refused = {
        at: Date.now(),
        status: 400,
        error: 'The endpoint has answered 400.',
        redelivering: 0,
      };
      await app.services.database.write((tx) =>
        tx
          .insertInto('webhook_dead_deliveries')
          .values({ workspace_id, webhook_id: webhook, id, change: JSON.stringify(change), ...refused })
          .execute(),
      );
      return id;
    };

    describe('as records', () => {
      test('are created with a secret that is shown once (CHANGE-50, CHANGE-52)', async () => {
        const { secret, ...webhook } = await create({ name: 'Index' });
        assert.match(secret, /^whsec_[A-Za-z0-9+/]+={0,2}$/);
        const { length } = Buffer.from(secret.slice('whsec_'.length), 'base64');
        assert.ok(length >= 24 && length <= 32);
        assert.match(webhook.id, /^whk_/);
        const { id, created_at, updated_at, ...rest } = webhook;
        assert.equal(created_at, updated_at);
        assert.deepEqual(rest, {
          name: 'Index',
          url: receiver.url,
          types: TYPES,
          state: 'active',
          disabled_reason: null,
          lag_seconds: 0,
          last_delivered_at: null,
        });
        assert.deepEqual(await get(id), webhook);
        for (const answer of [
          await app.get('/v1/webhooks'),
          await app.put(`/v1/webhooks/${id}`, { name: 'N' }),
        ])
          assert.ok(!answer.text.includes(secret));
      });

      test('tell their secret again to a repeat, whose kept answer does not show it (CHANGE-52)', async () => {
        const body = { url: receiver.url, types: TYPES };
        const options = { idempotencyKey: `secret-${receiver.port}` };
        const [first, again] = [
          await app.post('/v1/webhooks', body, options),
          await app.post('/v1/webhooks', body, options),
        ];
        assert.equal(again.text, first.text);
        const kept = await app.services.database.read((tx) =>
          tx
            .selectFrom('idempotency_records')
            .select('body')
            .where('idempotency_key', '=', options.idempotencyKey)
            .execute(),
        );
        assert.equal(kept.length, 1);
        assert.ok(!JSON.stringify(kept).includes(first.json.data.secret));
      });

      test('are listed, changed and deleted by every key of their user, and seen by nobody else (CHANGE-50, CHANGE-53, CHANGE-54, CHANGE-55)', async () => {
        const { id } = await create();
        const other = await create();
        const listed = data(await app.get('/v1/webhooks?limit=1'));
        assert.deepEqual(
          listed.map((one: Data) => one.id),
          [id],
        );
        const changes = { name: 'Renamed', types: ['file.*'], url: `${receiver.url}/2` };
        const changed = data(await app.put(`/v1/webhooks/${id}`, changes));
        assert.partialDeepStrictEqual(changed, changes);
        assert.deepEqual(await get(id), changed);
        const user = await makeUser(app);
        const { key } = await makeKey(app, ['webhooks.read', 'webhooks.write'], { user_id: user.id });
        assert.deepEqual(data(await app.get('/v1/webhooks', { key })), []);
        assert.equal((await app.get(`/v1/webhooks/${id}`, { key })).status, 404);
        assert.equal((await app.delete(`/v1/webhooks/${id}`, { key })).status, 404);
        assert.equal((await app.delete(`/v1/webhooks/${id}`)).status, 204);
        assert.equal((await app.get(`/v1/webhooks/${id}`)).status, 404);
        assert.equal((await get(other.id)).state, 'active');
      });

      test('take no types that a key may not read (CHANGE-56)', async () => {
        const { key } = await makeKey(app, ['webhooks.read', 'webhooks.write', 'files.read']);
        const refused = async (method: string, path: string, body: object) => {
          const { status, json } = await app.request(method, path, { body, key });
          assert.equal(status, 403);
          assert.equal(json.error.code, 'insufficient_scope');
          assert.equal(json.error.details.missing_permission, 'mail.messages.read');
        };
        await refused('POST', '/v1/webhooks', { url: receiver.url, types: ['file.*', 'message.created'] });
        const own = await create({ types: ['file.*'] }, { key });
        await refused('PUT', `/v1/webhooks/${own.id}`, { types: TYPES });
        const byOwner = await create();
        await refused('PUT', `/v1/webhooks/${byOwner.id}`, { url: `${receiver.url}/mine` });
        const { status, json } = await app.put(`/v1/webhooks/${own.id}`, { types: TYPES });
        assert.equal(status, 403, 'the key that made it may not read them');
        assert.equal(json.error.details.missing_permission, 'mail.messages.read');
      });

      test('are not turned to another URL by a key that is not shown what they have (CHANGE-56, CHANGE-78)', async () => {
        const writing = ['webhooks.read', 'webhooks.write'] as const;
        const ofKeys = await create({ types: ['api_key.*'] });
        const { key } = await makeKey(app, [...writing, 'keys.read', 'files.read']);
        const refused = async (path: string, body: object, missing: string, method = 'PUT') => {
          const { status, json } = await app.request(method, path, { body, key });
          assert.deepEqual([status, json.error?.code], [403, 'insufficient_scope'], path);
          assert.equal(json.error.details.missing_permission, missing);
        };
        const url = `${receiver.url}/mine`;
        await refused(`/v1/webhooks/${ofKeys.id}`, { url }, 'directory.write');
        await refused(`/v1/webhooks/${ofKeys.id}`, { url, types: ['api_key.created'] }, 'directory.write');
        await refused(`/v1/webhooks/${ofKeys.id}`, { url, types: ['file.*'] }, 'directory.write');
        const ofMail = await create();
        await refused(`/v1/webhooks/${ofMail.id}`, { url, types: ['file.*'] }, 'mail.messages.read');
        const delivery = await bury(ofMail.id, 'message.changed');
        const path = `/v1/webhooks/${ofMail.id}/dead/${delivery}/redeliver`;
        await refused(path, {}, 'mail.messages.read', 'POST');
        const own = await create({ types: ['api_key.*'] }, { key });
        assert.equal(data(await app.put(`/v1/webhooks/${own.id}`, { url }, { key })).url, url);
      });

      test('are a thousand of a user at most (CHANGE-73)', async () => {
        const { id } = await create();
        await app.services.database.write(async (tx) => {
          const row = await tx
            .selectFrom('webhooks')
            .selectAll()
            .where('id', '=', id)
            .executeTakeFirstOrThrow();
          for (let i = 1; i < 1_000; i++)
            await tx
              .insertInto('webhooks')
              .values({ ...row, id: `whk_${String(i).padStart(26, '0')}`, disabled_reason: 'gone' })
              .execute();
        });
        const { status, json } = await app.post('/v1/webhooks', { url: receiver.url, types: TYPES });
        assert.deepEqual([status, json.error.code], [507, 'quota_exceeded']);
        await app.services.database.write((tx) =>
          tx.deleteFrom('webhooks').where('disabled_reason', '=', 'gone').execute(),
        );
      });
    });

    describe('as deliveries', () => {
      test('are signed as Standard Webhooks has it, with the change as their data (CHANGE-58)', async () => {
        const [message = ''] = await addMessages(1);
        const { cursor } = data(await app.get('/v1/changes'));
        const { id, secret } = await create();
        await star(message);
        await receiver.waitFor(1);
        const [{ headers, body, event } = assert.fail()] = receiver.received;
        const [change] = data(await app.get(`/v1/changes?cursor=${cursor}`)).changes;
        assert.deepEqual(event, { type: 'message.changed', timestamp: change.at, data: change });
        assert.equal(headers['webhook-id'], change.id);
        assert.match(headers['webhook-timestamp'] ?? '', /^\d{10}$/);
        assert.match(headers['webhook-signature'] ?? '', /^v1,/);
        assert.equal(headers['content-type'], 'application/json');
        new Webhook(secret).verify(body, headers);
        assert.throws(() => new Webhook(secret).verify(`${body} `, headers));
        await eventually(async () => (await get(id)).last_delivered_at !== null, 'it is recorded');
        assert.equal((await get(id)).lag_seconds, 0);
        const [attempt] = await attempts(id);
        assert.partialDeepStrictEqual(attempt, {
          change_id: change.id,
          type: 'message.changed',
          status: 204,
          error: null,
        });
        assert.ok(attempt.duration_ms >= 0);
      });

      test('come in order, one at a time, and only of the types that are wanted (CHANGE-50, CHANGE-59)', async () => {
        const messages = await addMessages(12);
        await create({ types: ['message.changed'] });
        let most = 0;
        receiver.reply = async () => {
          most = Math.max(most, receiver.open);
          await new Promise((resolve) => setTimeout(resolve, 5));
          return 200;
        };
        for (const id of messages) await star(id);
        await addMessage();
        await receiver.waitFor(messages.length);
        assert.deepEqual(starred(receiver), messages);
        assert.equal(receiver.received.length, messages.length);
        assert.equal(most, 1);
      });

      test('are never made by two nodes at once, nor made twice (CHANGE-59)', async (t) => {
        const node = await startNode(app.config);
        t.after(() => node.stop());
        const messages = await addMessages(20);
        await create({ types: ['message.changed'] });
        let most = 0;
        receiver.reply = async () => {
          most = Math.max(most, receiver.open);
          await new Promise((resolve) => setTimeout(resolve, 10));
          return 200;
        };
        for (const id of messages) await star(id);
        await receiver.waitFor(messages.length);
        assert.deepEqual(starred(receiver), messages);
        assert.equal(most, 1);
      });

      test('are leased to one of two who have read the webhook alike (CHANGE-59)', async () => {
        const { id } = await create();
        const row = await rowOf(id);
        const lease = () =>
          app.services.database.write(async (tx) => {
            const now = await tx.now();
            return leaseWebhook(tx, row, now, now + SECOND_MS);
          });
        assert.deepEqual((await Promise.all([lease(), lease()])).sort(), [false, true]);
        await passes(2 * SECOND_MS);
        assert.equal(await lease(), false, 'it was leased since it was read');
      });

      test('are tried again when they fail, under the same id, and the others wait for them (CHANGE-59, CHANGE-61)', async () => {
        const [first = '', second = ''] = await addMessages(2);
        const { id } = await create();
        receiver.reply = () => (receiver.received.length < 3 ? 500 : 202);
        await star(first);
        await receiver.waitFor(1);
        await star(second);
        const failures = async () => (await attempts(id)).length;
        await eventually(async () => (await failures()) === 1, 'the failure is recorded');
        await passes(4 * SECOND_MS);
        assert.equal(receiver.received.length, 1, 'it waits for five seconds');
        await passes(2 * SECOND_MS);
        await receiver.waitFor(2);
        await eventually(async () => (await failures()) === 2, 'the second failure is recorded');
        await passes(290 * SECOND_MS);
        assert.equal(receiver.received.length, 2, 'it waits for five minutes');
        await passes(60 * SECOND_MS);
        await receiver.waitFor(4);
        assert.deepEqual(starred(receiver), [first, first, first, second]);
        assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 2);
        const [, , failed] = (await attempts(id)).reverse();
        assert.deepEqual([failed.status, failed.error], [202, null]);
      });

      test('go to a new URL at once, also where the old one is being tried (CHANGE-54)', async () => {
        const [message = ''] = await addMessages(1);
        const { id } = await create();
        receiver.reply = async ({ headers }) => {
          if (receiver.received.length > 1) return 200;
          assert.ok(headers['webhook-id']);
          data(await app.put(`/v1/webhooks/${id}`, { url: `${receiver.url}/new` }));
          return 500;
        };
        await star(message);
        await receiver.waitFor(2);
        assert.deepEqual(starred(receiver), [message, message]);
        assert.deepEqual(
          receiver.received.map(({ path }) => path),
          ['/hook', '/hook/new'],
        );
      });

      test('wait for as long as Retry-After asks (CHANGE-61)', async () => {
        const [message = ''] = await addMessages(1);
        const { id } = await create();
        receiver.reply = (_received, response) => {
          if (receiver.received.length > 1) return 200;
          response.writeHead(503, { 'retry-after': '600' }).end();
          return undefined;
        };
        await star(message);
        await eventually(async () => (await attempts(id)).length === 1, 'the failure is recorded');
        await passes(590 * SECOND_MS);
        assert.equal(receiver.received.length, 1);
        assert.ok((await get(id)).lag_seconds >= 0);
        await passes(20 * SECOND_MS);
        await receiver.waitFor(2);
      });

      test('end with a 410, and go on from the same change once resumed (CHANGE-60, CHANGE-70)', async () => {
        const [first = '', second = ''] = await addMessages(2);
        const { id } = await create();
        receiver.reply = () => 410;
        await star(first);
        await eventually(async () => (await get(id)).state === 'disabled', 'it is disabled');
        assert.equal((await get(id)).disabled_reason, 'gone');
        await star(second);
        await passes(LONGEST_WAIT_MS);
        receiver.reply = () => 200;
        const resumed = data(await app.post(`/v1/webhooks/${id}/resume`));
        assert.deepEqual([resumed.state, resumed.disabled_reason], ['active', null]);
        await receiver.waitFor(3);
        assert.deepEqual(starred(receiver), [first, first, second]);
        assert.deepEqual(data(await app.post(`/v1/webhooks/${id}/resume`)).state, 'active');
      });

      test('that are refused eight times while others pass go to the dead list, from which they can be delivered again (CHANGE-66, CHANGE-67, CHANGE-68)', async () => {
        const [bad = '', good = '', last = ''] = await addMessages(3);
        const { id } = await create();
        receiver.reply = ({ body }) => (body.includes(bad) ? 422 : 200);
        await star(bad);
        await star(good);
        await inTime(id, () => starred(receiver).includes(good), 'the other change is accepted');
        assert.deepEqual(starred(receiver), [...Array(8).fill(bad), good]);
        await star(last);
        await receiver.waitFor(10);
        await eventually(async () => (await dead(id)).length === 1, 'it is on the dead list');
        const [{ id: delivery, change_id, ...buried }] = await dead(id);
        assert.equal(change_id, receiver.received[0]?.headers['webhook-id']);
        assert.partialDeepStrictEqual(buried, {
          type: 'message.changed',
          status: 422,
          error: 'The endpoint has answered 422.',
          redelivering: false,
        });
        const path = `/v1/webhooks/${id}/dead/${delivery}/redeliver`;
        assert.equal(data(await app.post(path)).redelivering, true);
        await receiver.waitFor(11);
        await eventually(async () => (await dead(id))[0]?.redelivering === false, 'it is refused once more');
        receiver.reply = () => 200;
        data(await app.post(path));
        await eventually(async () => (await dead(id)).length === 0, 'it has left the list');
        assert.equal(receiver.received.at(-1)?.headers['webhook-id'], change_id);
        assert.equal((await app.post(path)).status, 404);
      });

      test('that are refused eight times go to the dead list when a change comes later that passes, and not before (CHANGE-66)', async () => {
        const [bad = '', good = ''] = await addMessages(2);
        const { id } = await create();
        receiver.reply = ({ body }) => (body.includes(bad) ? 400 : 200);
        await star(bad);
        await inTime(id, () => receiver.received.length >= 8, 'eight refusals');
        await eventually(async () => (await attempts(id)).length === 8, 'eight refusals are recorded');
        assert.deepEqual(await dead(id), []);
        await star(good);
        await receiver.waitFor(9);
        await eventually(async () => (await dead(id)).length === 1, 'it is on the dead list');
        assert.deepEqual(starred(receiver), [...Array(8).fill(bad), good]);
      });

      test('of an endpoint that refuses everything keep their place (CHANGE-66, CHANGE-69)', async () => {
        const [first = '', second = ''] = await addMessages(2);
        const { id } = await create();
        receiver.reply = () => 404;
        await star(first);
        await star(second);
        await inTime(id, async () => (await get(id)).state === 'disabled', 'it is disabled');
        assert.deepEqual(await dead(id), []);
        receiver.reply = () => 200;
        const before = starred(receiver).length;
        data(await app.post(`/v1/webhooks/${id}/resume`));
        await receiver.waitFor(before + 2);
        assert.deepEqual(starred(receiver).slice(before), [first, second]);
      });

      test('of an endpoint that accepts nothing for five days end, and its owner is told (CHANGE-69, CHANGE-70)', async () => {
        const [message = ''] = await addMessages(1);
        const { id } = await create({ name: 'Index' });
        receiver.reply = () => 500;
        await star(message);
        await receiver.waitFor(1);
        await inTime(id, async () => (await get(id)).state === 'disabled', 'it is disabled');
        assert.equal((await get(id)).disabled_reason, 'failing');
        const tries = receiver.received.length;
        assert.ok(tries >= 5, `${tries} tries`);
        const [notice] = data(await app.get(`/v1/messages?folder_id=${inbox}&limit=1`));
        assert.equal(notice.subject, 'A webhook was disabled');
        const { text_body: text } = data(await app.get(`/v1/messages/${notice.id}`));
        assert.ok(JSON.stringify(text ?? (await app.get(`/v1/messages/${notice.id}`)).text).includes(id));
        receiver.reply = () => 200;
        data(await app.post(`/v1/webhooks/${id}/resume`));
        await receiver.waitFor(tries + 1);
        assert.equal(starred(receiver).at(-1), message);
      });

      test('whose change is kept no longer are not resumed (CHANGE-70)', async () => {
        const [message = ''] = await addMessages(1);
        const { id } = await create();
        receiver.reply = () => 410;
        await star(message);
        await eventually(async () => (await get(id)).state === 'disabled', 'it is disabled');
        await passes(app.config.changesTtlSeconds * SECOND_MS);
        const { status, json } = await app.post(`/v1/webhooks/${id}/resume`);
        assert.deepEqual([status, json.error.code], [410, 'cursor_expired']);
      });

      test('of a type that the webhook does not have any more are not made again (CHANGE-68, CHANGE-78)', async () => {
        const { id } = await create();
        const delivery = await bury(id, 'message.changed');
        await setRow(id, { leased_until: Number.MAX_SAFE_INTEGER });
        data(await app.post(`/v1/webhooks/${id}/dead/${delivery}/redeliver`));
        data(await app.put(`/v1/webhooks/${id}`, { types: ['file.*'] }));
        await setRow(id, { leased_until: 0 });
        await eventually(async () => (await dead(id))[0]?.redelivering === false, 'it is not delivered');
        assert.match((await dead(id))[0].error, /type/);
        assert.deepEqual([receiver.received.length, (await attempts(id)).length], [0, 0]);
      });

      test('of one user with endpoints that never answer do not hold up those of others (CHANGE-79)', async (t) => {
        const silent = await startReceiver();
        t.after(() => silent.stop());
        silent.reply = () => undefined;
        const { id: user } = await makeUser(app);
        const { key } = await makeKey(app, ['webhooks.write', 'webhooks.read', 'directory.read'], {
          user_id: user,
        });
        const held: string[] = [];
        for (let i = 0; i < 40; i++)
          held.push((await create({ url: silent.url, types: ['group.*'] }, { key })).id);
        t.after(() => Promise.all(held.map((id) => app.delete(`/v1/webhooks/${id}`, { key }))));
        await create({ types: ['group.*'] });
        data(await app.post('/v1/groups', { name: 'Team', member_ids: [] }), 201);
        await receiver.waitFor(1);
        assert.ok(silent.received.length <= 8 * NODES, `${silent.received.length} at once`);
      });

      test('stop with the key that made the webhook (CHANGE-57)', async () => {
        const [message = ''] = await addMessages(1);
        const made = await makeKey(app, ['webhooks.read', 'webhooks.write', 'mail.messages.read']);
        const { id } = await create({}, { key: made.key });
        const other = await create();
        await app.delete(`/v1/api-keys/${made.id}`);
        await star(message);
        await receiver.waitFor(1);
        await eventually(async () => (await attempts(other.id)).length === 1, 'the other one delivers');
        const { state, disabled_reason } = await get(id);
        assert.deepEqual([state, disabled_reason], ['disabled', 'key_ended']);
        assert.deepEqual(await attempts(id), []);
        for (const answer of [
          await app.post(`/v1/webhooks/${id}/resume`),
          await app.put(`/v1/webhooks/${id}`, { types: TYPES }),
        ])
          assert.deepEqual([answer.status, answer.json.error.code], [409, 'webhook_stopped']);
        assert.equal(receiver.received.length, 1);
      });

      test('stop while the user is suspended', async () => {
        const user = await makeUser(app);
        const { key } = await makeKey(app, ['webhooks.read', 'webhooks.write', 'directory.read'], {
          user_id: user.id,
        });
        await create({ types: ['user.*'] }, { key });
        data(await app.put(`/v1/users/${user.id}`, { state: 'suspended' }));
        const stored = await app.services.database.read((tx) =>
          tx.selectFrom('webhooks').selectAll().where('user_id', '=', user.id).execute(),
        );
        const principal = await app.services.database.read((tx) =>
          app.services.keys.findPrincipalOf(tx, stored[0]?.workspace_id ?? '', stored[0]?.key_id ?? ''),
        );
        assert.equal(principal, undefined);
      });

      test('go on, after a restore, with the changes that come then (CHANGE-74)', async () => {
        const [first = '', second = ''] = await addMessages(2);
        const { id } = await create();
        const { leased_until: free } = await rowOf(id);
        const place = { era: 'another', transaction_id: 0, number: 0 };
        await setRow(id, { ...place, leased_until: Number.MAX_SAFE_INTEGER });
        await star(first);
        await setRow(id, { leased_until: free });
        await eventually(
          async () => (await rowOf(id)).era !== 'another',
          'its place is one of this database',
        );
        await star(second);
        await receiver.waitFor(1);
        assert.deepEqual(starred(receiver), [second]);
      });
    });

    describe('as tests and attempts', () => {
      test('say what came of a test, which is signed too (CHANGE-71)', async () => {
        const { id, secret } = await create();
        const attempt = data(await app.post(`/v1/webhooks/${id}/test`));
        assert.partialDeepStrictEqual(attempt, { type: 'webhook.test', status: 204, error: null });
        const [{ headers, body, event } = assert.fail()] = receiver.received;
        new Webhook(secret).verify(body, headers);
        assert.equal(event.type, 'webhook.test');
        assert.equal(headers['webhook-id'], attempt.change_id);
        assert.deepEqual(await attempts(id), [attempt]);
        receiver.reply = () => 500;
        const failed = data(await app.post(`/v1/webhooks/${id}/test`));
        assert.deepEqual([failed.status, failed.error], [500, 'The endpoint has answered 500.']);
        assert.equal((await get(id)).state, 'active');
      });

      test('keep the newest hundred attempts (CHANGE-72)', async () => {
        const { id } = await create();
        const made: string[] = [];
        for (let i = 0; i < 103; i++) made.unshift(data(await app.post(`/v1/webhooks/${id}/test`)).id);
        assert.deepEqual(
          (await attempts(id)).map((one) => one.id),
          made.slice(0, 100),
        );
      });
    });
  });
});
