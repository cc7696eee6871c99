import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setClockAhead } from '../clock.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { makeKey, makeWorkspace } from './accounts.ts';
import { openEventStream } from './event-stream.ts';

forEachEngine((engine) => {
  describe('the change feed', () => {
    let app: TestApp;
    let inbox: string;
    const readNow = async (cursor: string, query = '') =>
      (await app.get(`/v1/changes?cursor=${cursor}${query}`)).json.data;
    /**
     * A cursor behind everything that was written so far. On PostgreSQL a feed goes no further than the oldest
     * transaction that runs, of whatever database of the server: a new folder marks how far it has to come.
     */
    const cursorOfNow = async () => {
      let { cursor } = (await app.get('/v1/changes')).json.data;
      const marker = (await app.post('/v1/folders', { name: randomUUID() })).json.data.id;
      for (let isSeen = false; !isSeen; ) {
        const page = await readNow(cursor, '&wait=20');
        isSeen = page.changes.some(({ ids }: { ids: { folder_id?: string } }) => ids.folder_id === marker);
        ({ cursor } = page);
      }
      return cursor as string;
    };
    /** What has happened to messages that are there, once everything that was written can be read. */
    const read = async (cursor: string) => {
      await cursorOfNow();
      return readNow(cursor, '&types=message.changed');
    };
    const addMessage = async () => {
      const body = 'From: Ada <ada@example.org>\r\nSubject: Hello\r\n\r\nFirst light.\r\n';
      const headers = { 'content-type': 'message/rfc822' };
      return (await app.post(`/v1/folders/${inbox}/messages`, body, { headers })).json.data.id as string;
    };
    const star = (ids: string[], options = {}) =>
      app.post(
        `/v1/folders/${inbox}/messages/flags`,
        { message_ids: ids, op: 'add', flags: ['starred'] },
        options,
      );

    before(async () => {
      app = await startApp(engine);
      inbox = (await app.get('/v1/folders')).json.data[0].id;
    });
    after(() => app.stop());

    test('a read without a cursor answers no changes and the cursor of now (CHANGE-4, CHANGE-5)', async () => {
      await cursorOfNow();
      const { json } = await app.get('/v1/changes');
      assert.deepEqual(json.data.changes, []);
      assert.equal(json.data.more, false);
      assert.deepEqual((await readNow(json.data.cursor)).changes, []);
    });

    test('a change names its objects, its writer and its time, and comes once (CHANGE-2, CHANGE-3)', async () => {
      const id = await addMessage();
      const cursor = await cursorOfNow();
      await star([id]);
      const { changes, cursor: next } = await read(cursor);
      assert.equal(changes.length, 1);
      const [{ type, ids, actor, at }] = changes;
      assert.equal(type, 'message.changed');
      assert.deepEqual(ids, { folder_id: inbox, message_ids: [id] });
      assert.match(actor.user_id, /^usr_/);
      assert.match(actor.key_id, /^key_/);
      assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
      assert.deepEqual((await read(next)).changes, []);
    });

    test('a replay, a refusal and a write that changes nothing emit nothing (CHANGE-1)', async () => {
      const id = await addMessage();
      await star([id], { idempotencyKey: `once-${id}` });
      const cursor = await cursorOfNow();
      assert.equal(
        (await star([id], { idempotencyKey: `once-${id}` })).headers.get('idempotency-replayed'),
        'true',
      );
      assert.equal((await star([id, 'msg_none'])).status, 400);
      assert.equal((await star([id])).status, 200);
      assert.deepEqual((await read(cursor)).changes, []);
    });

    test('pages of a feed go on where the last one ended (CHANGE-6)', async () => {
      const ids = [await addMessage(), await addMessage(), await addMessage()];
      let cursor = await cursorOfNow();
      for (const id of ids) await star([id]);
      await cursorOfNow();
      const seen: string[] = [];
      for (let more = true; more; ) {
        const page = await readNow(cursor, '&types=message.changed&limit=1');
        for (const change of page.changes) seen.push(change.ids.message_ids[0]);
        ({ cursor, more } = page);
      }
      assert.deepEqual(seen, ids);
    });

    test('a change that several feeds of a key have comes once, also where a page ends with it (CHANGE-6)', async () => {
      const { id: user } = (await app.get('/v1/users/me')).json.data;
      let cursor = await cursorOfNow();
      await app.services.database.write(async (tx) => {
        const owner = await app.services.directory.findUser(tx, user);
        const { workspaceId } = owner ?? assert.fail();
        const viewers = [user, '*', 'keys'];
        for (const key_id of ['key_1', 'key_2'])
          tx.emit({ workspaceId, type: 'api_key.created', viewers, ids: { key_id } });
      });
      await cursorOfNow();
      const seen: string[] = [];
      for (let more = true; more; ) {
        const page = await readNow(cursor, '&types=api_key.created&limit=1');
        for (const change of page.changes) seen.push(change.ids.key_id);
        ({ cursor, more } = page);
      }
      assert.deepEqual(seen, ['key_1', 'key_2']);
    });

    test('a wait ends with the change that it waits for (CHANGE-7, CHANGE-19)', async () => {
      const id = await addMessage();
      const cursor = await cursorOfNow();
      const waiting = readNow(cursor, '&wait=60&limit=5000');
      await star([id]);
      await cursorOfNow();
      const readable = performance.now();
      assert.deepEqual((await waiting).changes[0].ids.message_ids, [id]);
      assert.ok(performance.now() - readable < 5_000, 'it ends before its time');
    });

    test('a wait without a change ends after its time', async () => {
      assert.deepEqual((await readNow(await cursorOfNow(), '&wait=1')).changes, []);
    });

    test('types that the key may not read are passed over, and refused by name (CHANGE-8)', async () => {
      const { key } = await makeKey(app, ['contacts.read']);
      const { cursor } = (await app.get('/v1/changes', { key })).json.data;
      await star([await addMessage()]);
      const { json } = await app.get(`/v1/changes?cursor=${cursor}`, { key });
      assert.deepEqual(json.data.changes, []);
      const refused = await app.get('/v1/changes?types=message.*', { key });
      assert.equal(refused.status, 403);
      assert.equal(refused.json.error.code, 'insufficient_scope');
    });

    test('a cursor of somebody else is refused (CHANGE-9)', async () => {
      const { key } = await makeWorkspace(app);
      const { cursor } = (await app.get('/v1/changes', { key })).json.data;
      assert.equal((await app.get(`/v1/changes?cursor=${cursor}`)).json.error.code, 'invalid_cursor');
    });

    test('a cursor that no answer has given is refused, by whatever way it comes (CHANGE-9)', async () => {
      const { cursor } = (await app.get('/v1/changes')).json.data;
      const ofListing = (await app.get('/v1/folders?limit=1')).json.pagination?.next_cursor ?? '';
      const forged = [
        'x',
        'eyJwb3NpdGlvbiI6WzAsMF19',
        cursor.slice(0, -1),
        `${cursor}A`,
        `${cursor}=`,
        cursor.replace(/.$/, (last: string) => (last === 'A' ? 'Q' : 'A')),
        cursor.replace(/^./, (first: string) => (first === 'A' ? 'B' : 'A')),
        ofListing,
      ].filter((text) => text !== '');
      for (const text of forged) {
        const query = `cursor=${encodeURIComponent(text)}`;
        const headers = { accept: 'text/event-stream', 'last-event-id': text };
        for (const answer of [
          await app.get(`/v1/changes?${query}`),
          await app.get(`/v1/changes?${query}&wait=1`),
          await app.get('/v1/changes', { headers }),
        ])
          assert.deepEqual([answer.status, answer.json.error.code], [400, 'invalid_cursor'], text);
      }
    });

    test('a page of long changes ends early, and the next ones have the rest (CHANGE-3, CHANGE-77)', async () => {
      const { id: user } = (await app.get('/v1/users/me')).json.data;
      const begin = await cursorOfNow();
      const batch = (n: number) =>
        Array.from({ length: 1_000 }, (_, i) => `msg_${String(n * 1_000 + i).padStart(26, '0')}`);
      const batches = Array.from({ length: 40 }, (_, n) => batch(n));
      await app.services.database.write(async (tx) => {
        const { workspaceId } = (await app.services.directory.findUser(tx, user)) ?? assert.fail();
        for (const message_ids of batches)
          tx.emit({ workspaceId, type: 'message.changed', viewers: [user], ids: { message_ids } });
      });
      await cursorOfNow();
      const seen: string[][] = [];
      let cursor = begin;
      for (let more = true; more; ) {
        const { text, json } = await app.get(`/v1/changes?cursor=${cursor}&types=message.changed&limit=1000`);
        assert.ok(text.length < 1_000_000, `${text.length} characters`);
        for (const change of json.data.changes) seen.push(change.ids.message_ids);
        ({ cursor, more } = json.data);
      }
      assert.deepEqual(seen, batches);
      const stream = await openEventStream(app.address, { cursor: begin, types: 'message.changed' });
      for (const message_ids of batches)
        assert.deepEqual(JSON.parse((await stream.next()).data).ids.message_ids, message_ids);
      await stream.close();
    });

    test('a stream without changes says something within fifteen seconds (CHANGE-10)', async () => {
      const { key } = await makeKey(app, ['contacts.read']);
      const response = await fetch(`${app.address}/v1/changes`, {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${key}` },
      });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
      assert.equal((await reader.read()).value, ': changes\n\n');
      const begun = performance.now();
      assert.equal((await reader.read()).value, ': nothing new\n\n');
      assert.ok(performance.now() - begun < 15_000);
      await reader.cancel();
    });

    test('events come to who names their type, in any case, and does not refuse it (CHANGE-10)', async () => {
      for (const [accept, type] of [
        ['TEXT/Event-Stream', 'text/event-stream'],
        ['application/json, text/event-stream;q=0.5', 'text/event-stream'],
        ['text/event-stream;q=0', 'application/json'],
        ['text/event-stream; q=0.000, */*', 'application/json'],
        ['*/*', 'application/json'],
      ] as const) {
        const { key } = await makeKey(app, ['contacts.read']);
        const headers = { accept, authorization: `Bearer ${key}` };
        const response = await fetch(`${app.address}/v1/changes`, { headers });
        assert.ok(response.headers.get('content-type')?.startsWith(type), accept);
        await response.body?.cancel();
      }
    });

    test('a stream ends when its key is revoked (CHANGE-11)', async () => {
      const made = await makeKey(app, ['mail.messages.read']);
      const stream = await openEventStream(app.address, { key: made.key });
      await app.delete(`/v1/api-keys/${made.id}`);
      assert.equal(await stream.isOver(), true);
    });

    test('a key has at most 20 streams and waits (CHANGE-12, API-79)', async () => {
      const { key } = await makeKey(app, ['mail.messages.read']);
      const streams = await Promise.all(
        Array.from({ length: 20 }, () => openEventStream(app.address, { key })),
      );
      const { cursor } = (await app.get('/v1/changes', { key })).json.data;
      const { status, json, headers } = await app.get(`/v1/changes?cursor=${cursor}&wait=5`, { key });
      assert.equal(status, 429);
      assert.equal(json.error.code, 'rate_limited');
      const told = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
      assert.deepEqual(
        told.map((name) => headers.get(name)),
        ['1', '20', '0', '1'],
      );
      await Promise.all(streams.map((stream) => stream.close()));
      const again = async () =>
        (await app.get(`/v1/changes?cursor=${cursor}&wait=1`, { key })).status === 200;
      await eventually(again, 'a slot is free again');
    });

    for (const accept of ['application/json', 'text/event-stream']) {
      test(`slots whose clients have left are free again within seconds: ${accept} (CHANGE-12)`, async () => {
        const { key } = await makeKey(app, ['mail.messages.read']);
        const { cursor } = (await app.get('/v1/changes', { key })).json.data;
        const { hostname, port } = new URL(app.address);
        const path = `/v1/changes?cursor=${cursor}`;
        const head = [`GET ${path}&wait=30 HTTP/1.1`, `Host: ${hostname}`, `Accept: ${accept}`];
        const sockets = Array.from({ length: 20 }, () => {
          const socket = connect(Number(port), hostname);
          const ask = () => socket.write(`${[...head, `Authorization: Bearer ${key}`].join('\r\n')}\r\n\r\n`);
          // One that was refused, because the test held a slot, asks again.
          return socket.on('connect', ask).on('data', (bytes) => String(bytes).includes(' 429 ') && ask());
        });
        const isRefused = async () => (await app.get(`${path}&wait=1`, { key })).status === 429;
        await eventually(isRefused, 'all slots are taken');
        const left = performance.now();
        for (const socket of sockets) socket.removeAllListeners('data').resume().end();
        await eventually(async () => !(await isRefused()), 'a slot is free again');
        // A wait would end by itself after 30 seconds, and a stream at the comment after 15.
        assert.ok(performance.now() - left < 10_000);
      });
    }

    test('a cursor expires by the age of what it has read, so that removed changes are never passed over (CHANGE-9)', async (t) => {
      const longTime = 0.6 * app.config.changesTtlSeconds * 1000;
      const ids = [await addMessage(), await addMessage()];
      const begin = await cursorOfNow();
      for (const id of ids) await star([id]);
      await cursorOfNow();
      setClockAhead(t, longTime);
      const page = await readNow(begin, '&types=message.changed&limit=1');
      assert.deepEqual(page.changes[0].ids.message_ids, [ids[0]]);
      assert.equal(page.more, true);
      setClockAhead(t, longTime);
      const { status, json } = await app.get(`/v1/changes?cursor=${page.cursor}`);
      assert.equal(status, 410);
      assert.equal(json.error.code, 'cursor_expired');
    });

    test('server-sent events say each change with the cursor behind it, and resume (CHANGE-10)', async () => {
      const id = await addMessage();
      const other = await addMessage();
      const cursor = await cursorOfNow();
      const stream = await openEventStream(app.address, { cursor });
      await star([id]);
      const event = await stream.next();
      assert.equal(event.event, 'message.changed');
      assert.deepEqual(JSON.parse(event.data).ids.message_ids, [id]);
      await stream.close();
      await star([other]);
      const resumed = await openEventStream(app.address, { lastEventId: event.id });
      assert.deepEqual(JSON.parse((await resumed.next()).data).ids.message_ids, [other]);
      await resumed.close();
    });
  });
});
