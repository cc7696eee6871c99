/** Shared folders: who reaches what lies in them, how lists and searches show it, and what moving and revoking change. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
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
import { indexed } from './search-world.ts';

forEachEngine((engine) => {
  describe('shared folders', () => {
    let app: TestApp;
    let owner: Person;
    let friend: Person;
    let other: Person;

    before(async () => {
      app = await startApp(engine);
      [owner, friend, other] = [await theOwner(app), await makePerson(app), await makePerson(app)];
    });
    after(() => app.stop());

    const makeGroup = async (...members: Person[]): Promise<string> =>
      data(await app.post('/v1/groups', { name: 'Team', member_ids: members.map(({ id }) => id) }), 201).id;
    const statusOf = async (person: Person, id: string): Promise<number> =>
      (await app.get(`/v1/files/${id}`, person)).status;

    test('a role on a folder is a role on all in it, now and later, at any depth and of every kind (FILE-63, FILE-77)', async () => {
      const reader = await makePerson(app);
      const top = await makeFolder(app, owner, 'Top');
      const below = await makeFolder(app, owner, 'Below', top.id);
      const file = await putFile(app, owner, { folderId: below.id });
      const grant = await shareWith(app, owner, top.id, reader.id, 'viewer');
      assert.equal(grant.role, 'viewer');
      const later = await putFile(app, owner, { folderId: below.id });
      const texts = await makeDocument(app, owner, { folder_id: below.id });
      const sheet = await makeDocument(app, owner, { type: 'spreadsheet', folder_id: top.id });
      const outside = await putFile(app, owner);
      for (const { id } of [file, later]) {
        assert.equal(await statusOf(reader, id), 200);
        assert.equal((await app.get(`/v1/files/${id}/content`, reader)).status, 200);
        assert.equal((await app.put(`/v1/files/${id}`, { title: 'N' }, reader)).status, 403);
      }
      for (const { id } of [texts, sheet])
        assert.equal((await app.get(`/v1/documents/${id}`, reader)).status, 200);
      assert.equal(await statusOf(reader, outside.id), 404);
      assert.equal(await statusOf(other, file.id), 404);
      await shareWith(app, owner, below.id, reader.id, 'editor');
      assert.equal((await app.put(`/v1/files/${file.id}`, { title: 'N' }, reader)).status, 200);
      assert.equal((await app.put(`/v1/documents/${sheet.id}`, { title: 'N' }, reader)).status, 403);
      // The highest counts, also where the lower one is nearer.
      await shareWith(app, owner, top.id, reader.id, 'manager');
      await shareWith(app, owner, file.id, reader.id, 'viewer');
      assert.equal(
        (
          await app.post(
            `/v1/files/${file.id}/permissions`,
            { principal_id: other.id, role: 'viewer' },
            reader,
          )
        ).status,
        201,
      );
    });

    test('lists have what lies in shared folders, by folder, by title and in all, page by page (FILE-57, FILE-75, FILE-87)', async () => {
      const reader = await makePerson(app);
      const [top, hidden] = [await makeFolder(app, owner, 'Top'), await makeFolder(app, owner, 'Hidden')];
      const below = await makeFolder(app, owner, 'Below', top.id);
      const ids: string[] = [];
      for (let i = 0; i < 7; i++) {
        const folderId = [top.id, below.id][i % 2];
        ids.unshift((await putFile(app, owner, { folderId, filename: `plan ${i}.txt` })).id);
        await putFile(app, owner, { folderId: hidden.id, filename: `plan ${i}.txt` });
      }
      const single = (await putFile(app, owner, { folderId: hidden.id, filename: 'single plan.txt' })).id;
      const own = (await putFile(app, reader, { filename: 'own plan.txt' })).id;
      assert.deepEqual(await listedIds(app, reader, '/v1/files?shared=true'), []);
      await shareWith(app, owner, top.id, await makeGroup(reader), 'viewer');
      await shareWith(app, owner, single, reader.id, 'viewer');
      assert.deepEqual(await listedIds(app, reader, '/v1/files?shared=true'), [single, ...ids]);
      assert.deepEqual(await listedIds(app, reader, '/v1/files'), [own, single, ...ids]);
      assert.deepEqual(await listedIds(app, reader, '/v1/files?q=PLAN'), [own, single, ...ids]);
      assert.deepEqual(await listedIds(app, reader, '/v1/files?q=PLAN&shared=true'), [single, ...ids]);
      const ofTop = ids.filter((_, i) => i % 2 === 0);
      for (const more of ['', '&shared=true', '&q=plan'])
        assert.deepEqual(await listedIds(app, reader, `/v1/files?folder_id=${top.id}${more}`), ofTop);
      assert.deepEqual(await listedIds(app, reader, `/v1/files?folder_id=${hidden.id}`), [single]);
      assert.deepEqual(await listedIds(app, owner, `/v1/files?folder_id=${top.id}`), ofTop);
      assert.deepEqual(await listedIds(app, owner, `/v1/files?folder_id=${top.id}&shared=true`), []);
      for (const filter of ['', '&q=plan']) {
        const paged: string[] = [];
        for (let cursor = ''; ; ) {
          const page = await app.get(`/v1/files?limit=2${filter}${cursor}`, reader);
          paged.push(...data(page).map(({ id }: { id: string }) => id));
          if (!page.json.pagination.has_more) break;
          cursor = `&cursor=${page.json.pagination.next_cursor}`;
        }
        assert.deepEqual(paged, [own, single, ...ids]);
      }
      const mine = await makeFolder(app, reader, 'Mine');
      assert.deepEqual(await listedIds(app, reader, '/v1/file-folders'), [top.id, below.id, mine.id]);
      assert.deepEqual(await listedIds(app, reader, '/v1/file-folders?shared=true'), [top.id, below.id]);
      assert.deepEqual(await listedIds(app, reader, '/v1/file-folders?trashed=true'), []);
      const sheet = await makeDocument(app, owner, { type: 'spreadsheet', folder_id: below.id });
      const text = await makeDocument(app, owner, { folder_id: top.id });
      assert.deepEqual(await listedIds(app, reader, '/v1/documents'), [text.id, sheet.id]);
      assert.deepEqual(await listedIds(app, reader, `/v1/documents?folder_id=${below.id}`), [sheet.id]);
    });

    test('moving, trashing, restoring, revoking, groups and suspension act at once (FILE-79, FILE-82)', async () => {
      const reader = await makePerson(app);
      const top = await makeFolder(app, owner, 'Top');
      const inner = await makeFolder(app, owner, 'Inner');
      const file = await putFile(app, owner, { folderId: inner.id });
      const group = await makeGroup(reader);
      const grant = await shareWith(app, owner, top.id, group, 'editor');
      const reached = async () => {
        const status = await statusOf(reader, file.id);
        const listed = (await listedIds(app, reader, '/v1/files?shared=true')).includes(file.id);
        return [status, listed];
      };
      const move = async (id: string, to: string) =>
        assert.equal((await app.put(`/v1/file-folders/${id}`, { parent_id: to })).status, 200);
      assert.deepEqual(await reached(), [404, false]);
      await move(inner.id, top.id);
      assert.deepEqual(await reached(), [200, true]);
      await move(inner.id, '');
      assert.deepEqual(await reached(), [404, false]);
      await app.put(`/v1/files/${file.id}`, { folder_id: top.id });
      assert.deepEqual(await reached(), [200, true]);
      await app.put(`/v1/files/${file.id}`, { folder_id: '' });
      assert.deepEqual(await reached(), [404, false]);
      await app.put(`/v1/files/${file.id}`, { folder_id: inner.id });
      await move(inner.id, top.id);
      await app.delete(`/v1/file-folders/${top.id}`);
      assert.deepEqual(await reached(), [200, false]);
      assert.equal((await app.get(`/v1/files/${file.id}/content`, reader)).status, 403);
      assert.deepEqual(await listedIds(app, reader, '/v1/file-folders'), []);
      await app.post(`/v1/file-folders/${top.id}/restore`);
      assert.deepEqual(await reached(), [200, true]);
      await app.put(`/v1/groups/${group}`, { member_ids: [] });
      assert.deepEqual(await reached(), [404, false]);
      await app.put(`/v1/groups/${group}`, { member_ids: [reader.id] });
      assert.deepEqual(await reached(), [200, true]);
      const people = async () =>
        data(await app.get(`/v1/files/${file.id}/access`)).map(({ user_id }: { user_id: string }) => user_id);
      assert.deepEqual(await people(), [owner.id, reader.id]);
      await app.put(`/v1/users/${reader.id}`, { state: 'suspended' });
      assert.deepEqual(await people(), [owner.id]);
      await app.put(`/v1/users/${reader.id}`, { state: 'active' });
      assert.equal((await app.delete(`/v1/file-folders/${top.id}/permissions/${grant.id}`)).status, 204);
      assert.deepEqual(await reached(), [404, false]);
      assert.equal((await app.delete(`/v1/file-folders/${top.id}/permissions/${grant.id}`)).status, 404);
    });

    test('access explains by which folder and group, grants say who (FILE-78, FILE-80, FILE-81, FILE-85)', async () => {
      const [reader, member] = [await makePerson(app), await makePerson(app)];
      const top = await makeFolder(app, owner, 'Top');
      const below = await makeFolder(app, owner, 'Below', top.id);
      const file = await putFile(app, owner, { folderId: below.id });
      const group = await makeGroup(reader, member);
      const far = await shareWith(app, owner, top.id, group, 'commenter');
      const near = await shareWith(app, owner, below.id, reader.id, 'commenter');
      assert.deepEqual(far.principal, { id: group, type: 'group', name: 'Team' });
      const { name, email } = data(await app.get(`/v1/users/${reader.id}`));
      assert.deepEqual(near.principal, { id: reader.id, type: 'user', name, email });
      const entries = data(await app.get(`/v1/files/${file.id}/access`, member));
      const by = Object.fromEntries(entries.map((entry: { user_id: string }) => [entry.user_id, entry]));
      assert.deepEqual(by[reader.id], {
        user_id: reader.id,
        name,
        email,
        role: 'commenter',
        source: 'grant',
        permission_id: near.id,
        principal_type: 'user',
        principal_id: reader.id,
        principal: near.principal,
        folder_id: below.id,
      });
      assert.deepEqual([by[member.id].folder_id, by[member.id].principal_id], [top.id, group]);
      assert.equal(entries[0].source, 'ownership');
      const direct = await shareWith(app, owner, file.id, reader.id, 'editor');
      const again = data(await app.get(`/v1/files/${file.id}/access`));
      const entry = again.find(({ user_id }: { user_id: string }) => user_id === reader.id);
      assert.deepEqual([entry.permission_id, entry.folder_id, entry.role], [direct.id, undefined, 'editor']);
      assert.deepEqual(data(await app.get(`/v1/file-folders/${below.id}/permissions`, member)), [near]);
      assert.deepEqual(data(await app.get(`/v1/files/${file.id}/permissions`, member)), [direct]);
      const ofFolder = data(await app.get(`/v1/file-folders/${below.id}/access`, reader));
      assert.deepEqual(
        ofFolder.map(({ folder_id }: { folder_id?: string }) => folder_id),
        [
          undefined,
          ...[reader, member]
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .map(({ id }) => (id === reader.id ? undefined : top.id)),
        ],
      );
      assert.equal((await app.get(`/v1/file-folders/${below.id}/access`, other)).status, 404);
    });

    test('an editor adds to a folder for its owner, and renames and trashes it; a viewer does not; nobody else moves it (FILE-29, FILE-59, FILE-83)', async () => {
      const [editor, viewer] = [await makePerson(app), await makePerson(app)];
      const top = await makeFolder(app, owner, 'Top');
      const below = await makeFolder(app, owner, 'Below', top.id);
      await shareWith(app, owner, top.id, editor.id, 'editor');
      await shareWith(app, owner, top.id, viewer.id, 'viewer');
      const adding = (person: Person) => [
        app.post('/v1/file-folders', { name: 'New', parent_id: below.id }, person),
        app.post('/v1/documents', { type: 'document', title: 'T', folder_id: below.id }, person),
        app.post('/v1/documents', { type: 'spreadsheet', title: 'T', folder_id: below.id }, person),
        app.request('POST', `/v1/files?filename=a.txt&folder_id=${below.id}`, {
          key: person.key,
          body: Buffer.from('text'),
        }),
        app.post('/v1/files/uploads', { filename: 'a.bin', size: 0, folder_id: below.id }, person),
      ];
      for (const answer of await Promise.all(adding(editor))) {
        assert.equal(answer.status, 201);
        if (answer.json.data.owner_id) assert.equal(answer.json.data.owner_id, owner.id);
        if (answer.json.data.session_id) {
          const done = await app.post(
            `/v1/files/uploads/${answer.json.data.session_id}/complete`,
            undefined,
            editor,
          );
          assert.equal(data(done, 201).owner_id, owner.id);
        }
      }
      for (const answer of await Promise.all(adding(viewer))) {
        assert.equal(answer.status, 403);
        assert.equal(answer.json.error.details.required_role, 'editor');
      }
      for (const answer of await Promise.all(adding(other))) assert.equal(answer.status, 404);
      const path = `/v1/file-folders/${below.id}`;
      assert.equal((await app.put(path, { name: 'N' }, viewer)).status, 403);
      assert.equal((await app.put(path, { parent_id: '' }, editor)).status, 403);
      assert.equal(data(await app.put(path, { name: 'N' }, editor)).name, 'N');
      assert.equal((await app.delete(path, viewer)).status, 403);
      assert.equal((await app.delete(path, editor)).status, 204);
      assert.equal((await app.post(`${path}/restore`, undefined, viewer)).status, 403);
      assert.equal((await app.post(`${path}/restore`, undefined, editor)).status, 200);
      assert.equal(
        (await app.post(`${path}/permissions`, { principal_id: other.id, role: 'viewer' }, editor)).status,
        403,
      );
    });

    test('a grant names a user by address, and tells them in a message (FILE-66, FILE-84, FILE-86)', async () => {
      const reader = await makePerson(app);
      const { email } = data(await app.get(`/v1/users/${reader.id}`));
      const top = await makeFolder(app, owner, 'Reports');
      const path = `/v1/file-folders/${top.id}/permissions`;
      const body = { email: email.toUpperCase(), role: 'editor', notify: true };
      const grant = data(await app.post(path, body), 201);
      assert.deepEqual([grant.principal_id, grant.principal.email], [reader.id, email]);
      const inbox = data(await app.get('/v1/folders', reader)).find(
        ({ role }: { role: string }) => role === 'inbox',
      ).id;
      const [message, ...more] = data(await app.get(`/v1/messages?folder_id=${inbox}`, reader));
      assert.deepEqual(more, []);
      const { subject, text, from } = data(await app.get(`/v1/messages/${message.id}`, reader));
      assert.match(subject, /Reports/);
      for (const word of ['editor', '"Reports"', `  /files/folder/${top.id}\n`])
        assert.ok(text.includes(word), word);
      assert.ok(from.includes(data(await app.get('/v1/users/me')).email));
      const file = await putFile(app, owner);
      const group = await makeGroup(reader, owner);
      const toGroup = { principal_id: group, principal_type: 'group', role: 'viewer', notify: true };
      data(await app.post(`/v1/files/${file.id}/permissions`, toGroup), 201);
      assert.equal(data(await app.get(`/v1/messages?folder_id=${inbox}`, reader)).length, 2);
      data(await app.post(path, { email, role: 'viewer' }), 201);
      assert.equal(data(await app.get(`/v1/messages?folder_id=${inbox}`, reader)).length, 2);
      const unknown = await app.post(path, { email: 'nobody@example.org', role: 'viewer', notify: true });
      assert.equal(unknown.status, 404);
      const { message: told, details } = unknown.json.error;
      assert.match(told, /No user of the workspace has this address/);
      assert.deepEqual(details, { resource: 'user', id: 'nobody@example.org' });
      for (const wrong of [{}, { email, principal_id: reader.id }, { email, principal_type: 'group' }])
        assert.equal((await app.post(path, { role: 'viewer', ...wrong })).status, 400);
      const { notify } = { notify: true };
      const refused = await app.post(path, { principal_id: other.id, role: 'viewer', notify }, reader);
      assert.equal(refused.status, 403);
    });

    test('a notice to more than a hundred members is refused (FILE-86)', async () => {
      const { database } = app.services;
      const group = await makeGroup();
      const ids = await database.write(async (tx) => {
        const user = await app.services.directory.findUser(tx, owner.id);
        const made: string[] = [];
        for (let i = 0; i < 101; i++) {
          const given = { email: `many${i}@example.org`, name: `Many ${i}` };
          made.push((await app.services.directory.createUser(tx, user?.workspaceId ?? '', given)).id);
        }
        return made;
      });
      await app.put(`/v1/groups/${group}`, { member_ids: ids });
      const file = await putFile(app, owner);
      const body = { principal_id: group, principal_type: 'group', role: 'viewer' };
      const refused = await app.post(`/v1/files/${file.id}/permissions`, { ...body, notify: true });
      assert.equal(refused.status, 400);
      assert.equal(refused.json.error.details.errors[0].pointer, '/notify');
      assert.equal((await app.post(`/v1/files/${file.id}/permissions`, body)).status, 201);
    });

    test('what is not shared is refused in its words (FILE-88)', async () => {
      const folder = await makeFolder(app, owner, 'F');
      const file = await putFile(app, owner);
      const body = { principal_id: friend.id, role: 'viewer' };
      const messageOf = async (path: string) => {
        const { status, json } = await app.post(path, body);
        assert.equal(status, 404);
        return json.error.message as string;
      };
      assert.match(await messageOf(`/v1/files/${folder.id}/permissions`), /\/v1\/file-folders\//);
      assert.match(await messageOf(`/v1/file-folders/${file.id}/permissions`), /\/v1\/files\//);
      assert.match(await messageOf('/v1/files/msg_1/permissions'), /nothing else is shared/);
      assert.match(await messageOf('/v1/file-folders/cal_1/permissions'), /nothing else is shared/);
    });

    test('the search finds what is in a shared folder at once, and not after a revocation or a move (SEARCH-29)', async () => {
      const reader = await makePerson(app);
      const top = await makeFolder(app, owner, 'Top');
      const below = await makeFolder(app, owner, 'Below', top.id);
      const word = `zebrafish${engine}`;
      const bytes = Buffer.from(`a ${word}`);
      const { id } = await putFile(app, owner, { folderId: below.id, filename: 'notes.txt', bytes });
      await indexed(app);
      const found = async (q = word): Promise<string[]> =>
        data(await app.get(`/v1/search?q=${encodeURIComponent(q)}`, reader)).map(
          (hit: { id: string }) => hit.id,
        );
      assert.deepEqual(await found(), []);
      const grant = await shareWith(app, owner, top.id, reader.id, 'viewer');
      assert.deepEqual(await found(), [id]);
      assert.deepEqual(await found(`${word} in:Below`), [id]);
      await app.put(`/v1/file-folders/${below.id}`, { parent_id: '' });
      assert.deepEqual(await found(), []);
      await app.put(`/v1/file-folders/${below.id}`, { parent_id: top.id });
      assert.deepEqual(await found(), [id]);
      await app.put(`/v1/files/${id}`, { folder_id: '' });
      assert.deepEqual(await found(), []);
      await app.put(`/v1/files/${id}`, { folder_id: top.id });
      await indexed(app);
      assert.deepEqual(await found(), [id]);
      await app.delete(`/v1/file-folders/${top.id}/permissions/${grant.id}`);
      assert.deepEqual(await found(), []);
    });

    test('the search follows the trash, groups, nested grants and suspension of a shared folder (FILE-79, FILE-82, SEARCH-29)', async () => {
      const reader = await makePerson(app);
      const top = await makeFolder(app, owner, 'Top');
      const below = await makeFolder(app, owner, 'Below', top.id);
      const word = `okapi${engine}`;
      const bytes = Buffer.from(`an ${word}`);
      const { id } = await putFile(app, owner, { folderId: below.id, filename: 'notes.txt', bytes });
      await indexed(app);
      const found = async (): Promise<string[]> =>
        data(await app.get(`/v1/search?q=${word}`, reader)).map((hit: { id: string }) => hit.id);
      const group = await makeGroup(reader);
      const byGroup = await shareWith(app, owner, top.id, group, 'viewer');
      assert.deepEqual(await found(), [id]);
      for (const [trash, restore] of [
        [`/v1/file-folders/${top.id}`, `/v1/file-folders/${top.id}/restore`],
        [`/v1/file-folders/${below.id}`, `/v1/file-folders/${below.id}/restore`],
        [`/v1/files/${id}`, `/v1/files/${id}/restore`],
      ] as const) {
        assert.equal((await app.delete(trash)).status, 204);
        assert.deepEqual(await found(), [], trash);
        assert.equal((await app.post(restore)).status, 200);
        assert.deepEqual(await found(), [id], restore);
      }
      await app.put(`/v1/groups/${group}`, { member_ids: [] });
      assert.deepEqual(await found(), []);
      await shareWith(app, owner, below.id, reader.id, 'viewer');
      assert.deepEqual(await found(), [id]);
      await app.put(`/v1/groups/${group}`, { member_ids: [reader.id] });
      await app.delete(`/v1/file-folders/${top.id}/permissions/${byGroup.id}`);
      assert.deepEqual(await found(), [id], 'the nested grant stays');
      await app.put(`/v1/users/${reader.id}`, { state: 'suspended' });
      assert.equal((await app.get(`/v1/search?q=${word}`, reader)).status, 401);
      await app.put(`/v1/users/${reader.id}`, { state: 'active' });
      assert.deepEqual(await found(), [id]);
    });

    test('a nested grant holds by itself, whatever becomes of the one above it (FILE-77, FILE-79)', async () => {
      const reader = await makePerson(app);
      const top = await makeFolder(app, owner, 'Top');
      const below = await makeFolder(app, owner, 'Below', top.id);
      const file = await putFile(app, owner, { folderId: below.id });
      const roleOf = async (): Promise<string | undefined> => {
        if ((await statusOf(reader, file.id)) === 404) return undefined;
        const access = data(await app.get(`/v1/files/${file.id}/access`));
        return access.find(({ user_id }: { user_id: string }) => user_id === reader.id)?.role;
      };
      const above = await shareWith(app, owner, top.id, reader.id, 'manager');
      const nested = await shareWith(app, owner, below.id, reader.id, 'viewer');
      assert.equal(await roleOf(), 'manager');
      await app.delete(`/v1/file-folders/${top.id}/permissions/${above.id}`);
      assert.equal(await roleOf(), 'viewer');
      assert.equal((await app.get(`/v1/file-folders/${top.id}/permissions`, reader)).status, 404);
      await app.put(`/v1/file-folders/${below.id}`, { parent_id: '' });
      assert.equal(await roleOf(), 'viewer', 'a grant moves with its folder');
      await app.put(`/v1/files/${file.id}`, { folder_id: top.id });
      assert.equal(await roleOf(), undefined);
      await app.put(`/v1/files/${file.id}`, { folder_id: below.id });
      assert.equal(await roleOf(), 'viewer');
      await app.delete(`/v1/file-folders/${below.id}/permissions/${nested.id}`);
      assert.equal(await roleOf(), undefined);
    });
  });
});
