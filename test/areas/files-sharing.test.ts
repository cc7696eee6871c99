/** Who may see and do what with a file, and how that is given and taken. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import type { Answer, TestApp } from '../harness.ts';
import { startApp } from '../harness.ts';
import { data, makeKey, makeWorkspace } from './accounts.ts';
import { listedIds, makePerson, type Person, putFile, shareWith, theOwner } from './files-world.ts';

const ROLES = ['nobody', 'viewer', 'commenter', 'editor', 'manager', 'owner'] as const;
type Asker = (typeof ROLES)[number];

/** Each thing that can be done, the least role that may, and how success looks; "trashed" means the file is. */
const ACTIONS: Record<string, { least: Asker; status: number; trashed?: true; ask: Ask }> = {
  get: { least: 'viewer', status: 200, ask: (app, id, by) => app.get(`/v1/files/${id}`, by) },
  'get what is trashed': {
    least: 'viewer',
    status: 200,
    trashed: true,
    ask: (app, id, by) => app.get(`/v1/files/${id}`, by),
  },
  read: { least: 'viewer', status: 200, ask: (app, id, by) => app.get(`/v1/files/${id}/content`, by) },
  'read what is trashed': {
    least: 'owner',
    status: 200,
    trashed: true,
    ask: (app, id, by) => app.get(`/v1/files/${id}/content`, by),
  },
  'list grants': {
    least: 'viewer',
    status: 200,
    ask: (app, id, by) => app.get(`/v1/files/${id}/permissions`, by),
  },
  'list access': {
    least: 'viewer',
    status: 200,
    ask: (app, id, by) => app.get(`/v1/files/${id}/access`, by),
  },
  rename: {
    least: 'editor',
    status: 200,
    ask: (app, id, by) => app.put(`/v1/files/${id}`, { title: 'New' }, by),
  },
  'name the same folder': {
    least: 'editor',
    status: 200,
    ask: (app, id, by) => app.put(`/v1/files/${id}`, { folder_id: '' }, by),
  },
  move: {
    least: 'owner',
    status: 404,
    ask: (app, id, by) => app.put(`/v1/files/${id}`, { folder_id: 'dir_unknown' }, by),
  },
  trash: { least: 'editor', status: 204, ask: (app, id, by) => app.delete(`/v1/files/${id}`, by) },
  'trash again': {
    least: 'editor',
    status: 204,
    trashed: true,
    ask: (app, id, by) => app.delete(`/v1/files/${id}`, by),
  },
  restore: {
    least: 'editor',
    status: 200,
    trashed: true,
    ask: (app, id, by) => app.post(`/v1/files/${id}/restore`, undefined, by),
  },
  share: {
    least: 'manager',
    status: 201,
    ask: (app, id, by, { other }) =>
      app.post(`/v1/files/${id}/permissions`, { principal_id: other.id, role: 'manager' }, by),
  },
  revoke: {
    least: 'manager',
    status: 204,
    ask: (app, id, by, { grantId }) => app.delete(`/v1/files/${id}/permissions/${grantId}`, by),
  },
};

type Ask = (app: TestApp, id: string, by: Person, of: { other: Person; grantId: string }) => Promise<Answer>;

