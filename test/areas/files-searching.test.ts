/** Searching titles, held against looking at each: whatever happens to files, folders and grants in between. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../src/text/fold.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, readPages } from './accounts.ts';
import {
  listedIds,
  makeFolder,
  makePerson,
  type Person,
  putFile,
  shareWith,
  theOwner,
} from './files-world.ts';

/** Few letters, so that fragments meet; some that fold to others. */
const title = fc
  .array(fc.constantFrom('a', 'b', 'B', 'ß', 's', '%', '_', '🎬', ' '), { minLength: 1, maxLength: 12 })
  .map((letters) => letters.join(''));
const fragment = fc
  .array(fc.constantFrom('a', 'b', 's', 'S', '%', '🎬', ' '), { minLength: 1, maxLength: 5 })
  .map((letters) => letters.join(''));

forEachEngine((engine) => {
  describe('searching the drive', () => {
    let app: TestApp;
    let owner: Person;
    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
    });
    after(() => app.stop());

    const found = async (person: Person, query: Record<string, string>) => {
      const path = `/v1/files?${new URLSearchParams(query)}`;
      return (await readPages(app, path, 2, person)).map(({ id }) => id);
    };

    test('finds just what looking at each title finds, in the order of the list', async () => {
      const drafts = fc.array(fc.record({ title, shared: fc.boolean(), inFolder: fc.boolean() }), {
        minLength: 1,
        maxLength: 12,
      });
      const property = fc.asyncProperty(
        drafts,
        fc.array(fragment, { maxLength: 6 }),
        async (files, sought) => {
          const person = await makePerson(app);
          const folder = await makeFolder(app, person, 'f');
          for (const draft of files) {
            const folderId = !draft.shared && draft.inFolder ? folder.id : '';
            const { id } = await putFile(app, draft.shared ? owner : person, {
              filename: draft.title,
              folderId,
            });
            if (draft.shared) await shareWith(app, owner, id, person.id, 'viewer');
          }
          const all = data(await app.get('/v1/files?limit=200', person));
          for (const q of sought) {
            const held = all.filter((file: { title: string }) => fold(file.title).includes(fold(q)));
            assert.deepEqual(
              await found(person, { q }),
              held.map(({ id }: { id: string }) => id),
              q,
            );
            const inFolder = held.filter((file: { folder_id: string }) => file.folder_id === folder.id);
            const ids = inFolder.map(({ id }: { id: string }) => id);
            assert.deepEqual(await found(person, { q, folder_id: folder.id }), ids, q);
          }
        },
      );
      await fc.assert(property, { numRuns: 15, endOnFailure: true });
    });

    test('follows renaming, for everyone who reaches the file', async () => {
      const [person, other] = [await makePerson(app), await makePerson(app)];
      const group = data(await app.post('/v1/groups', { name: 'G', member_ids: [other.id] }), 201);
      const { id } = await putFile(app, owner, { filename: 'Quarterly report.pdf' });
      await shareWith(app, owner, id, person.id, 'editor');
      await shareWith(app, owner, id, group.id, 'viewer');
      const everyone = [owner, person, other];
      for (const reader of everyone) assert.deepEqual(await found(reader, { q: 'RTERLY REP' }), [id]);
      data(await app.put(`/v1/files/${id}`, { title: 'Yearly survey' }, person));
      for (const reader of everyone) {
        assert.deepEqual(await found(reader, { q: 'report' }), []);
        assert.deepEqual(await found(reader, { q: 'survey' }), [id]);
      }
    });

    test('follows sharing, roles and revoking', async () => {
      const person = await makePerson(app);
      const { id } = await putFile(app, owner, { filename: 'Secret recipe' });
      assert.deepEqual(await found(person, { q: 'recipe' }), []);
      const grant = await shareWith(app, owner, id, person.id, 'viewer');
      await shareWith(app, owner, id, person.id, 'editor');
      assert.deepEqual(await found(person, { q: 'recipe' }), [id]);
      await app.delete(`/v1/files/${id}/permissions/${grant.id}`);
      assert.deepEqual(await found(person, { q: 'recipe' }), []);
      await shareWith(app, owner, id, person.id, 'viewer');
      assert.deepEqual(await found(person, { q: 'recipe' }), [id]);
      const own = await shareWith(app, owner, id, owner.id, 'viewer');
      await app.delete(`/v1/files/${id}/permissions/${own.id}`);
      assert.deepEqual(await found(owner, { q: 'secret recipe' }), [id]);
    });

    test('a search of files passes over those in the trash, and finds there what the caller owns and trashed itself (FILE-19, FILE-25)', async () => {
      const person = await makePerson(app);
      const folder = await makeFolder(app, person, 'f');
      const [kept, gone, hidden] = [
        await putFile(app, person, { filename: 'note one' }),
        await putFile(app, person, { filename: 'note two' }),
        await putFile(app, person, { filename: 'note three', folderId: folder.id }),
      ];
      const shared = await putFile(app, owner, { filename: 'note four' });
      await shareWith(app, owner, shared.id, person.id, 'editor');
      await app.delete(`/v1/files/${gone.id}`, person);
      await app.delete(`/v1/files/${shared.id}`, person);
      await app.delete(`/v1/file-folders/${folder.id}`, person);
      assert.deepEqual(await found(person, { q: 'note' }), [kept.id]);
      assert.deepEqual(await found(person, { q: 'note', trashed: 'true' }), [gone.id]);
      await app.post(`/v1/file-folders/${folder.id}/restore`, undefined, person);
      await app.post(`/v1/files/${gone.id}/restore`, undefined, person);
      assert.deepEqual(await found(person, { q: 'note' }), [hidden.id, gone.id, kept.id]);
      assert.deepEqual(await listedIds(app, person, '/v1/files?q=note&trashed=true'), []);
    });
  });
});
