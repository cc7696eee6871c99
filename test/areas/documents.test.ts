/** Documents and spreadsheets over HTTP: records, lists, metadata, folders, trash, and how they keep apart from files. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey, makeWorkspace, problems, readPages } from './accounts.ts';
import { makeDocument } from './documents-world.ts';
import {
  listedIds,
  makeFolder,
  makePerson,
  type Person,
  putFile,
  shareWith,
  theOwner,
} from './files-world.ts';

const TYPES = ['document', 'spreadsheet'] as const;
const KIB_16 = 16 * 1024;
/** Metadata that is this long as compact JSON. */
const metadataOf = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

forEachEngine((engine) => {
  describe('documents', () => {
    let app: TestApp;
    let person: Person;

    before(async () => {
      app = await startApp(engine);
    });
    beforeEach(async () => {
      person = await makePerson(app);
    });
    after(() => app.stop());

    for (const type of TYPES) {
      test(`the record of a ${type} has the fields that the interface names (DOC-1, DOC-2, DOC-4, DOC-5, DOC-6, DOC-7, DOC-8, DOC-11, DOC-12)`, async () => {
        const folder = await makeFolder(app, person, 'Reports');
        const metadata = { 'ä"\\': [1, { b: null }], __proto__x: true };
        const document = await makeDocument(app, person, {
          type,
          title: 'Q1/Q2 "Größe"',
          folder_id: folder.id,
          metadata,
        });
        assert.match(document.id, /^[a-z]+_[0-9a-z]{26}$/);
        assert.match(document.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        assert.deepEqual(document, {
          id: document.id,
          type,
          title: 'Q1/Q2 "Größe"',
          state: 'active',
          owner_id: person.id,
          folder_id: folder.id,
          metadata,
          created_at: document.created_at,
          updated_at: document.created_at,
        });
        assert.deepEqual(data(await app.get(`/v1/documents/${document.id}`, person)), document);
      });
    }

    test('a document without folder and metadata is in the root and describes nothing (DOC-6, DOC-12)', async () => {
      const { folder_id, metadata } = await makeDocument(app, person);
      assert.deepEqual({ folder_id, metadata }, { folder_id: '', metadata: {} });
    });

    test('a title of 255 characters is kept (DOC-3)', async () => {
      const title = '🎬'.repeat(255);
      const { id } = await makeDocument(app, person, { title });
      const renamed = data(await app.put(`/v1/documents/${id}`, { title: title.replace('🎬', 'a') }, person));
      assert.deepEqual([renamed.title.length, Array.from(renamed.title).length], [509, 255]);
      for (const refused of [`${title}a`, 'a\u007fb', 'a\u0085b']) {
        const answer = await app.put(`/v1/documents/${id}`, { title: refused }, person);
        assert.equal(answer.status, 400, answer.text);
      }
    });

    test('documents are listed newest first, page by page, 25 at a time unless asked otherwise (DOC-9)', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 30; i++) {
        ids.unshift((await makeDocument(app, person, { type: TYPES[i % 2] })).id);
      }
      for (const limit of [1, 7, 30]) {
        const items = await readPages(app, '/v1/documents', limit, person);
        assert.deepEqual(
          items.map(({ id }) => id),
          ids,
        );
      }
      const page = (await app.get('/v1/documents', person)).json;
      assert.equal(page.data.length, 25);
      assert.deepEqual([page.pagination.limit, page.pagination.has_more], [25, true]);
      const clamped = (await app.get('/v1/documents?limit=1000', person)).json;
      assert.deepEqual([clamped.pagination.limit, clamped.data.length], [100, 30]);
    });

    test('filters of documents combine, over documents that are owned and documents that are shared (DOC-10)', async () => {
      const owner = await theOwner(app);
      const folder = await makeFolder(app, person, 'F');
      const inFolder = await makeDocument(app, person, { title: 'Straße', folder_id: folder.id });
      const sheet = await makeDocument(app, person, { title: 'STRASSE 2', type: 'spreadsheet' });
      const shared = await makeDocument(app, owner, { title: 'strasse 3' });
      await shareWith(app, owner, shared.id, person.id, 'viewer');
      const trashed = await makeDocument(app, person, { title: 'Strasse 4' });
      await app.delete(`/v1/documents/${trashed.id}`, person);
      const listed = (query: string) => listedIds(app, person, `/v1/documents?${query}`);
      assert.deepEqual(await listed('q=STRASSE'), [shared.id, sheet.id, inFolder.id]);
      assert.deepEqual(await listed('q=strasse&type=document'), [shared.id, inFolder.id]);
      assert.deepEqual(await listed('type=spreadsheet'), [sheet.id]);
      assert.deepEqual(await listed(`folder_id=${folder.id}`), [inFolder.id]);
      assert.deepEqual(await listed('folder_id=&q=3'), [shared.id]);
      assert.deepEqual(await listed('trashed=true'), [trashed.id]);
      assert.deepEqual(await listed('trashed=true&type=spreadsheet'), []);
      assert.deepEqual(await listed('q=%25'), []);
      for (const unknown of ['dir_unknown', 'x', folder.id.slice(1)]) {
        assert.deepEqual(await listed(`folder_id=${unknown}`), []);
      }
      await app.delete(`/v1/documents/${shared.id}`);
      assert.deepEqual(await listed('trashed=true'), [trashed.id]);
      assert.deepEqual(await listed('q=3'), []);
    });

    test('files are neither listed nor answered as documents, nor documents as files (FILE-1, FILE-16, FILE-20)', async () => {
      const file = await putFile(app, person);
      for (const type of TYPES) {
        const { id } = await makeDocument(app, person, { type });
        assert.deepEqual(await listedIds(app, person, '/v1/files'), [file.id]);
        for (const [method, path] of [
          ['GET', `/v1/files/${id}`],
          ['PUT', `/v1/files/${id}`],
          ['DELETE', `/v1/files/${id}`],
          ['POST', `/v1/files/${id}/restore`],
          ['GET', `/v1/files/${id}/content`],
          ['GET', `/v1/documents/${file.id}`],
          ['PUT', `/v1/documents/${file.id}`],
          ['DELETE', `/v1/documents/${file.id}`],
          ['POST', `/v1/documents/${file.id}/restore`],
          ['GET', `/v1/documents/${file.id}/content`],
        ] as const) {
          const body = method === 'PUT' ? { title: 'T' } : undefined;
          const answer = await app.request(method, path, { key: person.key, body });
          assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`);
          assert.equal(answer.json.error.code, 'not_found');
        }
        const mail = { to: ['owner@localhost'], file_ids: [id] };
        const sent = await app.post('/v1/messages', mail, person);
        assert.deepEqual([sent.status, sent.json.error.details], [404, { resource: 'file', id }]);
      }
      assert.ok(!(await listedIds(app, person, '/v1/documents')).includes(file.id));
    });

    test('documents are shared as files are, at the address of files, and stay those of their owner (DOC-5, FILE-65)', async () => {
      const friend = await makePerson(app);
      for (const type of TYPES) {
        const { id } = await makeDocument(app, person, { type });
        assert.equal((await app.get(`/v1/documents/${id}`, friend)).status, 404);
        const grant = await shareWith(app, person, id, friend.id, 'viewer');
        assert.deepEqual(data(await app.get(`/v1/files/${id}/permissions`, friend)), [grant]);
        assert.deepEqual(
          data(await app.get(`/v1/files/${id}/access`, friend)).map((way: { role: string }) => way.role),
          ['owner', 'viewer'],
        );
        assert.equal(data(await app.get(`/v1/documents/${id}`, friend)).owner_id, person.id);
        assert.ok((await listedIds(app, friend, '/v1/documents')).includes(id));
        assert.equal((await app.delete(`/v1/files/${id}/permissions/${grant.id}`, person)).status, 204);
        assert.equal((await app.get(`/v1/documents/${id}`, friend)).status, 404);
      }
    });

    test('a change of a document replaces its title, and its metadata as a whole (DOC-15)', async () => {
      const { id } = await makeDocument(app, person, { metadata: { a: 1, b: 2 } });
      await sleep(2);
      const changed = data(await app.put(`/v1/documents/${id}`, { metadata: { b: 3 } }, person));
      assert.deepEqual(changed.metadata, { b: 3 });
      assert.ok(changed.updated_at > changed.created_at);
      const renamed = data(await app.put(`/v1/documents/${id}`, { title: 'New' }, person));
      assert.deepEqual([renamed.title, renamed.metadata], ['New', { b: 3 }]);
      const emptied = data(await app.put(`/v1/documents/${id}`, { metadata: {} }, person));
      assert.deepEqual(emptied.metadata, {});
      assert.deepEqual(data(await app.get('/v1/documents', person))[0], emptied);
    });

    test('metadata has at most 16 KiB, in bytes (DOC-7)', async () => {
      const full = metadataOf(KIB_16);
      assert.deepEqual((await makeDocument(app, person, { metadata: full })).metadata, full);
      const { id } = await makeDocument(app, person);
      for (const metadata of [metadataOf(KIB_16 + 1), { ä: 'ä'.repeat(KIB_16 / 2) }]) {
        for (const answer of [
          await app.post('/v1/documents', { type: 'document', title: 'T', metadata }, person),
          await app.put(`/v1/documents/${id}`, { metadata }, person),
        ]) {
          assert.equal(answer.status, 400);
          assert.partialDeepStrictEqual(
            answer.json.error.details,
            problems(['/metadata', 'too_large']),
            answer.text,
          );
        }
      }
    });

    test('metadata with numbers that JSON cannot give back is refused', async () => {
      const body = '{"type":"document","title":"T","metadata":{"a":[1e400]}}';
      const headers = { 'content-type': 'application/json' };
      const answer = await app.request('POST', '/v1/documents', { key: person.key, body, headers });
      assert.partialDeepStrictEqual(
        answer.json.error.details,
        problems(['/metadata/a/0', 'out_of_range']),
        answer.text,
      );
    });

    test('documents go to the trash and come back, with their folder or by themselves (DOC-4, DOC-10, DOC-16, DOC-17, FILE-28)', async () => {
      const folder = await makeFolder(app, person, 'F');
      const { id } = await makeDocument(app, person, { folder_id: folder.id });
      const path = `/v1/documents/${id}`;
      for (let i = 0; i < 2; i++) {
        const deleted = await app.delete(path, person);
        assert.deepEqual([deleted.status, deleted.text], [204, '']);
        assert.equal(data(await app.get(path, person)).state, 'trashed');
      }
      assert.equal(data(await app.post(`${path}/restore`, undefined, person)).state, 'active');
      await app.delete(`/v1/file-folders/${folder.id}`, person);
      assert.equal(data(await app.get(path, person)).state, 'trashed');
      assert.deepEqual(await listedIds(app, person, '/v1/documents'), []);
      assert.deepEqual(await listedIds(app, person, '/v1/documents?trashed=true'), []);
      const refused = await app.post(
        '/v1/documents',
        { type: 'document', title: 'T', folder_id: folder.id },
        person,
      );
      assert.deepEqual([refused.status, refused.json.error.code], [409, 'folder_trashed']);
      await app.post(`/v1/file-folders/${folder.id}/restore`, undefined, person);
      const restored = data(await app.get(path, person));
      assert.deepEqual([restored.state, restored.folder_id], ['active', folder.id]);
      await app.delete(`/v1/file-folders/${folder.id}`, person);
      const alone = data(await app.post(`${path}/restore`, undefined, person));
      assert.deepEqual([alone.state, alone.folder_id], ['active', '']);
      assert.deepEqual(data(await app.post(`${path}/restore`, undefined, person)), alone);
    });

    test('a document goes into no folder but one of its owner (DOC-15, FILE-29)', async () => {
      const owner = await theOwner(app);
      const { id } = await makeDocument(app, person);
      for (const target of [(await makeFolder(app, owner, 'Theirs')).id, id, 'dir_unknown', 'x']) {
        const given = { type: 'document', title: 'T', folder_id: target };
        for (const answer of [
          await app.post('/v1/documents', given, person),
          await app.put(`/v1/documents/${id}`, { folder_id: target }, person),
        ]) {
          assert.equal(answer.status, 404, answer.text);
          assert.deepEqual(answer.json.error.details, { resource: 'file_folder', id: target });
        }
      }
    });

    test('nothing crosses between workspaces', async () => {
      const elsewhere = await makeWorkspace(app);
      const { id } = await makeDocument(app, person);
      assert.equal((await app.get(`/v1/documents/${id}`, elsewhere)).status, 404);
      assert.deepEqual(data(await app.get('/v1/documents', elsewhere)), []);
    });

    test('reading and writing documents require permissions of their own (DOC-11, DOC-16)', async () => {
      const reader = await makeKey(app, ['docs.documents.read'], { user_id: person.id });
      const { id } = await makeDocument(app, person);
      assert.equal((await app.get(`/v1/documents/${id}`, reader)).status, 200);
      const refused = await app.delete(`/v1/documents/${id}`, reader);
      assert.deepEqual(
        [refused.status, refused.json.error.details],
        [403, { missing_permission: 'docs.documents.write' }],
      );
    });
  });
});