forEachEngine((engine) => {
  describe('sharing', () => {
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
      data(await app.post('/v1/groups', { name: 'G', member_ids: members.map(({ id }) => id) }), 201).id;

    for (const [name, { least, status, trashed, ask }] of Object.entries(ACTIONS)) {
      // FILE-27, FILE-29, FILE-64, FILE-65, FILE-71, FILE-72: rows of ACTIONS.
      test(`to ${name} takes the role ${least}`, async () => {
        for (const role of ROLES) {
          const file = await putFile(app, owner);
          const grantId = (await shareWith(app, owner, file.id, other.id, 'viewer')).id;
          if (role !== 'nobody' && role !== 'owner') await shareWith(app, owner, file.id, friend.id, role);
          if (trashed) await app.delete(`/v1/files/${file.id}`);
          const answer = await ask(app, file.id, role === 'owner' ? owner : friend, { other, grantId });
          const may = ROLES.indexOf(role) >= ROLES.indexOf(least);
          assert.equal(
            answer.status,
            may ? status : role === 'nobody' ? 404 : 403,
            `${role}: ${answer.text}`,
          );
          if (may || role === 'nobody') continue;
          assert.equal(answer.json.error.code, 'forbidden');
          assert.equal(answer.json.error.details.required_role, least);
        }
      });
    }

    test('a second grant to the same principal changes the role of the first one (FILE-67, FILE-69, FILE-70)', async () => {
      const { id } = await putFile(app, owner);
      const first = await shareWith(app, owner, id, friend.id, 'viewer');
      const second = await shareWith(app, owner, id, friend.id, 'editor');
      assert.deepEqual(second, { ...first, role: 'editor' });
      assert.deepEqual(data(await app.get(`/v1/files/${id}/permissions`)), [second]);
      const { id: grantId, created_at, principal: named, ...rest } = first;
      assert.equal(named.id, friend.id);
      assert.match(grantId, /^perm_/);
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const principal = { principal_type: 'user', principal_id: friend.id };
      assert.deepEqual(rest, { ...principal, role: 'viewer', created_by: owner.id });
    });

    test('grants are listed in order of creation, without pages (FILE-71)', async () => {
      const { id } = await putFile(app, owner);
      const people = await Promise.all(Array.from({ length: 5 }, () => makePerson(app)));
      const made: unknown[] = [];
      for (const { id: principal } of people.toSorted((a, b) => (a.id < b.id ? 1 : -1)))
        made.push(await shareWith(app, owner, id, principal, 'viewer'));
      const listed = await app.get(`/v1/files/${id}/permissions`);
      assert.deepEqual([data(listed), listed.json.pagination], [made, undefined]);
    });

    test('the highest role of all grants that reach a user counts (FILE-64, FILE-66)', async () => {
      const { id } = await putFile(app, owner);
      const group = await makeGroup(friend, other);
      await shareWith(app, owner, id, friend.id, 'viewer');
      await shareWith(app, owner, id, group, 'editor');
      assert.equal((await app.put(`/v1/files/${id}`, { title: 'By a member' }, friend)).status, 200);
      await app.put(`/v1/groups/${group}`, { member_ids: [other.id] });
      assert.equal((await app.put(`/v1/files/${id}`, { title: 'No more' }, friend)).status, 403);
      assert.equal((await app.put(`/v1/files/${id}`, { title: 'Still' }, other)).status, 200);
    });

    test('shows in lists whatever the way, each file once', async () => {
      const reader = await makePerson(app);
      const [own, byUser, byGroup, both] = [
        await putFile(app, reader),
        await putFile(app, owner),
        await putFile(app, owner),
        await putFile(app, owner),
      ];
      await putFile(app, owner);
      const groups = [await makeGroup(reader), await makeGroup(reader, friend), await makeGroup(friend)];
      await shareWith(app, owner, byUser.id, reader.id, 'viewer');
      await shareWith(app, owner, byGroup.id, groups[0] ?? '', 'viewer');
      for (const principal of [reader.id, ...groups])
        await shareWith(app, owner, both.id, principal, 'viewer');
      await shareWith(app, reader, own.id, reader.id, 'viewer');
      assert.deepEqual(await listedIds(app, reader, '/v1/files'), [both.id, byGroup.id, byUser.id, own.id]);
      await app.delete(`/v1/files/${both.id}`);
      assert.deepEqual(await listedIds(app, reader, '/v1/files'), [byGroup.id, byUser.id, own.id]);
      assert.deepEqual(await listedIds(app, reader, '/v1/files?trashed=true'), []);
    });

    test('a grant ends with the next request when it is revoked, also by the user who has it (FILE-69, FILE-72)', async () => {
      const { id } = await putFile(app, owner);
      const grant = await shareWith(app, owner, id, friend.id, 'viewer');
      assert.equal((await app.get(`/v1/files/${id}`, friend)).status, 200);
      assert.equal((await app.delete(`/v1/files/${id}/permissions/${grant.id}`)).status, 204);
      assert.equal((await app.get(`/v1/files/${id}`, friend)).status, 404);
      assert.equal((await app.delete(`/v1/files/${id}/permissions/${grant.id}`)).status, 404);
      const own = await shareWith(app, owner, id, friend.id, 'viewer');
      assert.equal((await app.delete(`/v1/files/${id}/permissions/${own.id}`, friend)).status, 204);
      assert.equal((await app.get(`/v1/files/${id}`, friend)).status, 404);
    });

    test('a grant of another file is not found', async () => {
      const [one, two] = [await putFile(app, owner), await putFile(app, owner)];
      const grant = await shareWith(app, owner, one.id, friend.id, 'viewer');
      const refused = await app.delete(`/v1/files/${two.id}/permissions/${grant.id}`);
      assert.equal(refused.status, 404);
      assert.deepEqual(refused.json.error.details, { resource: 'permission', id: grant.id });
    });

    test('what is shared is found by its title, as long as it is shared', async () => {
      const reader = await makePerson(app);
      const { id } = await putFile(app, owner, { filename: 'zeppelin.txt' });
      const group = await makeGroup(reader);
      for (const principal of [reader.id, group]) {
        const grant = await shareWith(app, owner, id, principal, 'viewer');
        assert.deepEqual(await listedIds(app, reader, '/v1/files?q=zeppelin'), [id]);
        await shareWith(app, owner, id, principal, 'editor');
        assert.deepEqual(await listedIds(app, reader, '/v1/files?q=zeppelin'), [id]);
        await app.delete(`/v1/files/${id}/permissions/${grant.id}`);
        assert.deepEqual(await listedIds(app, reader, '/v1/files?q=zeppelin'), []);
      }
    });

    test('a grant to a user or group that the workspace does not know is refused (FILE-66, FILE-68)', async () => {
      const { id } = await putFile(app, owner);
      const { ownerId } = await makeWorkspace(app);
      const unknown = [
        { principal_id: ownerId },
        { principal_id: friend.id, principal_type: 'group' },
        { principal_id: await makeGroup(friend) },
        { principal_id: 'usr_unknown' },
      ];
      for (const principal of unknown) {
        const answer = await app.post(`/v1/files/${id}/permissions`, { ...principal, role: 'viewer' });
        assert.equal(answer.status, 404, answer.text);
        assert.equal(answer.json.error.details.resource, principal.principal_type ?? 'user');
      }
      assert.deepEqual(data(await app.get(`/v1/files/${id}/permissions`)), []);
    });

    test('sharing requires files.share, not files.write (FILE-65)', async () => {
      const { id } = await putFile(app, owner);
      const { key } = await makeKey(app, ['files.write', 'files.read']);
      const answer = await app.post(
        `/v1/files/${id}/permissions`,
        { principal_id: friend.id, role: 'viewer' },
        { key },
      );
      assert.equal(answer.status, 403);
      assert.deepEqual(answer.json.error.details, { missing_permission: 'files.share' });
    });

    test('the access list names every active user who reaches the file once, with the highest role and what gives it (FILE-73, FILE-74)', async () => {
      const { id } = await putFile(app, owner);
      const gone = await makePerson(app);
      const group = await makeGroup(friend, other, gone, owner);
      const own = await shareWith(app, owner, id, friend.id, 'editor');
      const ofGroup = await shareWith(app, owner, id, group, 'commenter');
      await app.put(`/v1/users/${gone.id}`, { state: 'suspended' });
      const who = async ({ id: userId }: Person) => {
        const { name, email } = data(await app.get(`/v1/users/${userId}`));
        return { user_id: userId, name, email };
      };
      assert.deepEqual(data(await app.get(`/v1/files/${id}/access`, other)), [
        { ...(await who(owner)), role: 'owner', source: 'ownership' },
        {
          ...(await who(friend)),
          role: 'editor',
          source: 'grant',
          permission_id: own.id,
          principal_type: 'user',
          principal_id: friend.id,
          principal: own.principal,
        },
        {
          ...(await who(other)),
          role: 'commenter',
          source: 'grant',
          permission_id: ofGroup.id,
          principal_type: 'group',
          principal_id: group,
          principal: ofGroup.principal,
        },
      ]);
    });

    test('the access list names the owner first, then the others by their ids, whenever they came (FILE-73)', async () => {
      const [first, second, third, last] = [owner, friend, other, await makePerson(app)].toSorted((a, b) =>
        a.id < b.id ? -1 : 1,
      );
      assert.ok(first && second && third && last);
      const { id } = await putFile(app, last);
      for (const { id: principal } of [second, third, first])
        await shareWith(app, last, id, principal, 'viewer');
      const access: { user_id: string }[] = data(await app.get(`/v1/files/${id}/access`, last));
      assert.deepEqual(
        access.map(({ user_id }) => user_id),
        [last.id, first.id, second.id, third.id],
      );
    });

    test('a grant to a suspended user counts once the user is active again (FILE-68)', async () => {
      const { id } = await putFile(app, owner);
      const away = await makePerson(app);
      await app.put(`/v1/users/${away.id}`, { state: 'suspended' });
      await shareWith(app, owner, id, away.id, 'viewer');
      assert.equal(data(await app.get(`/v1/files/${id}/access`)).length, 1);
      data(await app.put(`/v1/users/${away.id}`, { state: 'active' }));
      assert.equal(data(await app.get(`/v1/files/${id}`, away)).id, id);
      assert.equal(data(await app.get(`/v1/files/${id}/access`)).length, 2);
    });

    test('the access list names no suspended user (FILE-73)', async () => {
      const { id } = await putFile(app, owner);
      const gone = await makePerson(app);
      await shareWith(app, owner, id, gone.id, 'viewer');
      await app.put(`/v1/users/${gone.id}`, { state: 'suspended' });
      const access: { user_id: string }[] = data(await app.get(`/v1/files/${id}/access`));
      assert.deepEqual(
        access.map(({ user_id }) => user_id),
        [owner.id],
      );
    });

    test('of equal roles, access names what gives it to the user alone, then what came first', async () => {
      const { id } = await putFile(app, owner);
      const [one, two] = [await makeGroup(friend, other), await makeGroup(friend, other)];
      const ofOne = await shareWith(app, owner, id, one, 'viewer');
      await shareWith(app, owner, id, two, 'viewer');
      const own = await shareWith(app, owner, id, friend.id, 'viewer');
      const access: { user_id: string; permission_id?: string }[] = data(
        await app.get(`/v1/files/${id}/access`),
      );
      const by = (user: Person) => access.find(({ user_id }) => user_id === user.id)?.permission_id;
      assert.deepEqual([by(friend), by(other)], [own.id, ofOne.id]);
    });

    test('a grant follows a file that is moved, hidden and brought back (FILE-24)', async () => {
      const reader = await makePerson(app);
      const folder = data(await app.post('/v1/file-folders', { name: 'F' }), 201);
      const { id } = await putFile(app, owner);
      await shareWith(app, owner, id, reader.id, 'viewer');
      await app.put(`/v1/files/${id}`, { folder_id: folder.id });
      assert.deepEqual(await listedIds(app, reader, `/v1/files?folder_id=${folder.id}`), [id]);
      assert.deepEqual(await listedIds(app, reader, '/v1/files?folder_id='), []);
      await app.delete(`/v1/file-folders/${folder.id}`);
      assert.deepEqual(await listedIds(app, reader, '/v1/files'), []);
      await app.post(`/v1/file-folders/${folder.id}/restore`);
      assert.deepEqual(await listedIds(app, reader, '/v1/files'), [id]);
    });

    test('documents and spreadsheets are shared as files are (FILE-65)', async () => {
      for (const type of ['document', 'spreadsheet']) {
        const { id } = data(await app.post('/v1/documents', { type, title: 'T' }), 201);
        const grant = await shareWith(app, owner, id, friend.id, 'viewer');
        assert.deepEqual(data(await app.get(`/v1/files/${id}/permissions`, friend)), [grant]);
      }
    });
  });
});
