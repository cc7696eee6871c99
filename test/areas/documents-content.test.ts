/** The content of documents over HTTP: states, revisions, who may, many writers at once, and what is left behind. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { type Answer, startApp, type TestApp } from '../harness.ts';
import { storedState } from '../refusals/world.ts';
import { data, makeKey, readPages } from './accounts.ts';
import { makeDocument, putContent, readContent } from './documents-world.ts';
import { makeFolder, makePerson, type Person, shareWith, theOwner } from './files-world.ts';

const WRITERS = 50;
/** More than is kept in a row. */
const LARGE = `# Large\n\n${'ünï '.repeat(60_000)}`;

const ROLES = ['nobody', 'viewer', 'commenter', 'editor', 'manager', 'owner'] as const;
type Ask = (app: TestApp, id: string, by: Person) => Promise<Answer>;

/** Each thing that is done with contents, and the least role that may. */
const ACTIONS: Record<string, { least: (typeof ROLES)[number]; trashed?: true; status?: number; ask: Ask }> =
  {
    read: { least: 'viewer', ask: (app, id, by) => app.get(`/v1/documents/${id}/content`, by) },
    'read what is trashed': {
      least: 'owner',
      trashed: true,
      ask: (app, id, by) => app.get(`/v1/documents/${id}/content`, by),
    },
    'read a revision': {
      least: 'viewer',
      ask: (app, id, by) => app.get(`/v1/documents/${id}/revisions/1`, by),
    },
    'read a revision of what is trashed': {
      least: 'owner',
      trashed: true,
      ask: (app, id, by) => app.get(`/v1/documents/${id}/revisions/1`, by),
    },
    'list revisions': { least: 'viewer', ask: (app, id, by) => app.get(`/v1/documents/${id}/revisions`, by) },
    export: { least: 'viewer', ask: (app, id, by) => app.get(`/v1/documents/${id}/export`, by) },
    write: { least: 'editor', ask: (app, id, by) => putContent(app, by, id, 'x') },
    'write to what is trashed': {
      least: 'editor',
      trashed: true,
      status: 422,
      ask: (app, id, by) => putContent(app, by, id, 'x'),
    },
    rename: {
      least: 'editor',
      ask: (app, id, by) => app.put(`/v1/documents/${id}`, { title: 'New' }, by),
    },
    describe: {
      least: 'editor',
      ask: (app, id, by) => app.put(`/v1/documents/${id}`, { metadata: { a: 1 } }, by),
    },
    move: {
      least: 'owner',
      status: 404,
      ask: (app, id, by) => app.put(`/v1/documents/${id}`, { folder_id: 'dir_x' }, by),
    },
    trash: { least: 'editor', status: 204, ask: (app, id, by) => app.delete(`/v1/documents/${id}`, by) },
    restore: {
      least: 'editor',
      trashed: true,
      ask: (app, id, by) => app.post(`/v1/documents/${id}/restore`, undefined, by),
    },
    share: {
      least: 'manager',
      status: 404,
      ask: (app, id, by) =>
        app.post(`/v1/files/${id}/permissions`, { principal_id: 'usr_x', role: 'viewer' }, by),
    },
  };

