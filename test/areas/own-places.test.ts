/** What others share, what is being uploaded, and the calling key. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey } from './accounts.ts';
import { makeDocument } from './documents-world.ts';
import { listedIds, makePerson, type Person, putFile, shareWith, theOwner } from './files-world.ts';
import { complete, putPart, start } from './uploads-world.ts';

forEachEngine((engine) => {
  describe('what belongs to a caller', () => {
    let app: TestApp;
    let owner: Person;
    let reader: Person;
    before(async () => {
      app = await startApp(engine);
      [owner, reader] = [await theOwner(app), await makePerson(app)];
    });
    after(() => app.stop());

    it('is not listed where only files and documents of others are asked for (FILE-75, DOC-28)', async () => {
      const group = data(
        await app.post('/v1/groups', { name: 'G', member_ids: [owner.id, reader.id] }),
        201,
      ).id;
      const files: string[] = [];
      for (let i = 0; i < 5; i++) files.push((await putFile(app, owner, { filename: `shared ${i}.txt` })).id);
      await putFile(app, owner, { filename: 'private.txt' });
      await putFile(app, reader, { filename: 'shared by nobody.txt' });
      for (const [i, id] of files.entries())
        await shareWith(app, owner, id, i % 2 === 0 ? reader.id : group, 'viewer');
      const newest = files.toReversed();
      assert.deepEqual(await listedIds(app, reader, '/v1/files?shared=true'), newest);
      assert.deepEqual(await listedIds(app, reader, '/v1/files?shared=true&q=SHARED'), newest);
      assert.deepEqual(await listedIds(app, reader, '/v1/files?shared=true&q=shared%203'), [files[3]]);
      assert.deepEqual(await listedIds(app, owner, '/v1/files?shared=true'), []);
      assert.deepEqual(await listedIds(app, owner, '/v1/files?shared=true&q=shared'), []);
      assert.deepEqual(await listedIds(app, reader, '/v1/files?shared=true&trashed=true'), []);
      assert.equal((await listedIds(app, reader, '/v1/files?shared=false')).length, 6);
      const pages: string[] = [];
      for (let cursor = ''; ; ) {
        const answer = await app.get(`/v1/files?shared=true&limit=2${cursor && `&cursor=${cursor}`}`, {
          key: reader.key,
        });
        pages.push(...data(answer).map(({ id }: { id: string }) => id));
        if (!answer.json.pagination.has_more) break;
        cursor = answer.json.pagination.next_cursor;
      }
      assert.deepEqual(pages, newest);
      const document = await makeDocument(app, owner, { title: 'Shared' });
      await makeDocument(app, reader, { title: 'Own' });
      await shareWith(app, owner, document.id, reader.id, 'viewer');
      assert.deepEqual(await listedIds(app, reader, '/v1/documents?shared=true'), [document.id]);
      assert.deepEqual(await listedIds(app, reader, '/v1/documents?shared=true&type=spreadsheet'), []);
    });

    it('lists open uploads of the caller, newest first (FILE-76)', async () => {
      const sessions: string[] = [];
      for (const filename of ['one', 'two', 'three'])
        sessions.push((await start(app, 1, { filename }, { key: reader.key })).session_id);
      const [aborted = '', finished = '', open = ''] = sessions;
      assert.equal((await app.delete(`/v1/files/uploads/${aborted}`, { key: reader.key })).status, 204);
      await putPart(app, open, 1, 'x', { key: reader.key });
      await putPart(app, finished, 1, 'x', { key: reader.key });
      const last = (await start(app, 1, { filename: 'four' }, { key: reader.key })).session_id;
      data(await complete(app, finished, { key: reader.key }), 201);
      const listed = data(await app.get('/v1/files/uploads', { key: reader.key }));
      assert.deepEqual(
        listed.map(({ session_id, filename, received_bytes }: Record<string, unknown>) => [
          session_id,
          filename,
          received_bytes,
        ]),
        [
          [last, 'four', 0],
          [open, 'three', 1],
        ],
      );
      assert.deepEqual(data(await app.get('/v1/files/uploads')), []);
    });

    it('includes the calling key, which any key may ask for (DIR-35)', async () => {
      const expires_at = '2099-01-31T23:59:59.000Z';
      const { id, key } = await makeKey(app, ['contacts.read'], { name: 'mine', expires_at });
      const own = data(await app.get('/v1/api-keys/me', { key }));
      assert.deepEqual(own, {
        id,
        name: 'mine',
        user_id: owner.id,
        permissions: ['contacts.read'],
        expires_at,
      });
      assert.equal(data(await app.get('/v1/api-keys/me')).expires_at, null);
      assert.equal((await app.get('/v1/api-keys/me', { key: null })).status, 401);
    });
  });
});
