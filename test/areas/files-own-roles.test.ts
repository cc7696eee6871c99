/** The role of the caller in records of the drive, and how deep folders lie in each other. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { makeDocument } from './documents-world.ts';
import { makeFolder, makePerson, type Person, putFile, shareWith } from './files-world.ts';

forEachEngine((engine) => {
  describe('own roles', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    /** The title and the role of each record of a list. */
    const rolesIn = async ({ key }: Person, path: string): Promise<[string, string][]> =>
      data(await app.get(path, { key }))
        .map((one: Record<string, string>) => [one.title ?? one.name, one.role])
        .sort();

    it('records tell the role of the caller where it is asked for (FILE-89)', async () => {
      const [ada, bob] = [await makePerson(app), await makePerson(app)];
      const file = await putFile(app, ada, { filename: 'file' });
      await shareWith(app, ada, file.id, bob.id, 'commenter');
      for (const path of ['/v1/files', `/v1/files/${file.id}`]) {
        const [plain] = [data(await app.get(path, { key: bob.key }))].flat();
        const [told] = [data(await app.get(`${path}?include=role`, { key: bob.key }))].flat();
        assert.equal('role' in plain, false);
        assert.deepEqual(told, { ...plain, role: 'commenter' });
        const [own] = [data(await app.get(`${path}?include=role`, { key: ada.key }))].flat();
        assert.equal(own.role, 'owner');
      }
    });

    it('of a direct grant, one to a group and those of folders above, the highest is told (FILE-63, FILE-89)', async () => {
      const [ada, bob] = [await makePerson(app), await makePerson(app)];
      const group = data(await app.post('/v1/groups', { name: 'Team', member_ids: [bob.id] }), 201).id;
      const outer = await makeFolder(app, ada, 'outer');
      const inner = await makeFolder(app, ada, 'inner', outer.id);
      const titled = (filename: string, folderId = '') => putFile(app, ada, { filename, folderId });
      await titled('in outer', outer.id);
      const raised = await titled('raised', outer.id);
      await titled('in inner', inner.id);
      const alone = await titled('alone');
      await titled('unseen');
      const sheet = await makeDocument(app, ada, {
        type: 'spreadsheet',
        title: 'sheet',
        folder_id: inner.id,
      });
      await shareWith(app, ada, outer.id, bob.id, 'viewer');
      await shareWith(app, ada, inner.id, group, 'editor');
      await shareWith(app, ada, raised.id, bob.id, 'manager');
      await shareWith(app, ada, alone.id, group, 'viewer');
      await putFile(app, bob, { filename: 'own' });
      const shared = [
        ['alone', 'viewer'],
        ['in inner', 'editor'],
        ['in outer', 'viewer'],
        ['raised', 'manager'],
      ] as const;
      assert.deepEqual(await rolesIn(bob, '/v1/files?shared=true&include=role'), shared);
      assert.deepEqual(
        await rolesIn(bob, '/v1/files?include=role&limit=200'),
        [...shared, ['own', 'owner']].sort(),
      );
      assert.deepEqual(await rolesIn(bob, `/v1/files?folder_id=${outer.id}&include=role`), [
        ['in outer', 'viewer'],
        ['raised', 'manager'],
      ]);
      assert.deepEqual(await rolesIn(bob, '/v1/files?q=in+o&include=role'), [['in outer', 'viewer']]);
      assert.deepEqual(await rolesIn(bob, '/v1/file-folders?include=role'), [
        ['inner', 'editor'],
        ['outer', 'viewer'],
      ]);
      assert.deepEqual(await rolesIn(bob, '/v1/documents?include=role'), [['sheet', 'editor']]);
      const read = data(await app.get(`/v1/documents/${sheet.id}?include=role`, { key: bob.key }));
      assert.equal(read.role, 'editor');
      assert.deepEqual(await rolesIn(ada, '/v1/file-folders?include=role'), [
        ['inner', 'owner'],
        ['outer', 'owner'],
      ]);
    });

    it('what the role says is what access tells of the caller (FILE-73, FILE-89)', async () => {
      const [ada, bob] = [await makePerson(app), await makePerson(app)];
      const folder = await makeFolder(app, ada, 'folder');
      const file = await putFile(app, ada, { folderId: folder.id });
      for (const role of ['viewer', 'commenter', 'editor', 'manager']) {
        await shareWith(app, ada, folder.id, bob.id, role);
        const access = data(await app.get(`/v1/files/${file.id}/access`, { key: bob.key }));
        const own = access.find(({ user_id }: { user_id: string }) => user_id === bob.id);
        const told = data(await app.get(`/v1/files/${file.id}?include=role`, { key: bob.key }));
        assert.deepEqual([told.role, own.role], [role, role]);
      }
    });

    it('an unknown part of a record is refused (FILE-89)', async () => {
      for (const path of ['/v1/files', '/v1/documents', '/v1/file-folders'])
        for (const include of ['access', '', 'Role']) {
          const answer = await app.get(`${path}?include=${include}`);
          assert.deepEqual([answer.status, answer.json.error.code], [400, 'validation_failed']);
        }
    });

    it('folders lie in each other to a depth of 100, also of those that are in the trash (FILE-90)', async () => {
      const ada = await makePerson(app);
      const { key } = ada;
      const chain: string[] = [];
      for (let i = 1; i <= 100; i++) chain.push((await makeFolder(app, ada, `${i}`, chain.at(-1))).id);
      const refused = async (answer: ReturnType<TestApp['post']>, parentId: string | undefined) => {
        const { status, json, text } = await answer;
        assert.deepEqual([status, json.error?.code], [409, 'folder_too_deep'], text);
        assert.deepEqual(json.error.details, { parent_id: parentId, most: 100 });
      };
      const moved = (id: string, parent_id: string | undefined) =>
        app.put(`/v1/file-folders/${id}`, { parent_id }, { key });
      await refused(app.post('/v1/file-folders', { name: '101', parent_id: chain[99] }, { key }), chain[99]);
      await putFile(app, ada, { folderId: chain[99] ?? '' });
      const [top, inner] = [await makeFolder(app, ada, 'top'), await makeFolder(app, ada, 'inner')];
      assert.equal((await moved(inner.id, top.id)).status, 200);
      await refused(moved(top.id, chain[98]), chain[98]);
      assert.equal((await app.delete(`/v1/file-folders/${inner.id}`, { key })).status, 204);
      await refused(moved(top.id, chain[98]), chain[98]);
      assert.equal((await moved(top.id, chain[97])).status, 200);
      assert.equal((await app.post(`/v1/file-folders/${inner.id}/restore`, undefined, { key })).status, 200);
      const above = await makeFolder(app, ada, 'above');
      await refused(moved(chain[0] ?? '', above.id), above.id);
      assert.equal((await app.put(`/v1/file-folders/${chain[99]}`, { name: 'x' }, { key })).status, 200);
    });
  });
});
