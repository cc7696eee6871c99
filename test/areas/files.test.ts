/** Files and file folders over HTTP: records, lists, names, moves and the trash. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { listingSortKey } from '../../src/areas/drive/record.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey, readPages } from './accounts.ts';
import {
  listedIds,
  makeFolder,
  makePerson,
  type Person,
  putFile,
  shareWith,
  theOwner,
} from './files-world.ts';

forEachEngine((engine) => {
  describe('files', () => {
    let app: TestApp;
    let person: Person;

    before(async () => {
      app = await startApp(engine);
    });
    beforeEach(async () => {
      person = await makePerson(app);
    });
    after(() => app.stop());

    test('the records of a file and of a folder have the fields that the interface names (FILE-2, FILE-3, FILE-4, FILE-5, FILE-7, FILE-8, FILE-9, FILE-10, FILE-11, FILE-55, FILE-56)', async () => {
      const folder = await makeFolder(app, person, 'Reports');
      const file = await putFile(app, person, {
        filename: 'Größe "q".pdf',
        mimeType: 'application/pdf',
        bytes: Buffer.alloc(10),
        folderId: folder.id,
      });
      assert.match(file.id, /^file_[0-9a-z]{26}$/);
      for (const time of [file.created_at, folder.created_at])
        assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(file, {
        id: file.id,
        type: 'file',
        title: 'Größe "q".pdf',
        filename: 'Größe "q".pdf',
        mime_type: 'application/pdf',
        size_bytes: 10,
        state: 'active',
        owner_id: person.id,
        folder_id: folder.id,
        created_at: file.created_at,
        updated_at: file.created_at,
      });
      assert.deepEqual(folder, {
        id: folder.id,
        name: 'Reports',
        parent_id: '',
        owner_id: person.id,
        trashed: false,
        created_at: folder.created_at,
        updated_at: folder.created_at,
      });
    });

    test('files are listed newest first, page by page, each once, while more arrive (FILE-16)', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 7; i++) ids.unshift((await putFile(app, person)).id);
      for (const limit of [1, 3, 7, 200]) {
        const items = await readPages(app, '/v1/files', limit, person);
        assert.deepEqual(
          items.map(({ id }) => id),
          ids,
        );
      }
      const first = (await app.get('/v1/files?limit=3', person)).json;
      await putFile(app, person);
      const next = `/v1/files?limit=3&cursor=${first.pagination.next_cursor}`;
      assert.deepEqual(await listedIds(app, person, next), ids.slice(3, 6));
    });

    test('a filter that is false is the same filter for a cursor as none (API-141)', async () => {
      for (let i = 0; i < 2; i++) await putFile(app, person);
      const pageAfter = async (filters: string, next: string) => {
        const { pagination } = (await app.get(`/v1/files?limit=1${filters}`, person)).json;
        return app.get(`/v1/files?limit=1${next}&cursor=${pagination.next_cursor}`, person);
      };
      const spelled = '&trashed=false&shared=false';
      assert.equal((await pageAfter('', spelled)).status, 200);
      assert.equal((await pageAfter(spelled, '')).status, 200);
      const refused = await pageAfter('', '&trashed=true');
      assert.deepEqual([refused.status, refused.json.error.details], [400, { reason: 'other_filters' }]);
    });

    test('what is shared is in its place of the pages, also of several that are as old', async () => {
      const owner = await theOwner(app);
      const ids: string[] = [];
      for (let i = 0; i < 8; i++) {
        const file = await putFile(app, i % 2 ? owner : person);
        if (i % 2) await shareWith(app, owner, file.id, person.id, 'viewer');
        ids.unshift(file.id);
      }
      await app.services.database.write(async (tx) => {
        for (const id of ids) {
          const place = listingSortKey({ id, created_at: 1_700_000_000_000 });
          await tx.updateTable('nodes').set({ place }).where('id', '=', id).execute();
          await tx.updateTable('node_grants').set({ node_place: place }).where('node_id', '=', id).execute();
        }
      });
      const items = await readPages(app, '/v1/files', 3, person);
      assert.deepEqual(
        items.map(({ id }) => id),
        ids.toSorted().reverse(),
      );
    });

    test('either of two permissions lists and gets files, and that of documents reads no content (FILE-16, FILE-20, FILE-21)', async () => {
      const owner = await theOwner(app);
      const { id } = await putFile(app, owner);
      const { key } = await makeKey(app, ['docs.documents.read']);
      assert.equal((await app.get('/v1/files', { key })).status, 200);
      assert.equal((await app.get(`/v1/files/${id}`, { key })).status, 200);
      assert.equal((await app.get(`/v1/files/${id}/content`, { key })).status, 403);
      assert.equal((await app.get('/v1/file-folders', { key })).status, 403);
    });

    test('a search of files finds a fragment of the title in any case, and takes nothing for a pattern (FILE-18)', async () => {
      const titles = ['Straße.txt', 'STRASSE 2', 'a_b', 'axb', '100%', 'ΟΔΟΣ'];
      const made = await Promise.all(titles.map((filename) => putFile(app, person, { filename })));
      const found = async (q: string) => {
        const items = data(await app.get(`/v1/files?q=${encodeURIComponent(q)}`, person));
        return items.map(({ title }: { title: string }) => title).sort();
      };
      assert.deepEqual(await found('strasse'), ['STRASSE 2', 'Straße.txt']);
      assert.deepEqual(await found('_'), ['a_b']);
      assert.deepEqual(await found('%'), ['100%']);
      assert.deepEqual(await found('οδος'), ['ΟΔΟΣ']);
      assert.deepEqual(await found('zzz'), []);
      assert.equal((await found('')).length, titles.length);
      await app.put(`/v1/files/${made[0].id}`, { title: 'Weg' }, person);
      assert.deepEqual(await found('strasse'), ['STRASSE 2']);
      assert.deepEqual(await found('weg'), ['Weg']);
    });

    test('filters of files combine, over files that are owned and files that are shared (FILE-17, FILE-18, FILE-19)', async () => {
      const owner = await theOwner(app);
      const folder = await makeFolder(app, person, 'F');
      const inFolder = await putFile(app, person, { filename: 'one', folderId: folder.id });
      const atRoot = await putFile(app, person, { filename: 'one' });
      const trashed = await putFile(app, person, { filename: 'one', folderId: folder.id });
      await app.delete(`/v1/files/${trashed.id}`, person);
      const shared = await putFile(app, owner, { filename: 'one more' });
      await shareWith(app, owner, shared.id, person.id, 'viewer');
      const listed = (query: string) => listedIds(app, person, `/v1/files?${query}`);
      assert.deepEqual(await listed('q=ONE'), [shared.id, atRoot.id, inFolder.id]);
      assert.deepEqual(await listed(`q=one&folder_id=${folder.id}`), [inFolder.id]);
      assert.deepEqual(await listed('q=one&folder_id='), [shared.id, atRoot.id]);
      assert.deepEqual(await listed('q=more'), [shared.id]);
      assert.deepEqual(await listed('trashed=true'), [trashed.id]);
      assert.deepEqual(await listed(`trashed=true&q=on&folder_id=${folder.id}`), [trashed.id]);
      assert.deepEqual(await listed('trashed=true&folder_id='), []);
      for (const unknown of ['dir_unknown', 'x', folder.id.slice(1)]) {
        assert.deepEqual(await listed(`folder_id=${unknown}`), []);
      }
    });

    test('a change, a restoration or a deletion that changes nothing leaves the record of a file as it is, and a new title leaves its filename (FILE-24, FILE-25, FILE-26)', async () => {
      const file = await putFile(app, person);
      assert.deepEqual(data(await app.put(`/v1/files/${file.id}`, { title: file.title }, person)), file);
      assert.deepEqual(data(await app.post(`/v1/files/${file.id}/restore`, undefined, person)), file);
      const renamed = data(await app.put(`/v1/files/${file.id}`, { title: 'Other' }, person));
      assert.equal(renamed.title, 'Other');
      assert.equal(renamed.filename, file.filename);
      await app.delete(`/v1/files/${file.id}`, person);
      const once = data(await app.get(`/v1/files/${file.id}`, person));
      assert.equal((await app.delete(`/v1/files/${file.id}`, person)).status, 204);
      assert.deepEqual(data(await app.get(`/v1/files/${file.id}`, person)), once);
    });

    test('a folder cannot be moved below itself, however deep, and is trashed, listed and restored with all that is in it (FILE-8, FILE-57, FILE-58, FILE-60, FILE-61, FILE-62)', async () => {
      let folder = await makeFolder(app, person, 'top');
      const top = folder;
      for (let i = 0; i < 30; i++) folder = await makeFolder(app, person, `${i}`, folder.id);
      for (const parent of [top.id, folder.id]) {
        const answer = await app.put(`/v1/file-folders/${top.id}`, { parent_id: parent }, person);
        assert.equal(answer.json.error?.code, 'folder_cycle', answer.text);
      }
      const file = await putFile(app, person, { folderId: folder.id });
      await app.delete(`/v1/file-folders/${top.id}`, person);
      assert.equal(data(await app.get(`/v1/files/${file.id}`, person)).state, 'trashed');
      assert.equal(data(await app.get('/v1/file-folders', person)).length, 0);
      assert.equal(data(await app.get('/v1/file-folders?trashed=true', person)).length, 1);
      await app.post(`/v1/file-folders/${top.id}/restore`, undefined, person);
      const all = await app.get('/v1/file-folders', person);
      assert.deepEqual([data(all).length, all.json.pagination], [31, undefined]);
      assert.deepEqual(await listedIds(app, person, '/v1/files'), [file.id]);
    });

    test('a folder inside a trashed one says that it is trashed, and is renamed there (FILE-56, FILE-60)', async () => {
      const top = await makeFolder(app, person, 'top');
      const inner = await makeFolder(app, person, 'inner', top.id);
      await app.delete(`/v1/file-folders/${top.id}`, person);
      const renamed = data(await app.put(`/v1/file-folders/${inner.id}`, { name: 'other' }, person));
      assert.deepEqual([renamed.name, renamed.parent_id, renamed.trashed], ['other', top.id, true]);
      const moved = data(await app.put(`/v1/file-folders/${inner.id}`, { parent_id: '' }, person));
      assert.deepEqual([moved.parent_id, moved.trashed], ['', false]);
    });

    test('folders of others are no target, nor is a file or a mail folder (FILE-29, FILE-63)', async () => {
      const owner = await theOwner(app);
      const foreign = await makeFolder(app, owner, 'Mine');
      const file = await putFile(app, person);
      const inbox = data(await app.get('/v1/folders', person))[0].id;
      for (const target of [foreign.id, file.id, inbox, 'dir_unknown']) {
        const moved = await app.put(`/v1/files/${file.id}`, { folder_id: target }, person);
        const created = await app.post('/v1/file-folders', { name: 'N', parent_id: target }, person);
        for (const answer of [moved, created]) {
          assert.equal(answer.status, 404, answer.text);
          assert.deepEqual(answer.json.error.details, { resource: 'file_folder', id: target });
        }
      }
    });

    test('several folders of one parent may have the same name (FILE-59)', async () => {
      const [one, two] = [await makeFolder(app, person, 'Same'), await makeFolder(app, person, 'Same')];
      assert.deepEqual(await listedIds(app, person, '/v1/file-folders'), [one.id, two.id]);
    });

    test('two folders that are moved into each other at once do not make a circle', async () => {
      for (let round = 0; round < 5; round++) {
        const [a, b] = [await makeFolder(app, person, 'a'), await makeFolder(app, person, 'b')];
        const answers = await Promise.all([
          app.put(`/v1/file-folders/${a.id}`, { parent_id: b.id }, person),
          app.put(`/v1/file-folders/${b.id}`, { parent_id: a.id }, person),
        ]);
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      }
    });

    test('a folder that is created while its parent is trashed is hidden with it or refused (FILE-28)', async () => {
      for (let round = 0; round < 5; round++) {
        const folder = await makeFolder(app, person, 'f');
        const [created] = await Promise.all([
          app.post('/v1/file-folders', { name: 'in', parent_id: folder.id }, person),
          app.delete(`/v1/file-folders/${folder.id}`, person),
        ]);
        assert.ok([201, 409].includes(created.status), created.text);
        assert.deepEqual(await listedIds(app, person, '/v1/file-folders'), []);
      }
    });
  });
});
