/** Who reaches a shared folder tries to do more than the role allows, and fifty clients change one tree and one mailbox at once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { data, makeUser, makeWorkspace } from '../areas/accounts.ts';
import { makeFolder, makePerson, type Person, shareWith, theOwner } from '../areas/files-world.ts';
import { append, folderOf, rfc822 } from '../areas/mail-world.ts';
import { runAtrium } from '../command-line.ts';
import { forEachEngine } from '../engines.ts';
import { type Answer, startApp, type TestApp } from '../harness.ts';

const CLIENTS = 50;
const STEPS = 6;

/** Numbers below a bound, the same in every run. */
function choices(seed: number): (below: number) => number {
  let state = seed * 7_919 + 1;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
}

function assertAnswered({ status, text }: Answer, allowed: readonly number[]): void {
  assert.ok(allowed.includes(status), `${status} ${text}`);
}

/** Nothing of what is stored contradicts itself. */
async function assertWhole(app: TestApp): Promise<void> {
  const { code, stdout } = await runAtrium(app, ['verify', '--json']);
  assert.equal(code, 0, stdout);
}

forEachEngine((engine) => {
  describe('a shared tree under attack', () => {
    let app: TestApp;
    let owner: Person;
    let editor: Person;
    let manager: Person;
    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
      editor = await makePerson(app);
      manager = await makePerson(app);
    });
    after(() => app.stop());

    const upload = async ({ key }: Person, folderId = ''): Promise<string> => {
      const sent = { body: 'text', headers: { 'content-type': 'text/plain' }, key };
      return data(await app.request('POST', `/v1/files?filename=a.txt&folder_id=${folderId}`, sent), 201).id;
    };
    const put = (path: string, body: object, { key }: Person) => app.put(path, body, { key });
    const share = (id: string, body: object, { key }: Person) =>
      app.post(`/v1/file-folders/${id}/permissions`, body, { key });

    it('nobody gets more of a shared folder than the role says, by any detour (FILE-29, FILE-64, FILE-83)', async () => {
      const shared = await makeFolder(app, owner, 'shared');
      const within = await makeFolder(app, owner, 'within', shared.id);
      const file = await upload(owner, within.id);
      const beside = await makeFolder(app, owner, 'beside');
      const commenter = await makePerson(app);
      await shareWith(app, owner, shared.id, editor.id, 'editor');
      await shareWith(app, owner, shared.id, manager.id, 'manager');
      await shareWith(app, owner, within.id, commenter.id, 'commenter');
      for (const person of [editor, manager, commenter]) {
        const own = await makeFolder(app, person, 'own');
        const ownFile = await upload(person);
        for (const parent of [own.id, beside.id, '']) {
          assertAnswered(await put(`/v1/file-folders/${within.id}`, { parent_id: parent }, person), [403]);
          assertAnswered(await put(`/v1/files/${file}`, { folder_id: parent }, person), [403]);
        }
        assertAnswered(await put(`/v1/files/${ownFile}`, { folder_id: within.id }, person), [404]);
        assertAnswered(await put(`/v1/file-folders/${own.id}`, { parent_id: within.id }, person), [404]);
        assertAnswered(await share(beside.id, { principal_id: person.id, role: 'viewer' }, person), [404]);
        assertAnswered(await share(within.id, { principal_id: person.id, role: 'owner' }, person), [400]);
      }
      for (const person of [editor, commenter])
        for (const role of ['viewer', 'manager'])
          assertAnswered(await share(within.id, { principal_id: person.id, role }, person), [403]);
      for (const action of ['PUT', 'DELETE'] as const) {
        const body = action === 'PUT' ? { name: 'mine' } : undefined;
        const answer = await app.request(action, `/v1/file-folders/${within.id}`, {
          key: commenter.key,
          body,
        });
        assertAnswered(answer, [403]);
      }
      // A grant to the owner takes nothing from the owner, and the trash hides from an editor what the editor put there.
      assertAnswered(await share(shared.id, { principal_id: owner.id, role: 'viewer' }, manager), [201]);
      assertAnswered(await put(`/v1/file-folders/${shared.id}`, { name: 'still mine' }, owner), [200]);
      assertAnswered(await app.delete(`/v1/files/${file}`, { key: editor.key }), [204]);
      assertAnswered(await app.get(`/v1/files/${file}/content`, { key: editor.key }), [403, 404]);
      assertAnswered(await app.get(`/v1/files/${file}/content`, owner), [200]);
    });

    it('an upload that began before a revocation does not end in the folder (FILE-79, FILE-83)', async () => {
      const folder = await makeFolder(app, owner, 'uploads');
      const grant = await shareWith(app, owner, folder.id, editor.id, 'editor');
      const { key } = editor;
      const upload = { filename: 'a.txt', size: 4, folder_id: folder.id };
      const { session_id: session } = data(await app.post('/v1/files/uploads', upload, { key }), 201);
      const part = await app.request('PUT', `/v1/files/uploads/${session}/parts/1`, {
        body: 'text',
        headers: { 'content-type': 'application/octet-stream' },
        key,
      });
      assertAnswered(part, [200]);
      const revoked = await app.delete(`/v1/file-folders/${folder.id}/permissions/${grant.id}`);
      assertAnswered(revoked, [204]);
      assertAnswered(await app.post(`/v1/files/uploads/${session}/complete`, undefined, { key }), [404]);
      assert.deepEqual(data(await app.get(`/v1/files?folder_id=${folder.id}`, owner)), []);
    });

    it('a member of a group cannot give up the grant of the group, nor use one on another object (FILE-72)', async () => {
      const folder = await makeFolder(app, owner, 'of a group');
      const other = await makeFolder(app, owner, 'another');
      const group = data(await app.post('/v1/groups', { name: 'g', member_ids: [editor.id] }), 201);
      const grant = await shareWith(app, owner, folder.id, group.id, 'editor');
      const own = await shareWith(app, owner, other.id, editor.id, 'viewer');
      const revoke = (id: string, permission: string, person = editor) =>
        app.delete(`/v1/file-folders/${id}/permissions/${permission}`, { key: person.key });
      assertAnswered(await revoke(folder.id, grant.id), [403]);
      assertAnswered(await revoke(other.id, grant.id), [404]);
      assertAnswered(await revoke(folder.id, own.id), [404]);
      assertAnswered(await revoke(other.id, own.id), [204]);
      assertAnswered(await revoke(other.id, own.id), [404]);
    });

    it('sharing tells nothing of other workspaces, and reaches none (FILE-68, FILE-84)', async () => {
      const elsewhere = await makeWorkspace(app);
      const there = data(await app.get('/v1/users/me', { key: elsewhere.key }));
      const group = data(
        await app.post('/v1/groups', { name: 'g', member_ids: [] }, { key: elsewhere.key }),
        201,
      );
      const folder = await makeFolder(app, owner, 'not for all');
      const told = async (body: object): Promise<string> => {
        const answer = await share(folder.id, { role: 'viewer', notify: true, ...body }, owner);
        assert.equal(answer.status, 404);
        const { email, principal_id: id } = body as { email?: string; principal_id?: string };
        return JSON.stringify(answer.json.error).replaceAll(email ?? id ?? '', 'X');
      };
      const nobody = 'nobody@nowhere.example';
      assert.equal(await told({ email: there.email }), await told({ email: nobody }));
      assert.equal(await told({ email: there.email.toUpperCase() }), await told({ email: nobody }));
      assert.equal(await told({ principal_id: there.id }), await told({ principal_id: 'usr_nobody' }));
      const ofGroup = (id: string) => told({ principal_id: id, principal_type: 'group' });
      assert.equal(await ofGroup(group.id), await ofGroup('grp_nobody'));
      const inbox = await folderOf(app, 'inbox', elsewhere.key);
      const mail = data(await app.get(`/v1/messages?folder_id=${inbox}`, { key: elsewhere.key }));
      assert.equal(mail.length, 0);
    });

    it('a title writes no header of the message that tells of it (FILE-86)', async () => {
      const reader = await makeUser(app);
      const key = data(
        await app.post('/v1/api-keys', {
          name: 'k',
          permissions: ['mail.messages.read'],
          user_id: reader.id,
        }),
        201,
      ).key;
      const titles = [
        'a\u2028Bcc: evil@example.org',
        '=?utf-8?Q?=0D=0ABcc:_evil@example.org?=',
        `${'ä'.repeat(254)}\u202e`,
        '"><b>x, evil@example.org',
      ];
      for (const name of titles) {
        const folder = await makeFolder(app, owner, name);
        const body = { principal_id: reader.id, role: 'viewer', notify: true };
        assertAnswered(await share(folder.id, body, owner), [201]);
      }
      const inbox = await folderOf(app, 'inbox', key);
      const listed = data(await app.get(`/v1/messages?folder_id=${inbox}`, { key }));
      assert.deepEqual(
        listed.map(({ subject }: { subject: string }) => subject).sort(),
        titles.map((title) => `Shared with you: ${title}`).sort(),
      );
      for (const { id } of listed) {
        const raw = (await app.get(`/v1/messages/${id}/raw`, { key })).text;
        const [head = ''] = raw.split('\r\n\r\n');
        assert.doesNotMatch(head, /^(?:bcc|cc|reply-to)\s*:/im);
        assert.equal(head.match(/^to:/gim)?.length, 1);
        assert.match(head, new RegExp(`^to: .*${reader.email}`, 'im'));
      }
    });

    it('fifty clients who move, share, trash and revoke at once leave a whole tree, without a cycle (FILE-60, FILE-79, FILE-82)', async () => {
      const top = await makeFolder(app, owner, 'top');
      const folders: string[] = [top.id];
      for (let i = 0; i < 9; i++)
        folders.push((await makeFolder(app, owner, `f${i}`, folders[Math.floor(i / 2)])).id);
      await shareWith(app, owner, top.id, manager.id, 'manager');
      const own = await makeFolder(app, editor, 'own');
      const step = async (choose: (below: number) => number): Promise<void> => {
        const [one = '', two = ''] = [folders[choose(10)], folders[choose(10)]];
        const path = `/v1/file-folders/${one}`;
        switch (choose(8)) {
          case 0:
          case 1:
            return assertAnswered(await put(path, { parent_id: two }, owner), [200, 409]);
          case 2: {
            const role = ['viewer', 'editor', 'manager'][choose(3)] ?? '';
            return assertAnswered(
              await share(one, { principal_id: editor.id, role }, manager),
              [201, 403, 404],
            );
          }
          case 3: {
            const { key } = manager;
            const grants = (await app.get(`${path}/permissions`, { key })).json.data ?? [];
            const grant = grants[choose(grants.length || 1)]?.id ?? 'perm_none';
            return assertAnswered(await app.delete(`${path}/permissions/${grant}`, { key }), [204, 403, 404]);
          }
          case 4:
            return assertAnswered(await app.delete(path, { key: editor.key }), [204, 403, 404]);
          case 5:
            return assertAnswered(await app.post(`${path}/restore`, undefined, { key: owner.key }), [200]);
          case 6:
            return assertAnswered(await put(path, { parent_id: own.id }, editor), [403, 404]);
          default: {
            const body = { name: 'added', parent_id: one };
            return assertAnswered(
              await app.post('/v1/file-folders', body, { key: editor.key }),
              [201, 403, 404, 409],
            );
          }
        }
      };
      await Promise.all(
        Array.from({ length: CLIENTS }, async (_, client) => {
          const choose = choices(client);
          for (let i = 0; i < STEPS; i++) await step(choose);
        }),
      );
      const listed = data(await app.get('/v1/file-folders', owner));
      const trashed = data(await app.get('/v1/file-folders?trashed=true', owner));
      const parents = new Map([...listed, ...trashed].map(({ id, parent_id }) => [id, parent_id]));
      for (const id of folders) {
        const record = data(await app.get(`/v1/file-folders`, owner)).find((one: Person) => one.id === id);
        let above = record?.parent_id ?? '';
        for (let i = 0; above !== ''; i++) {
          assert.ok(i < parents.size, `${id} lies in itself`);
          above = parents.get(above) ?? '';
        }
      }
      await assertWhole(app);
      for (const id of folders) {
        const grants = data(await app.get(`/v1/file-folders/${id}/permissions`, owner));
        for (const grant of grants)
          assertAnswered(
            await app.delete(`/v1/file-folders/${id}/permissions/${grant.id}`, { key: owner.key }),
            [204],
          );
      }
      for (const id of folders)
        for (const { key } of [editor, manager])
          assertAnswered(await app.get(`/v1/file-folders/${id}/access`, { key }), [404]);
    });
  });

  describe('a mailbox under attack', () => {
    it('fifty clients who move, mark and expunge the same messages at once leave whole counts (MAIL-102, MAIL-103)', async () => {
      const app = await startApp(engine);
      try {
        const stranger = await makePerson(app);
        const inbox = await folderOf(app, 'inbox');
        const ids: string[] = [];
        for (let i = 0; i < 20; i++) ids.push((await append(app, inbox, rfc822({ subject: `m${i}` }))).id);
        const foreign = (await append(app, await folderOf(app, 'inbox', stranger.key), rfc822(), stranger))
          .id;
        const roles = ['inbox', 'archive', 'junk', 'trash'];
        const step = async (choose: (below: number) => number): Promise<void> => {
          const some = Array.from({ length: 1 + choose(8) }, () => ids[choose(20)] ?? '');
          const batch = (body: object) => app.post('/v1/messages/batch', { message_ids: some, ...body });
          switch (choose(6)) {
            case 0:
            case 1:
              return assertAnswered(
                await batch({
                  move_to: roles[choose(4)],
                  add_flags: ['deleted'],
                  add_labels: [`l${choose(5)}`],
                }),
                [200, 404],
              );
            case 2:
              return assertAnswered(
                await batch({ remove_flags: ['deleted', 'read'], remove_labels: [`l${choose(5)}`] }),
                [200, 404],
              );
            case 3:
              return assertAnswered(await app.post(`/v1/folders/${roles[choose(4)]}/expunge`), [200]);
            case 4:
              return assertAnswered(await app.post(`/v1/messages/${some[0]}/restore`), [200]);
            default:
              some.push(foreign);
              return assertAnswered(await batch({ move_to: 'archive', add_flags: ['starred'] }), [404]);
          }
        };
        await Promise.all(
          Array.from({ length: CLIENTS }, async (_, client) => {
            const choose = choices(client);
            for (let i = 0; i < STEPS; i++) await step(choose);
          }),
        );
        for (const { id, message_count, unread_count } of data(await app.get('/v1/folders'))) {
          const listed = data(await app.get(`/v1/messages?folder_id=${id}&limit=200`));
          const unread = listed.filter(({ flags }: { flags: { read: boolean } }) => !flags.read);
          assert.deepEqual([message_count, unread_count], [listed.length, unread.length]);
        }
        const theirs = data(await app.get(`/v1/messages/${foreign}`, stranger));
        assert.equal(theirs.flags.starred, false);
        await assertWhole(app);
      } finally {
        await app.stop();
      }
    });
  });
});