forEachEngine((engine) => {
  describe('the content of documents', () => {
    let app: TestApp;
    let owner: Person;
    let friend: Person;

    before(async () => {
      app = await startApp(engine);
      [owner, friend] = [await theOwner(app), await makePerson(app)];
    });
    after(() => app.stop());

    const blobFiles = () =>
      globSync('blobs/**/*', { cwd: app.config.dataDir, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      ).length;
    const revisionsOf = (id: string) => readPages(app, `/v1/documents/${id}/revisions`, 7);

    test('the content of a new document is empty, with a state to write on (DOC-18, DOC-19)', async () => {
      const { id } = await makeDocument(app, owner);
      const empty = await app.get(`/v1/documents/${id}/content`);
      assert.deepEqual([empty.status, empty.text], [200, '']);
      assert.equal(empty.headers.get('content-type'), 'text/markdown; charset=utf-8');
      assert.match(empty.headers.get('etag') ?? '', /^"[!#-~]+"$/);
      assert.equal(empty.headers.get('x-content-type-options'), 'nosniff');
      assert.match(empty.headers.get('content-security-policy') ?? '', /sandbox/);
      const first = await putContent(app, owner, id, '# One', empty.headers.get('etag'));
      assert.deepEqual(Object.keys(data(first)), ['revision', 'state']);
      assert.equal(data(first).revision, 2);
      assert.deepEqual(await readContent(app, owner, id), { text: '# One', etag: `"${data(first).state}"` });
    });

    for (const [name, text] of Object.entries({ small: '\ufeffä\r\n\u0001\n', large: LARGE, empty: '' })) {
      test(`content that is ${name} is kept to the byte (DOC-18)`, async () => {
        const { id } = await makeDocument(app, owner);
        const { state, revision } = data(await putContent(app, owner, id, text));
        for (const path of [`/v1/documents/${id}/content`, `/v1/documents/${id}/revisions/${revision}`]) {
          const response = await fetch(`${app.address}${path}`, {
            headers: { authorization: `Bearer ${owner.key}` },
          });
          assert.ok(Buffer.from(text).equals(Buffer.from(await response.arrayBuffer())));
          assert.equal(response.headers.get('etag'), `"${state}"`);
        }
        const part = await app.get(`/v1/documents/${id}/content`, { headers: { range: 'bytes=2-4' } });
        const bytes = Buffer.from(text);
        assert.equal(part.status, bytes.length > 2 ? 206 : 416);
        const unchanged = await app.get(`/v1/documents/${id}/content`, {
          headers: { 'if-none-match': `"${state}"` },
        });
        assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
      });
    }

    test('a content is written on the state that If-Match names, bare or quoted, and on no other (DOC-19, DOC-20)', async () => {
      const { id } = await makeDocument(app, owner);
      const asked = await putContent(app, owner, id, 'x', null);
      assert.deepEqual([asked.status, asked.json.error.code], [428, 'precondition_required']);
      const { etag } = await readContent(app, owner, id);
      const { state } = data(await putContent(app, owner, id, 'one', etag));
      for (const other of [etag ?? '', 'x', `W/"${state}"`, '']) {
        const refused = await putContent(app, owner, id, 'two', other);
        assert.deepEqual([refused.status, refused.json.error.code], [412, 'state_mismatch']);
        assert.deepEqual(refused.json.error.details, { state });
      }
      const second = data(await putContent(app, owner, id, 'two', state));
      assert.equal(second.revision, 3);
      assert.notEqual(second.state, state);
    });

    for (const [name, text] of Object.entries({ small: 'same', large: LARGE })) {
      test(`the same ${name} content again is no revision, keeps the state and leaves nothing (DOC-22)`, async () => {
        const { id } = await makeDocument(app, owner);
        const first = data(await putContent(app, owner, id, text));
        const [document, blobs] = [await app.get(`/v1/documents/${id}`), blobFiles()];
        assert.deepEqual(data(await putContent(app, owner, id, text, first.state)), first);
        assert.deepEqual(data(await app.get(`/v1/documents/${id}`)), data(document));
        assert.equal((await revisionsOf(id)).length, 2);
        await eventually(() => blobFiles() === blobs, 'what was sent again is removed');
        const stale = await putContent(app, owner, id, text, 'x');
        assert.deepEqual([stale.status, stale.json.error.details], [412, { state: first.state }]);
        const other = data(await putContent(app, owner, id, `${text}.`));
        assert.equal(other.revision, 3);
        const again = data(await putContent(app, owner, id, text));
        assert.deepEqual([again.revision, again.state === first.state], [4, false]);
      });
    }

    test('a write without If-Match may be sent again with it, under the same key', async () => {
      const { id } = await makeDocument(app, owner);
      const refused = await putContent(app, owner, id, 'x', null, `key-of-${id}`);
      assert.equal(refused.status, 428);
      const answer = await putContent(app, owner, id, 'x', '*', `key-of-${id}`);
      assert.deepEqual([answer.status, data(answer).revision], [200, 2]);
    });

    test('of fifty writers on one state one succeeds, and revisions have no gaps (DOC-20, DOC-24)', async () => {
      const { id } = await makeDocument(app, owner);
      for (let round = 1; round <= 3; round++) {
        const { etag } = await readContent(app, owner, id);
        const answers = await Promise.all(
          Array.from({ length: WRITERS }, (_, i) => putContent(app, owner, id, `${round} ${i}`, etag)),
        );
        const winners = answers.filter(({ status }) => status === 200);
        assert.equal(winners.length, 1);
        const [{ revision, state }] = winners.map((answer) => data(answer));
        assert.equal(revision, round + 1);
        for (const { status, json } of answers) {
          if (status !== 200) assert.deepEqual([status, json.error.details], [412, { state }]);
        }
        const text = `${round} ${answers.findIndex(({ status }) => status === 200)}`;
        assert.deepEqual(await readContent(app, owner, id), { text, etag: `"${state}"` });
      }
      await Promise.all(Array.from({ length: WRITERS }, (_, i) => putContent(app, owner, id, `${i}`)));
      const numbers = (await revisionsOf(id)).map(({ revision }) => revision);
      assert.deepEqual(
        numbers,
        Array.from({ length: WRITERS + 4 }, (_, i) => WRITERS + 4 - i),
      );
    });

    test('revisions say who wrote which content when, newest first (DOC-24, DOC-25)', async () => {
      const { id, created_at } = await makeDocument(app, owner);
      await shareWith(app, owner, id, friend.id, 'editor');
      const one = data(await putContent(app, owner, id, 'one'));
      const two = data(await putContent(app, friend, id, LARGE));
      const revisions = await revisionsOf(id);
      assert.deepEqual(
        revisions.map(({ revision, state, created_by }) => ({ revision, state, created_by })),
        [
          { ...two, created_by: friend.id },
          { ...one, created_by: owner.id },
          { revision: 1, state: revisions[2].state, created_by: owner.id },
        ],
      );
      assert.ok(created_at <= revisions[2].created_at && revisions[1].created_at <= revisions[0].created_at);
      const contents = [3, 2, 1].map(
        async (n) => (await app.get(`/v1/documents/${id}/revisions/${n}`, friend)).text,
      );
      assert.deepEqual(await Promise.all(contents), [LARGE, 'one', '']);
      for (const none of ['0', '4', '01', '1.0', '-1', 'one', '9999999999999999', '%00']) {
        const answer = await app.get(`/v1/documents/${id}/revisions/${none}`);
        assert.deepEqual([answer.status, answer.json.error.details.resource], [404, 'revision'], none);
      }
    });

    test('writing is a change of the document, and of nothing else in its record', async () => {
      const folder = await makeFolder(app, owner, 'F');
      const before = await makeDocument(app, owner, { folder_id: folder.id, metadata: { a: 'ä"' } });
      await sleep(2);
      await putContent(app, owner, before.id, 'x');
      const after = data(await app.get(`/v1/documents/${before.id}`));
      assert.ok(after.updated_at > before.updated_at);
      assert.deepEqual({ ...after, updated_at: '' }, { ...before, updated_at: '' });
      assert.deepEqual(data(await app.get('/v1/documents'))[0], after);
    });

    test('a document is not written to in the trash, nor in a folder of the trash (DOC-23)', async () => {
      const folder = await makeFolder(app, owner, 'F');
      const { id } = await makeDocument(app, owner, { folder_id: folder.id });
      for (const [trash, path] of [
        ['hidden', `/v1/file-folders/${folder.id}`],
        ['trashed', `/v1/documents/${id}`],
      ] as const) {
        await app.delete(path);
        for (const ifMatch of ['*', 'other', null]) {
          const refused = await putContent(app, owner, id, 'x', ifMatch);
          assert.deepEqual([refused.status, refused.json.error.code], [422, 'trashed'], trash);
        }
        assert.equal((await readContent(app, owner, id)).text, '');
        await app.post(`${path}/restore`);
      }
      assert.equal((await putContent(app, owner, id, 'x')).status, 200);
    });

    test('a spreadsheet has no content, no revisions and no export as a document (DOC-27)', async () => {
      const { id } = await makeDocument(app, owner, { type: 'spreadsheet' });
      for (const path of ['content', 'revisions', 'revisions/1', 'export']) {
        assert.equal((await app.get(`/v1/documents/${id}/${path}`)).status, 404);
      }
      assert.equal((await putContent(app, owner, id, 'x')).status, 404);
    });

    for (const [name, { least, trashed, status = 200, ask }] of Object.entries(ACTIONS)) {
      // DOC-15, DOC-19, DOC-23, FILE-64: rows of ACTIONS.
      test(`to ${name} takes the role ${least}`, async () => {
        for (const role of ROLES) {
          const { id } = await makeDocument(app, owner);
          if (role !== 'nobody' && role !== 'owner') await shareWith(app, owner, id, friend.id, role);
          if (trashed) await app.delete(`/v1/documents/${id}`);
          const answer = await ask(app, id, role === 'owner' ? owner : friend);
          const may = ROLES.indexOf(role) >= ROLES.indexOf(least);
          assert.equal(answer.status, may ? status : role === 'nobody' ? 404 : 403, `${role} ${answer.text}`);
          if (may || role === 'nobody') continue;
          assert.equal(answer.json.error.details.required_role, least);
        }
      });
    }

    test('a content that is no UTF-8, too large or not said to be Markdown is refused (DOC-19, DOC-21)', async () => {
      const { id } = await makeDocument(app, owner);
      const before = [await storedState(app.services.database), blobFiles()];
      const bad = Buffer.concat([Buffer.from('x'.repeat(300_000)), Buffer.from([0xc3])]);
      for (const body of [bad, Buffer.from([0xff]), Buffer.from([0xed, 0xa0, 0x80])]) {
        const refused = await putContent(app, owner, id, body);
        assert.deepEqual([refused.status, refused.json.error.code], [400, 'validation_failed']);
        assert.equal(refused.json.error.details.errors[0].code, 'wrong_encoding');
      }
      const large = await putContent(app, owner, id, Buffer.alloc(10_000_001, 'x'));
      assert.deepEqual([large.status, large.json.error.code], [413, 'payload_too_large']);
      for (const type of ['text/plain', 'text/markdown; charset=latin1']) {
        const headers = { 'content-type': type, 'if-match': '*' };
        const other = await app.request('PUT', `/v1/documents/${id}/content`, { body: 'x', headers });
        assert.deepEqual([other.status, other.json.error.code], [415, 'unsupported_media_type']);
      }
      assert.deepEqual([await storedState(app.services.database), blobFiles()], before);
      assert.equal((await putContent(app, owner, id, Buffer.alloc(10_000_000, 'x'))).status, 200);
    });

    test('a content with U+0000 is refused (DOC-21)', async () => {
      const { id } = await makeDocument(app, owner);
      const before = [await storedState(app.services.database), blobFiles()];
      for (const body of ['\0', 'a\0b', `${'x'.repeat(300_000)}\0`]) {
        const refused = await putContent(app, owner, id, Buffer.from(body));
        assert.deepEqual([refused.status, refused.json.error.code], [400, 'validation_failed']);
        assert.equal(refused.json.error.details.errors[0].code, 'unsupported_characters');
      }
      assert.deepEqual([await storedState(app.services.database), blobFiles()], before);
    });

    test('a refused or repeated write leaves no blob behind', async () => {
      const { id } = await makeDocument(app, owner);
      const key = crypto.randomUUID();
      const first = await putContent(app, owner, id, LARGE, '*', key);
      const before = [await storedState(app.services.database), blobFiles()];
      assert.equal((await putContent(app, owner, id, LARGE, '*', key)).text, first.text);
      assert.equal((await putContent(app, owner, id, LARGE, 'other')).status, 412);
      assert.equal((await putContent(app, owner, 'doc_unknown', LARGE)).status, 404);
      assert.deepEqual([await storedState(app.services.database), blobFiles()], before);
    });

    test('duplicates that come at once are written once', async () => {
      const { id } = await makeDocument(app, owner);
      const key = crypto.randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => putContent(app, owner, id, LARGE, '*', key)),
      );
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      assert.equal((await revisionsOf(id)).length, 2);
    });

    test('reading a content requires docs.documents.read, writing it docs.documents.write (DOC-18, DOC-19)', async () => {
      const { id } = await makeDocument(app, owner);
      const reader = await makeKey(app, ['docs.documents.read']);
      const writer = await makeKey(app, ['docs.documents.write']);
      assert.equal((await putContent(app, writer, id, 'x')).status, 200);
      assert.equal((await readContent(app, reader, id)).text, 'x');
      assert.equal((await putContent(app, reader, id, 'y')).status, 403);
      assert.equal((await app.get(`/v1/documents/${id}/content`, writer)).status, 403);
    });
  });
});
