import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, freshAddress, makeKey, makeUser, makeWorkspace } from './accounts.ts';
import { changesFor, changesOf, told } from './changes-feed.ts';

forEachEngine((engine) => {
  describe('changes of the directory', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    /** A user with a key that reads the directory, and what groups give access to. */
    const makeReader = async () => {
      const { id } = await makeUser(app);
      const { key } = await makeKey(app, ['directory.read', 'files.read'], { user_id: id });
      return { id, key };
    };

    test('the whole workspace, and no other, is told of users, groups and resources (CHANGE-46)', async () => {
      const reader = await makeReader();
      const elsewhere = await makeWorkspace(app);
      let [user, group, resource] = ['', '', ''];
      const [here, there] = await changesFor(app, [reader.key, elsewhere.key], async () => {
        user = (await makeUser(app)).id;
        data(await app.put(`/v1/users/${user}`, { name: 'Else' }));
        group = data(await app.post('/v1/groups', { name: 'Team', member_ids: [] }), 201).id;
        data(await app.put(`/v1/groups/${group}`, { name: 'Crew' }));
        resource = data(await app.post('/v1/resources', { name: 'Room', kind: 'room' }), 201).id;
      });
      assert.deepEqual(told(here ?? []), [
        ['user.created', { user_id: user }],
        ['user.changed', { user_id: user }],
        ['group.created', { group_id: group }],
        ['group.changed', { group_id: group }],
        ['resource.created', { resource_id: resource }],
      ]);
      assert.deepEqual(there, []);
    });

    test('what no key has written, such as from the command line, names no writer (CHANGE-1, CHANGE-2)', async () => {
      const { directory, database } = app.services;
      const { id } = await makeUser(app);
      const [change, ...more] = await changesOf(app, undefined, () =>
        database.write(async (tx) => {
          const workspaceId = (await directory.findUser(tx, id))?.workspaceId ?? '';
          return directory.updateUser(tx, workspaceId, id, { state: 'suspended' });
        }),
      );
      assert.deepEqual([change?.type, change?.ids, change?.actor], ['user.changed', { user_id: id }, null]);
      assert.deepEqual(more, []);
    });

    test('a change that a user or a group has already tells of nothing (CHANGE-1, CHANGE-46)', async () => {
      const member = await makeReader();
      const user = data(await app.get(`/v1/users/${member.id}`));
      const made = data(await app.post('/v1/groups', { name: 'Same', member_ids: [member.id] }), 201);
      const { name, email, aliases, state, share_availability, time_zone, working_hours } = user;
      const changes = await changesOf(app, undefined, async () => {
        const same = { name, email, aliases, state, share_availability, time_zone, working_hours };
        assert.deepEqual(data(await app.put(`/v1/users/${member.id}`, same)), user);
        for (const fields of [{ name: 'Same' }, { member_ids: [member.id] }])
          assert.deepEqual(data(await app.put(`/v1/groups/${made.id}`, fields)), made);
      });
      assert.deepEqual(changes, []);
    });

    test('another order of the members is a change of the group (CHANGE-46)', async () => {
      const [first, second] = [(await makeUser(app)).id, (await makeUser(app)).id];
      const { id } = data(await app.post('/v1/groups', { name: 'Row', member_ids: [first, second] }), 201);
      const changes = await changesOf(app, undefined, async () =>
        data(await app.put(`/v1/groups/${id}`, { member_ids: [second, first] })),
      );
      assert.deepEqual(told(changes), [['group.changed', { group_id: id }]]);
    });

    test('a refused user, group or resource tells of nothing (CHANGE-1)', async () => {
      const [email, other] = [freshAddress(), freshAddress()];
      await makeUser(app, { email });
      const { id } = await makeUser(app, { email: other });
      const { id: group } = data(await app.post('/v1/groups', { name: 'Team', member_ids: [] }), 201);
      const changes = await changesOf(app, undefined, async () => {
        assert.equal((await app.post('/v1/users', { email, name: 'Again' })).status, 409);
        assert.equal((await app.put(`/v1/users/${id}`, { email })).status, 409);
        assert.equal((await app.put('/v1/users/me', { state: 'suspended' })).status, 409);
        const members = { name: 'Crew', member_ids: ['usr_x'] };
        assert.equal((await app.post('/v1/groups', members)).status, 404);
        assert.equal((await app.put(`/v1/groups/${group}`, members)).status, 404);
        assert.equal((await app.post('/v1/resources', { name: 'R', kind: 'x' })).status, 400);
      });
      assert.deepEqual(changes, []);
    });

    test('whoever joins or leaves a group is told that their access has changed (CHANGE-47)', async () => {
      const [stays, leaves, joins] = [await makeReader(), await makeReader(), await makeReader()];
      const keys = [stays.key, leaves.key, joins.key];
      let group = '';
      const accessOf = async (work: () => Promise<unknown>) =>
        (await changesFor(app, keys, work)).map((changes) =>
          told(changes.filter(({ type }) => type === 'access.changed')),
        );
      const once = () => [['access.changed', { group_id: group }]];
      const created = await accessOf(async () => {
        const body = { name: 'Team', member_ids: [stays.id, leaves.id] };
        group = data(await app.post('/v1/groups', body), 201).id;
      });
      assert.deepEqual(created, [once(), once(), []]);
      const members = { member_ids: [joins.id, stays.id] };
      const put = async () => data(await app.put(`/v1/groups/${group}`, members));
      assert.deepEqual(await accessOf(put), [[], once(), once()]);
      assert.deepEqual(await accessOf(put), [[], [], []]);
      const renamed = async () => data(await app.put(`/v1/groups/${group}`, { name: 'Crew' }));
      assert.deepEqual(await accessOf(renamed), [[], [], []]);
    });
  });

  describe('changes of keys', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const revoke = async (id: string, query = '') =>
      assert.equal((await app.delete(`/v1/api-keys/${id}${query}`)).status, 204);
    /** A user and a key of that user that reads its keys. */
    const makeReader = async () => {
      const { id } = await makeUser(app);
      const { key } = await makeKey(app, ['keys.read'], { user_id: id });
      return { id, key };
    };

    test('a key tells its user and whoever administrates keys of it, and nobody else (CHANGE-48)', async () => {
      const [user, other] = [await makeReader(), await makeReader()];
      let id = '';
      const [admin, own, others] = await changesFor(app, [undefined, user.key, other.key], async () => {
        ({ id } = await makeKey(app, ['files.read'], { user_id: user.id }));
        await revoke(id);
        await revoke(id);
      });
      const expected = [
        ['api_key.created', { key_id: id }],
        ['api_key.revoked', { key_id: id }],
      ];
      assert.deepEqual(told(admin ?? []), expected);
      assert.deepEqual(told(own ?? []), expected);
      assert.deepEqual(others, []);
    });

    test('a key that is revoked with all that it made tells each user of their own keys (CHANGE-49)', async () => {
      const [user, other] = [await makeReader(), await makeReader()];
      const powers = ['keys.read', 'keys.write', 'directory.write', 'files.read'] as const;
      const maker = await makeKey(app, powers, { user_id: user.id });
      const by = { key: maker.key };
      const made = [
        await makeKey(app, ['files.read'], {}, by),
        await makeKey(app, ['files.read'], { user_id: other.id }, by),
        await makeKey(app, ['files.read'], { user_id: other.id }, by),
      ];
      const gone = await makeKey(app, ['files.read'], {}, by);
      await revoke(gone.id);
      const feeds = await changesFor(app, [undefined, user.key, other.key], () =>
        revoke(maker.id, '?made_by=true'),
      );
      const [admin = [], own = [], others = []] = feeds.map((changes) =>
        changes.map(({ type, ids }) => [type, (ids.key_ids as string[]).toSorted()]),
      );
      const [first, ...rest] = made.map(({ id }) => id as string);
      const ofUser = ['api_key.revoked', [maker.id, first].toSorted()];
      const ofOther = ['api_key.revoked', rest.toSorted()];
      assert.deepEqual(own, [ofUser]);
      assert.deepEqual(others, [ofOther]);
      assert.deepEqual(admin.toSorted(), [ofUser, ofOther].toSorted());
    });
  });
});
