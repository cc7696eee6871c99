/** Mail folders that are deleted, and how deep folders lie in each other. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { type Answer, startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { changesOf } from './changes-feed.ts';
import { append, folderOf, rfc822 } from './mail-world.ts';

forEachEngine((engine) => {
  describe('deleting folders', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const made = async (name: string, parentId = ''): Promise<string> =>
      data(await app.post('/v1/folders', { name, parent_id: parentId }), 201).id;
    const listedIds = async (): Promise<string[]> =>
      data(await app.get('/v1/folders')).map(({ id }: { id: string }) => id);
    const assertRefused = ({ status, json, text }: Answer, code: string, details: object) => {
      assert.deepEqual([status, json.error?.code], [409, code], text);
      assert.deepEqual(json.error.details, details);
    };

    it('an empty folder is gone, and that is told once (CHANGE-81, MAIL-113)', async () => {
      const id = await made('Old');
      const seen = await changesOf(app, undefined, async () => {
        assert.equal((await app.delete(`/v1/folders/${id}`)).status, 204);
      });
      assert.deepEqual(
        seen.map(({ type, ids }) => [type, ids]),
        [['folder.deleted', { folder_id: id }]],
      );
      assert.ok(!(await listedIds()).includes(id));
      assert.equal((await app.delete(`/v1/folders/${id}`)).status, 404);
      assert.equal((await app.put(`/v1/folders/${id}`, { name: 'x' })).status, 404);
      await made('Old');
    });

    it('a folder that holds messages or folders is refused, and so is one with a role (API-166, API-167, MAIL-113)', async () => {
      const [id, inbox] = [await made('Full'), await folderOf(app, 'inbox')];
      const child = await made('Child', id);
      const withFolders = { folder_id: id, message_count: 0, has_folders: true };
      assertRefused(await app.delete(`/v1/folders/${id}`), 'folder_not_empty', withFolders);
      assert.equal((await app.delete(`/v1/folders/${child}`)).status, 204);
      const message = await append(app, id, rfc822());
      const withMessages = { folder_id: id, message_count: 1, has_folders: false };
      assertRefused(await app.delete(`/v1/folders/${id}`), 'folder_not_empty', withMessages);
      data(await app.post('/v1/messages/batch', { message_ids: [message.id], move_to: 'trash' }));
      for (const name of [inbox, 'inbox'])
        assertRefused(await app.delete(`/v1/folders/${name}`), 'folder_has_role', {
          folder_id: inbox,
          role: 'inbox',
        });
      assert.equal((await app.delete(`/v1/folders/${id}`)).status, 204);
      assert.equal(data(await app.get(`/v1/messages/${message.id}`)).folder_id, await folderOf(app, 'trash'));
    });

    it('what was expunged from it is restored to the inbox, and a filter makes it again (MAIL-63, MAIL-113)', async () => {
      const id = await made('Receipts');
      const message = await append(app, id, rfc822(), { query: '?flag=deleted' });
      data(await app.post(`/v1/folders/${id}/expunge`));
      assert.equal((await app.delete(`/v1/folders/${id}`)).status, 204);
      // The next folder does not take its place.
      await made('Next');
      const restored = data(await app.post(`/v1/messages/${message.id}/restore`));
      assert.equal(restored.folder_id, await folderOf(app, 'inbox'));
      const rule = {
        conditions: [{ field: 'subject', op: 'equals', value: 'Engine' }],
        actions: [{ type: 'move', folder: 'Receipts' }],
      };
      const filter = data(await app.post('/v1/mail/filters', { name: 'x', priority: 1, rule }), 201);
      data(await app.post(`/v1/mail/filters/${filter.id}/apply`, { folder_id: 'inbox' }));
      const again = data(await app.get('/v1/folders')).find(
        ({ name }: { name: string }) => name === 'Receipts',
      );
      assert.equal(again.message_count, 1);
      assert.notEqual(again.id, id);
    });

    it('folders lie in each other to a depth of 100 (API-165, MAIL-114)', async () => {
      const chain: string[] = [];
      for (let i = 1; i <= 100; i++) chain.push(await made(`Level ${i}`, chain.at(-1)));
      const details = { parent_id: chain[99], most: 100 };
      const below = await app.post('/v1/folders', { name: 'Level 101', parent_id: chain[99] });
      assertRefused(below, 'folder_too_deep', details);
      const [top, child] = [await made('Top'), await made('Other')];
      await made('Inner', child);
      const moved = (id: string, parent_id: string | undefined) =>
        app.put(`/v1/folders/${id}`, { parent_id });
      assertRefused(await moved(top, chain[99]), 'folder_too_deep', details);
      assertRefused(await moved(child, chain[98]), 'folder_too_deep', { ...details, parent_id: chain[98] });
      assert.equal((await moved(child, chain[97])).status, 200);
      assertRefused(await moved(chain[0] ?? '', top), 'folder_too_deep', { ...details, parent_id: top });
      assert.equal((await app.put(`/v1/folders/${chain[99]}`, { name: 'Renamed' })).status, 200);
    });
  });
});
