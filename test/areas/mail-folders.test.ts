import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { type Answer, startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { append, folderOf, rfc822 } from './mail-world.ts';

interface Folder {
  id: string;
  name: string;
  parent_id: string;
  role: string | null;
}

forEachEngine((engine) => {
  describe('making and changing folders', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const created = async (name: string, parentId?: string) =>
      data(
        await app.post('/v1/folders', { name, ...(parentId !== undefined && { parent_id: parentId }) }),
        201,
      );
    const folders = async (): Promise<Folder[]> => data(await app.get('/v1/folders'));
    const assertRefused = ({ status, json }: Answer, expected: number, code: string, details: object) => {
      assert.deepEqual([status, json.error.code], [expected, code]);
      assert.partialDeepStrictEqual(json.error.details, details);
    };

    test('a new folder is empty, has no role and is listed (MAIL-3, MAIL-5)', async () => {
      const folder = await created('Receipts');
      const { id, created_at, ...rest } = folder;
      assert.match(id, /^fld_/);
      assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
      assert.deepEqual(rest, {
        name: 'Receipts',
        parent_id: '',
        role: null,
        message_count: 0,
        unread_count: 0,
      });
      assert.deepEqual((await folders()).at(-1), folder);
    });

    test('folders nest, and the root can be named as "" (API-17, MAIL-5)', async () => {
      const year = await created('2026', '');
      const month = await created('March', year.id);
      assert.equal(year.parent_id, '');
      assert.equal(month.parent_id, year.id);
    });

    test('a mail folder is no folder of the drive, nor the other way round (MAIL-1)', async () => {
      const { id: mail } = await created('Mail');
      const { id: drive } = data(await app.post('/v1/file-folders', { name: 'Drive' }), 201);
      const idsAt = async (path: string) => data(await app.get(path)).map(({ id }: Folder) => id);
      assert.deepEqual(
        [(await idsAt('/v1/folders')).includes(mail), (await idsAt('/v1/folders')).includes(drive)],
        [true, false],
      );
      assert.deepEqual(await idsAt('/v1/file-folders'), [drive]);
      for (const path of [`/v1/folders/${drive}`, `/v1/file-folders/${mail}`])
        assert.equal((await app.put(path, { name: 'Other' })).status, 404, path);
    });

    test('a name is taken within its parent only, and compared exactly (MAIL-7)', async () => {
      const first = await created('Taken');
      const taken = { folder_id: first.id, name: 'Taken', parent_id: '' };
      assertRefused(await app.post('/v1/folders', { name: 'Taken' }), 409, 'folder_exists', taken);
      const again = await app.post('/v1/folders', { name: 'Taken', parent_id: '' });
      assertRefused(again, 409, 'folder_exists', taken);
      await created('Taken', first.id);
      await created('taken');
      await created('Taken ');
    });

    test('an unknown parent is not found (MAIL-9)', async () => {
      for (const parent of ['fld_01h2xcejqtf2nbrexx3vqjhp41', 'x', 'msg_01h2xcejqtf2nbrexx3vqjhp41']) {
        const details = { resource: 'folder', id: parent };
        const answer = await app.post('/v1/folders', { name: 'Orphan', parent_id: parent });
        assertRefused(answer, 404, 'not_found', details);
        const { id } = (await folders()).at(-1) ?? {};
        assertRefused(await app.put(`/v1/folders/${id}`, { parent_id: parent }), 404, 'not_found', details);
      }
      assert.ok(!(await folders()).some(({ name }) => name === 'Orphan'));
    });

    test('a name has 1 to 255 characters, without "/" and control characters (MAIL-6)', async () => {
      await created('ä'.repeat(255));
      await created('😀'.repeat(255));
      for (const name of [
        '',
        'x'.repeat(256),
        'a/b',
        '/',
        'a\nb',
        '\u007f',
        '\u0085',
        `a${'\u0301'.repeat(255)}`,
      ])
        assertRefused(await app.post('/v1/folders', { name }), 400, 'validation_failed', {});
    });

    test('a folder is renamed, moved, or both; what is in it goes with it (MAIL-8)', async () => {
      const [folder, other] = [await created('Old name'), await created('Other')];
      await append(app, folder.id, rfc822(), { query: '?flag=read' });
      await append(app, folder.id, rfc822());
      const now = { ...folder, message_count: 2, unread_count: 1 };
      const put = async (body: object) => data(await app.put(`/v1/folders/${folder.id}`, body));
      assert.deepEqual(await put({ name: 'New name' }), { ...now, name: 'New name' });
      assert.deepEqual(await put({ parent_id: other.id }), { ...now, name: 'New name', parent_id: other.id });
      assert.deepEqual(await put({ name: 'Both', parent_id: '' }), { ...now, name: 'Both' });
      assert.deepEqual(await put({ name: 'Both' }), { ...now, name: 'Both' });
      assert.partialDeepStrictEqual(await folders(), [{ id: folder.id, name: 'Both', message_count: 2 }]);
      await created('Old name');
    });

    test('a change to a name that is taken there is refused (MAIL-7)', async () => {
      const [parent, one] = [await created('Parent'), await created('One')];
      const inside = await created('One', parent.id);
      await created('Two');
      const put = (id: string, body: object) => app.put(`/v1/folders/${id}`, body);
      assertRefused(await put(one.id, { name: 'Two' }), 409, 'folder_exists', {});
      assertRefused(await put(inside.id, { parent_id: '' }), 409, 'folder_exists', { folder_id: one.id });
      assertRefused(await put(one.id, { parent_id: parent.id }), 409, 'folder_exists', {});
      assert.equal(data(await put(inside.id, { name: 'Three', parent_id: '' })).name, 'Three');
    });

    test('no folder comes to be in itself (MAIL-9)', async () => {
      const top = await created('Top');
      const middle = await created('Middle', top.id);
      const bottom = await created('Bottom', middle.id);
      for (const below of [top, middle, bottom]) {
        const answer = await app.put(`/v1/folders/${top.id}`, { parent_id: below.id });
        assertRefused(answer, 409, 'folder_cycle', { folder_id: top.id, parent_id: below.id });
      }
      assert.equal(data(await app.put(`/v1/folders/${bottom.id}`, { parent_id: top.id })).parent_id, top.id);
      assert.equal(
        data(await app.put(`/v1/folders/${middle.id}`, { parent_id: bottom.id })).parent_id,
        bottom.id,
      );
    });

    test('a folder with a role keeps it under another name and in another place (MAIL-8)', async () => {
      const inbox = await folderOf(app, 'inbox');
      const parent = await created('Mine');
      const renamed = data(await app.put(`/v1/folders/${inbox}`, { name: 'Post', parent_id: parent.id }));
      assert.partialDeepStrictEqual(renamed, {
        id: inbox,
        role: 'inbox',
        name: 'Post',
        parent_id: parent.id,
      });
      assert.equal(await folderOf(app, 'inbox'), inbox);
      await created('Inbox');
      assert.equal(await folderOf(app, 'inbox'), inbox);
    });

    test('of many who make or rename to the same name at once, one does (MAIL-7)', async () => {
      const others = await Promise.all(Array.from({ length: 8 }, (_, i) => created(`Rival ${i}`)));
      const answers = await Promise.all([
        ...Array.from({ length: 16 }, () => app.post('/v1/folders', { name: 'Prize' })),
        ...others.map(({ id }) => app.put(`/v1/folders/${id}`, { name: 'Prize' })),
      ]);
      assert.equal(answers.filter(({ status }) => status < 300).length, 1);
      assert.ok(answers.every(({ status }) => status < 300 || status === 409));
      assert.equal((await folders()).filter(({ name }) => name === 'Prize').length, 1);
    });

    test('folders that are moved into each other at once make no circle (MAIL-9)', async () => {
      const [a, b] = [await created('Left'), await created('Right')];
      const answers = await Promise.all([
        app.put(`/v1/folders/${a.id}`, { parent_id: b.id }),
        app.put(`/v1/folders/${b.id}`, { parent_id: a.id }),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    });

    test('a refusal is kept for its Idempotency-Key', async () => {
      const options = { idempotencyKey: randomUUID() };
      const { id } = await created('Kept');
      const first = await app.post('/v1/folders', { name: 'Kept' }, options);
      await app.put(`/v1/folders/${id}`, { name: 'Kept no more' });
      const again = await app.post('/v1/folders', { name: 'Kept' }, options);
      assert.deepEqual([again.status, again.text], [409, first.text]);
    });
  });
});
