import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { type Answer, startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { append, everyPage, folderCounts, folderOf, rfc822 } from './mail-world.ts';

const NO_FLAGS = { read: false, starred: false, answered: false, draft: false, deleted: false };
const UNKNOWN = 'msg_01h2xcejqtf2nbrexx3vqjhp41';

const OF_ONE_SENDING = ['date', 'connection', 'keep-alive', 'idempotency-replayed'];

/** An answer but for the headers that belong to one sending of it. */
function seen({ status, headers, text }: Answer) {
  const told = [...headers].filter(([name]) => !OF_ONE_SENDING.includes(name));
  return { status, headers: told, text };
}

forEachEngine((engine) => {
  describe('changing flags and labels', () => {
    let app: TestApp;
    let inbox: string;
    let archive: string;

    before(async () => {
      app = await startApp(engine);
      inbox = await folderOf(app, 'inbox');
      archive = await folderOf(app, 'archive');
    });
    after(() => app.stop());

    const appended = async (query = '', folder = inbox): Promise<string> =>
      (await append(app, folder, rfc822(), { query })).id;
    const change = (body: object, folder = inbox): Promise<Answer> =>
      app.post(`/v1/folders/${folder}/messages/flags`, body);
    const labelsAfter = async (id: string, op: string, labels?: string[]): Promise<string[]> => {
      const [result] = data(await change({ message_ids: [id], op, ...(labels && { labels }) }));
      assert.deepEqual((await message(id)).labels, result.labels);
      return result.labels;
    };
    const message = async (id: string) => data(await app.get(`/v1/messages/${id}`));
    test('add adds what is listed to what is there (MAIL-48, MAIL-49, MAIL-50, MAIL-56)', async () => {
      const id = await appended('?flag=read&label=work');
      const answer = await change({ message_ids: [id], op: 'add', flags: ['starred'], labels: ['todo'] });
      assert.deepEqual(data(answer), [
        { id, flags: { ...NO_FLAGS, read: true, starred: true }, labels: ['work', 'todo'] },
      ]);
      const { flags, labels } = await message(id);
      assert.deepEqual([flags, labels], [{ ...NO_FLAGS, read: true, starred: true }, ['work', 'todo']]);
    });

    test('remove takes off what is listed and leaves the rest (MAIL-51)', async () => {
      const id = await appended('?flag=read&flag=starred&label=work&label=todo');
      const body = { message_ids: [id], op: 'remove', flags: ['read', 'draft'], labels: ['work', 'none'] };
      assert.deepEqual(data(await change(body)), [
        { id, flags: { ...NO_FLAGS, starred: true }, labels: ['todo'] },
      ]);
    });

    test('set leaves exactly what is listed (MAIL-52)', async () => {
      const id = await appended('?flag=read&flag=starred&label=work&label=todo');
      const body = { message_ids: [id], op: 'set', flags: ['answered', 'read'], labels: ['new', 'todo'] };
      assert.deepEqual(data(await change(body)), [
        { id, flags: { ...NO_FLAGS, read: true, answered: true }, labels: ['todo', 'new'] },
      ]);
    });

    test('a list that is absent changes nothing, except that set clears its side (MAIL-53)', async () => {
      const id = await appended('?flag=read&label=work');
      const kept = [{ id, flags: { ...NO_FLAGS, read: true }, labels: ['work'] }];
      for (const op of ['add', 'remove']) {
        assert.deepEqual(data(await change({ message_ids: [id], op })), kept);
        assert.deepEqual(data(await change({ message_ids: [id], op, flags: [], labels: [] })), kept);
      }
      const ofFlags = await change({ message_ids: [id], op: 'set', flags: ['starred'] });
      assert.deepEqual(data(ofFlags), [{ id, flags: { ...NO_FLAGS, starred: true }, labels: [] }]);
      const ofLabels = await change({ message_ids: [id], op: 'set', labels: ['a'] });
      assert.deepEqual(data(ofLabels), [{ id, flags: NO_FLAGS, labels: ['a'] }]);
      assert.deepEqual(data(await change({ message_ids: [id], op: 'set' })), [
        { id, flags: NO_FLAGS, labels: [] },
      ]);
    });

    test('all five flags can be changed (MAIL-10, MAIL-12, MAIL-49)', async () => {
      const id = await appended();
      const flags = Object.keys(NO_FLAGS);
      const [added] = data(await change({ message_ids: [id], op: 'add', flags: [...flags, ...flags] }));
      assert.deepEqual(Object.values(added.flags), [true, true, true, true, true]);
      const [removed] = data(await change({ message_ids: [id], op: 'remove', flags }));
      assert.deepEqual(removed.flags, NO_FLAGS);
    });

    test('labels keep the order in which they were added (MAIL-17)', async () => {
      const id = await appended('?label=b&label=a');
      assert.deepEqual(await labelsAfter(id, 'add', ['c', 'a', 'Ä', 'c']), ['b', 'a', 'c', 'Ä']);
      assert.deepEqual(await labelsAfter(id, 'remove', ['b']), ['a', 'c', 'Ä']);
      assert.deepEqual(await labelsAfter(id, 'add', ['b']), ['a', 'c', 'Ä', 'b']);
      assert.deepEqual(await labelsAfter(id, 'set', ['new', 'b', 'c', 'new']), ['c', 'b', 'new']);
    });

    test('a label is any text of 1 to 255 characters (MAIL-16)', async () => {
      const id = await appended();
      const labels = ['x'.repeat(255), '😀'.repeat(255), 'a\\b', ' ', '"', "';--", '\u200d', 'Work', 'work'];
      assert.deepEqual(await labelsAfter(id, 'add', labels), labels);
      for (const label of labels) {
        const listed = await everyPage(app, `/v1/messages?label=${encodeURIComponent(label)}`, 50);
        assert.equal(listed[0].id, id, label);
      }
    });

    test('a character of many parts counts as many characters', async () => {
      const { status, json } = await change({
        message_ids: [await appended()],
        op: 'add',
        labels: [`a${'\u0301'.repeat(255)}`],
      });
      assert.deepEqual([status, json.error.code], [400, 'validation_failed']);
    });

    test('a message carries at most 100 labels (MAIL-18)', async () => {
      const id = await appended();
      const hundred = Array.from({ length: 100 }, (_, i) => `label ${i}`);
      await labelsAfter(id, 'add', hundred);
      assert.equal((await labelsAfter(id, 'add', hundred)).length, 100);
      const other = await appended();
      const body = { message_ids: [other, id], op: 'add', labels: ['one more'] };
      const { status, json } = await change(body);
      assert.deepEqual([status, json.error.code], [400, 'validation_failed']);
      assert.partialDeepStrictEqual(json.error.details.errors, [{ pointer: '/labels', code: 'too_many' }]);
      assert.deepEqual((await message(other)).labels, []);
    });

    test('the labels of a message have at most 2,500 characters together (MAIL-18)', async () => {
      const id = await appended();
      const nine = Array.from({ length: 9 }, (_, i) => `${i} ${'x'.repeat(250)}`);
      assert.deepEqual(await labelsAfter(id, 'add', nine), nine);
      const body = { message_ids: [id], op: 'add', labels: ['y'.repeat(255)] };
      const { status, json } = await change(body);
      assert.deepEqual([status, json.error.code], [400, 'validation_failed']);
      assert.partialDeepStrictEqual(json.error.details.errors, [{ pointer: '/labels', code: 'too_many' }]);
      assert.deepEqual((await message(id)).labels, nine);
      assert.deepEqual(await labelsAfter(id, 'remove', nine.slice(1)), nine.slice(0, 1));
    });

    test('results come in the order asked, each message once (MAIL-54, MAIL-56)', async () => {
      const ids = [await appended(), await appended(), await appended()];
      const asked = [2, 0, 2, 1, 0].map((i) => ids[i]);
      const results = data(await change({ message_ids: asked, op: 'add', flags: ['read'] }));
      assert.deepEqual(
        results.map(({ id }: { id: string }) => id),
        [ids[2], ids[0], ids[1]],
      );
    });

    test('a batch of 1,000 is taken, counted as sent (API-158, MAIL-54)', async () => {
      const id = await appended();
      const results = data(await change({ message_ids: Array(1_000).fill(id), op: 'add', flags: ['draft'] }));
      assert.equal(results.length, 1);
      const { status, json } = await change({ message_ids: Array(1_001).fill(id), op: 'add' });
      assert.equal(status, 400);
      assert.partialDeepStrictEqual(json.error.details.errors, [
        { pointer: '/message_ids', code: 'too_many' },
      ]);
    });

    test('when some are not in the folder nothing changes, and those are named (API-40, MAIL-54, MAIL-55)', async () => {
      const [here, elsewhere] = [await appended(), await appended('', archive)];
      const asked = [UNKNOWN, here, elsewhere, 'x', UNKNOWN];
      const { status, json } = await change({ message_ids: asked, op: 'set', flags: ['read'] });
      assert.deepEqual([status, json.error.code], [400, 'messages_not_in_folder']);
      assert.deepEqual(json.error.details, { message_ids: [UNKNOWN, elsewhere, 'x'] });
      assert.deepEqual((await message(here)).flags, NO_FLAGS);
    });

    test('listings and counts follow flags and labels (MAIL-11, MAIL-15)', async () => {
      const fresh = data(await app.post('/v1/folders', { name: 'Followed' }), 201).id;
      const ids = [await appended('?label=q', fresh), await appended('', fresh), await appended('', fresh)];
      assert.deepEqual(await folderCounts(app, fresh), [3, 3]);
      const some = [ids[0], ids[2]];
      await change({ message_ids: some, op: 'add', flags: ['read'], labels: ['p'] }, fresh);
      assert.deepEqual(await folderCounts(app, fresh), [3, 1]);
      const listed = async (query: string) =>
        (await everyPage(app, `/v1/messages?folder_id=${fresh}&${query}`, 50)).map(({ id }) => id).sort();
      assert.deepEqual(await listed('flag=read'), some.toSorted());
      assert.deepEqual(await listed('unread=true'), [ids[1]]);
      assert.deepEqual(await listed('label=p&label=q'), [ids[0]]);
      assert.deepEqual(await listed('label=q&flag=read'), [ids[0]]);
      await change({ message_ids: ids, op: 'set', flags: ['deleted'] }, fresh);
      assert.deepEqual(await folderCounts(app, fresh), [3, 3]);
      assert.deepEqual(await listed('flag=deleted'), ids.toSorted());
      assert.deepEqual(await listed('label=p'), []);
    });

    test('a repeat with the same Idempotency-Key is answered as before and changes nothing', async () => {
      const [id, labelled] = [await appended(), await appended('?label=%22%2C%22&label=%C3%A9&flag=draft')];
      const options = { idempotencyKey: randomUUID() };
      const path = `/v1/folders/${inbox}/messages/flags`;
      const body = { message_ids: [id, labelled, id], op: 'add', flags: ['read'], labels: ['once'] };
      const first = await app.post(path, body, options);
      assert.deepEqual(
        data(first).map((result: { labels: string[] }) => result.labels),
        [['once'], ['","', 'é', 'once']],
      );
      await change({ message_ids: [id, labelled], op: 'set' });
      const again = await app.post(path, body, options);
      assert.equal(again.text, first.text);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      assert.deepEqual((await message(id)).labels, []);
    });

    test('a repeat without labels is answered as before', async () => {
      const id = await appended();
      const options = { idempotencyKey: randomUUID() };
      const path = `/v1/folders/${inbox}/messages/flags`;
      const body = { message_ids: [id], op: 'add', flags: ['read', 'deleted'] };
      const first = await app.post(path, body, options);
      assert.equal((await app.post(path, body, options)).text, first.text);
    });

    test('repeats of what was done together are the first answers, headers too, when the messages are gone', async () => {
      const folder = data(await app.post('/v1/folders', { name: 'Emptied' }), 201).id;
      const ids = await Promise.all(
        ['', '?label=%E6%97%A5', '?flag=draft'].map((query) => appended(query, folder)),
      );
      const bodies = [
        { message_ids: ids, op: 'add', flags: ['read'] },
        { message_ids: [...ids, ...ids.toReversed()], op: 'add', labels: ['Größe', '"],[', '\u2028'] },
        { message_ids: new Array(1_000).fill(ids[1]), op: 'remove', flags: ['read'] },
        { message_ids: ids.slice(1), op: 'set' },
      ];
      const requests = bodies.map((body) => ({ body, idempotencyKey: randomUUID() }));
      const path = `/v1/folders/${folder}/messages/flags`;
      const ask = () => Promise.all(requests.map((request) => app.request('POST', path, request)));
      const first = await ask();
      await change({ message_ids: ids, op: 'set', flags: ['deleted'] }, folder);
      assert.deepEqual(data(await app.post(`/v1/folders/${folder}/expunge`)), { expunged: ids.length });
      const again = await ask();
      assert.deepEqual(again.map(seen), first.map(seen));
      assert.ok(again.every(({ headers }) => headers.get('idempotency-replayed') === 'true'));
    });

    test('a refused batch is not kept: once the messages are there it succeeds', async () => {
      const id = await appended('', archive);
      const options = { idempotencyKey: randomUUID() };
      const body = { message_ids: [id], op: 'add', flags: ['read'] };
      const path = `/v1/folders/${inbox}/messages/flags`;
      assert.equal((await app.post(path, body, options)).status, 400);
      await app.post(`/v1/folders/${archive}/messages/move`, { message_ids: [id], to_folder_id: inbox });
      assert.equal((await app.post(path, body, options)).status, 200);
    });
  });
});
