import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { append, everyPage, folderCounts, folderOf, rfc822 } from './mail-world.ts';

const UNKNOWN_FOLDER = 'fld_01h2xcejqtf2nbrexx3vqjhp41';
const UNKNOWN_MESSAGE = 'msg_01h2xcejqtf2nbrexx3vqjhp41';

forEachEngine((engine) => {
  describe('moving messages', () => {
    let app: TestApp;
    let from: string;
    let to: string;

    before(async () => {
      app = await startApp(engine);
      from = data(await app.post('/v1/folders', { name: 'From' }), 201).id;
      to = data(await app.post('/v1/folders', { name: 'To' }), 201).id;
    });
    after(() => app.stop());

    const move = (ids: string[], target = to, folder = from) =>
      app.post(`/v1/folders/${folder}/messages/move`, { message_ids: ids, to_folder_id: target });
    const idsIn = async (folder: string, query = '') =>
      (await everyPage(app, `/v1/messages?folder_id=${folder}${query}`, 50)).map(({ id }) => id).sort();

    test('a message that moves keeps its id, flags, labels and all the rest (MAIL-19, MAIL-20, MAIL-57, MAIL-60)', async () => {
      const before = await append(app, from, rfc822(), { query: '?flag=read&flag=deleted&label=b&label=a' });
      assert.deepEqual(data(await move([before.id])), { moved: 1, to_folder_id: to });
      const [after] = await everyPage(app, `/v1/messages?folder_id=${to}`, 50);
      assert.deepEqual(after, { ...before, folder_id: to });
      const record = data(await app.get(`/v1/messages/${before.id}`));
      assert.equal(record.folder_id, to);
    });

    test('listings and counts follow a move (MAIL-57)', async () => {
      const there = await idsIn(to);
      const ids = [
        (await append(app, from, rfc822(), { query: '?flag=read&label=trip' })).id,
        (await append(app, from, rfc822(), { query: '?label=trip' })).id,
        (await append(app, from, rfc822())).id,
      ];
      const before = await folderCounts(app, to);
      assert.deepEqual(data(await move(ids.slice(0, 2))), { moved: 2, to_folder_id: to });
      assert.deepEqual(await folderCounts(app, from), [1, 1]);
      assert.deepEqual(await folderCounts(app, to), [(before[0] ?? 0) + 2, (before[1] ?? 0) + 1]);
      assert.deepEqual(await idsIn(from), [ids[2]]);
      assert.deepEqual(await idsIn(to), [...there, ...ids.slice(0, 2)].sort());
      assert.deepEqual(await idsIn(to, '&label=trip'), ids.slice(0, 2).sort());
      assert.deepEqual(await idsIn(to, '&label=trip&unread=true'), [ids[1]]);
      assert.deepEqual(await idsIn(from, '&label=trip'), []);
    });

    test('moved counts messages whose folder changed (MAIL-58)', async () => {
      const [one, other] = [await append(app, from, rfc822()), await append(app, from, rfc822())];
      assert.deepEqual(data(await move([one.id, other.id], from)), { moved: 0, to_folder_id: from });
      assert.deepEqual(data(await move([one.id, other.id, one.id])), { moved: 2, to_folder_id: to });
    });

    test('when some are not in the folder nothing moves, and those are named (MAIL-55, MAIL-57)', async () => {
      const [here, there] = [await append(app, from, rfc822()), await append(app, to, rfc822())];
      const { status, json } = await move([here.id, there.id, UNKNOWN_MESSAGE, 'x', there.id]);
      assert.deepEqual([status, json.error.code], [400, 'messages_not_in_folder']);
      assert.deepEqual(json.error.details, { message_ids: [there.id, UNKNOWN_MESSAGE, 'x'] });
      assert.equal(data(await app.get(`/v1/messages/${here.id}`)).folder_id, from);
      // Also when the target is the folder itself, where nothing would change.
      assert.equal((await move([there.id], from)).json.error.code, 'messages_not_in_folder');
    });

    test('an unknown target is not found, whatever the messages are (MAIL-59)', async () => {
      const { id } = await append(app, from, rfc822());
      for (const target of [UNKNOWN_FOLDER, 'x', '', id]) {
        for (const ids of [[id], [UNKNOWN_MESSAGE]]) {
          const { status, json } = await move(ids, target);
          assert.deepEqual([status, json.error.code], [404, 'not_found']);
          assert.deepEqual(json.error.details, { resource: 'folder', id: target });
        }
      }
      assert.equal(data(await app.get(`/v1/messages/${id}`)).folder_id, from);
    });

    test("another user's folder is no target and its messages are not in mine", async () => {
      const user = data(await app.post('/v1/users', { email: 'b@t.example', name: 'B' }), 201).id;
      const permissions = ['mail.messages.read', 'mail.messages.write'];
      const { key } = data(await app.post('/v1/api-keys', { name: 'k', permissions, user_id: user }), 201);
      const theirs = await folderOf(app, 'inbox', key);
      const mine = await append(app, from, rfc822());
      assert.equal((await move([mine.id], theirs)).status, 404);
      const { id } = await append(app, theirs, rfc822(), { key });
      assert.equal((await move([id])).json.error.code, 'messages_not_in_folder');
    });

    test('a repeat with the same Idempotency-Key is answered as before, also once they are elsewhere', async () => {
      const { id } = await append(app, from, rfc822());
      const options = { idempotencyKey: randomUUID() };
      const path = `/v1/folders/${from}/messages/move`;
      const body = { message_ids: [id], to_folder_id: to };
      const first = await app.post(path, body, options);
      await move([id], from, to);
      const again = await app.post(path, body, options);
      assert.equal(again.text, first.text);
      assert.equal(data(await app.get(`/v1/messages/${id}`)).folder_id, from);
    });
  });
});
