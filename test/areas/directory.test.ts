import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Value } from 'typebox/value';
import { Group, Resource, User } from '../../src/areas/directory/schema.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { atOnce } from '../nodes/at-once.ts';
import {
  assertRefused,
  data,
  freshAddress,
  makeKey,
  makeUser,
  makeWorkspace,
  problems,
  type Refusal,
  readPages,
} from './accounts.ts';

forEachEngine((engine) => {
  let app: TestApp;
  before(async () => {
    app = await startApp(engine);
  });
  after(() => app.stop());

  async function idsOf(path: string): Promise<string[]> {
    return (await readPages(app, path, 100)).map((item) => item.id);
  }

  /** The ids of new users that are like another. */
  async function crowdOf(id: string, size: number): Promise<string[]> {
    return app.services.database.write(async (tx) => {
      const user = await tx.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      const crowd = Array.from({ length: size }, (_, i) => ({ ...user, id: `${id}_${i}` }));
      await tx.insertInto('users').values(crowd).execute();
      return crowd.map((one) => one.id);
    });
  }

  describe('users', () => {
    it('users start active, shared, in UTC and without aliases (DIR-1, DIR-5, DIR-6)', async () => {
      const email = freshAddress();
      const user = data(await app.post('/v1/users', { email, name: 'Ada Lovelace' }), 201);
      const { id, created_at, updated_at, ...rest } = user;
      assert.deepEqual(rest, {
        name: 'Ada Lovelace',
        email,
        aliases: [],
        state: 'active',
        share_availability: true,
        time_zone: 'UTC',
        working_hours: [],
      });
      assert.match(id, /^usr_[0-9a-z]{26}$/);
      assert.equal(created_at, updated_at);
      assert.ok(Value.Check(User, user));
      assert.deepEqual(data(await app.get(`/v1/users/${id}`)), user);
    });

    it('users keep addresses as given and spell the time zone as IANA does (DIR-5, DIR-10)', async () => {
      const [email, alias] = [`Ada.${freshAddress()}`, `Ä.${freshAddress()}`];
      const user = await makeUser(app, { email, aliases: [alias], time_zone: 'europe/berlin' });
      assert.equal(user.email, email);
      assert.deepEqual(user.aliases, [alias]);
      assert.equal(user.time_zone, 'Europe/Berlin');
    });

    it('users get a mailbox, an address book and a calendar (DIR-6)', async () => {
      const { id } = await makeUser(app);
      const permissions = ['mail.messages.read', 'contacts.read', 'calendar.events.read'] as const;
      const { key } = await makeKey(app, permissions, { user_id: id });
      const folders = data(await app.get('/v1/folders', { key }));
      assert.ok(folders.some((folder: { role: string }) => folder.role === 'inbox'));
      for (const path of ['/v1/address-books', '/v1/calendars'])
        assert.equal(data(await app.get(path, { key })).length, 1, path);
    });

    it('me is the user of the key (API-90, DIR-4)', async () => {
      const user = await makeUser(app);
      const { key } = await makeKey(app, ['directory.read'], { user_id: user.id });
      assert.deepEqual(data(await app.get('/v1/users/me', { key })), user);
    });

    it('users are listed in order of creation, page by page (API-134, DIR-2)', async () => {
      const ids = [];
      for (let i = 0; i < 4; i++) ids.push((await makeUser(app, { name: `Paged ${i}` })).id);
      const pages = await readPages(app, '/v1/users?q=paged', 2);
      assert.deepEqual(
        pages.map((user) => user.id),
        ids,
      );
      assert.deepEqual(
        (await readPages(app, '/v1/users', 3)).map((user) => user.id),
        await idsOf('/v1/users'),
      );
    });

    it('users come 25 to a page and at most 100 (API-138, API-139, DIR-2)', async () => {
      assert.equal((await app.get('/v1/users')).json.pagination.limit, 25);
      assert.equal((await app.get('/v1/users?limit=1000')).json.pagination.limit, 100);
    });

    it('a cursor means nothing with another search (API-142)', async () => {
      await makeUser(app);
      const { next_cursor: cursor } = (await app.get('/v1/users?limit=1')).json.pagination;
      const refused = await app.get(`/v1/users?limit=1&q=ada&cursor=${encodeURIComponent(cursor)}`);
      assert.equal(refused.json.error.code, 'invalid_cursor');
    });

    describe('are found by a fragment (DIR-3)', () => {
      const fragments: [what: string, q: string][] = [
        ['of the name', 'RASSE 100'],
        ['of the name in another folding', 'STRAẞE'],
        ['of the e-mail address', 'STRASS@'],
        ['of an alias', '@ALIAS.example'],
        ['with a percent sign', '100%_\\'],
      ];
      let id: string;
      before(async () => {
        const fields = {
          name: 'Zoë Straße 100%_\\x',
          email: 'zoe.strass@example.org',
          aliases: ['z@alias.example'],
        };
        id = (await makeUser(app, fields)).id;
      });
      for (const [what, q] of fragments) {
        it(`a user is found by a fragment ${what}`, async () =>
          assert.deepEqual(await idsOf(`/v1/users?q=${encodeURIComponent(q)}`), [id]));
      }
      for (const q of ['100_', '1%0', 'xzoe', 'nobody at all']) {
        it(`no user is found by ${JSON.stringify(q)}`, async () =>
          assert.deepEqual(await idsOf(`/v1/users?q=${encodeURIComponent(q)}`), []));
      }
      it('an empty one finds everyone', async () =>
        assert.deepEqual(await idsOf('/v1/users?q='), await idsOf('/v1/users')));
    });

    it('users change in the fields that are sent, and are still listed when they are suspended (API-13, DIR-2, DIR-7)', async () => {
      const user = await makeUser(app, { aliases: [freshAddress()] });
      const changes = {
        name: 'Augusta',
        email: freshAddress(),
        aliases: [freshAddress(), freshAddress()],
        state: 'suspended',
        share_availability: false,
        time_zone: 'Asia/Kolkata',
        working_hours: [
          { days: [1, 2, 3], start: '09:00', end: '12:30' },
          { days: [7], start: '00:00', end: '24:00' },
        ],
      };
      let expected = user;
      for (const [field, value] of Object.entries(changes)) {
        const changed = data(await app.put(`/v1/users/${user.id}`, { [field]: value }));
        expected = { ...expected, [field]: value, updated_at: changed.updated_at };
        assert.deepEqual(changed, expected);
        assert.deepEqual(data(await app.get(`/v1/users/${user.id}`)), expected);
      }
      assert.ok(expected.updated_at > user.updated_at);
      assert.deepEqual(await idsOf(`/v1/users?q=${changes.email}`), [user.id]);
      assert.deepEqual(await idsOf(`/v1/users?q=${user.email}`), []);
    });

    it('users leave the addresses that they no longer use to others (DIR-9)', async () => {
      const [email, alias] = [freshAddress(), freshAddress()];
      const { id } = await makeUser(app, { email, aliases: [alias] });
      data(await app.put(`/v1/users/${id}`, { email: alias, aliases: [] }));
      await makeUser(app, { email });
    });

    it('an address is taken in either form of its domain (DIR-9)', async () => {
      const [local] = freshAddress().split('@');
      const [own, ascii] = [`${local}@bücher.example`, `${local}@XN--BCHER-KVA.example`];
      const { id } = await makeUser(app, { email: own });
      const other = await makeUser(app);
      for (const [answer, email] of [
        [await app.post('/v1/users', { name: 'Second', email: ascii }), ascii],
        [await app.put(`/v1/users/${other.id}`, { aliases: [ascii] }), ascii],
      ] as const) {
        assert.deepEqual([answer.status, answer.json.error?.code], [409, 'email_taken']);
        assert.deepEqual(answer.json.error.details, { email });
      }
      data(await app.put(`/v1/users/${id}`, { email: ascii }));
      assert.equal((await app.post('/v1/users', { name: 'Second', email: own })).status, 409);
      data(await app.put(`/v1/users/${id}`, { email: freshAddress() }));
      await makeUser(app, { email: own });
    });

    it('both forms of an address that are claimed at the same time go to one user (DIR-9)', async () => {
      for (let n = 0; n < 20; n++) {
        const [local] = freshAddress().split('@');
        const other = await makeUser(app);
        const answers = await Promise.all([
          app.post('/v1/users', { name: 'One', email: `${local}@bücher.example` }),
          app.post('/v1/users', { name: 'Two', email: `${local}@xn--bcher-kva.example` }),
          app.put(`/v1/users/${other.id}`, { aliases: [`${local}@XN--BCHER-KVA.example`] }),
        ]);
        const refused = answers.filter(({ json }) => json.error?.code === 'email_taken');
        assert.equal(refused.length, 2, answers.map(({ text }) => text).join());
      }
    });

    it('an address with its domain in another form than these two is refused with its place (DIR-9)', async () => {
      const [local] = freshAddress().split('@');
      const mixed = [`${local}@ü.xn--tda.example`, `${local}@ex%61mple.org`, `${local}@ex\u00adample.org`];
      const { id } = await makeUser(app);
      for (const email of mixed) {
        for (const [answer, pointer] of [
          [await app.post('/v1/users', { name: 'Mixed', email }), '/email'],
          [
            await app.post('/v1/users', { name: 'Mixed', email: freshAddress(), aliases: [email] }),
            '/aliases/0',
          ],
          [await app.put(`/v1/users/${id}`, { email }), '/email'],
          [await app.put(`/v1/users/${id}`, { aliases: [freshAddress(), email] }), '/aliases/1'],
        ] as const) {
          assert.deepEqual([answer.status, answer.json.error?.code], [400, 'validation_failed'], answer.text);
          const [problem, ...others] = answer.json.error.details.errors;
          assert.deepEqual([problem.pointer, problem.code, others], [pointer, 'wrong_format', []]);
        }
      }
      const answer = await app.post('/v1/users', { name: 'Mixed', email: mixed[0] });
      assert.match(answer.text, /xn--tda\.xn--tda\.example/);
    });

    it('an address in wide letters is the one in ordinary letters (DIR-9)', async () => {
      const [local] = freshAddress().split('@');
      const wide = `${local}@ｅxample.org`;
      const { email } = await makeUser(app, { email: wide });
      assert.equal(email, wide);
      assert.equal((await app.post('/v1/users', { name: 'B', email: `${local}@example.org` })).status, 409);
    });

    it('a user keeps an address that was stored in a third form, and gets its mail (DIR-9)', async () => {
      const [local] = freshAddress().split('@');
      const mixed = `${local}@ü.xn--tda.example`;
      const { id } = await makeUser(app);
      const { database, directory } = app.services;
      await database.write(async (tx) => {
        const aliases = JSON.stringify([mixed]);
        const { workspace_id } = await tx
          .selectFrom('users')
          .select('workspace_id')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        await tx.updateTable('users').set({ aliases }).where('id', '=', id).execute();
        await tx.insertInto('user_addresses').values({ address: mixed, workspace_id, user_id: id }).execute();
      });
      const holderOf = (address: string) => database.read((tx) => directory.findRecipient(tx, address));
      assert.equal((await holderOf(mixed.toUpperCase()))?.userId, id);
      const alias = freshAddress();
      data(await app.put(`/v1/users/${id}`, { name: 'Renamed', aliases: [alias, mixed] }));
      assert.equal((await holderOf(mixed))?.userId, id);
      const other = await makeUser(app, { email: `${local}@ü.ü.example` });
      assert.equal((await holderOf(mixed))?.userId, id);
      assert.equal((await holderOf(`${local}@xn--tda.xn--tda.example`))?.userId, other.id);
    });

    it('swap the e-mail address and an alias', async () => {
      const [email, alias] = [freshAddress(), freshAddress()];
      const { id } = await makeUser(app, { email, aliases: [alias] });
      const swapped = data(await app.put(`/v1/users/${id}`, { email: alias, aliases: [email] }));
      assert.deepEqual([swapped.email, swapped.aliases], [alias, [email]]);
    });

    it('users change their own availability and time zone without directory.write (API-93, DIR-7, DIR-8)', async () => {
      const { id } = await makeUser(app);
      const { key } = await makeKey(app, ['keys.read'], { user_id: id });
      const first = data(await app.put('/v1/users/me', { share_availability: false }, { key }));
      const second = data(await app.put(`/v1/users/${id}`, { time_zone: 'America/Lima' }, { key }));
      assert.deepEqual(
        [first.id, second.id, second.share_availability, second.time_zone],
        [id, id, false, 'America/Lima'],
      );
      const working_hours = [{ days: [2], start: '08:00', end: '16:00' }];
      assert.deepEqual(
        data(await app.put('/v1/users/me', { working_hours }, { key })).working_hours,
        working_hours,
      );
    });

    it('working hours come with a new user, and are taken away by an empty list (DIR-1, DIR-5, DIR-36)', async () => {
      const working_hours = [{ days: [1], start: '09:00', end: '17:00' }];
      const { id, working_hours: made } = await makeUser(app, { working_hours });
      assert.deepEqual(made, working_hours);
      assert.deepEqual(data(await app.put(`/v1/users/${id}`, { working_hours: [] })).working_hours, []);
    });

    it('working hours that are none are refused with their place (DIR-36)', async () => {
      const period = { days: [1], start: '09:00', end: '17:00' };
      const { id } = await makeUser(app);
      for (const [working_hours, pointer] of [
        ['each', '/working_hours'],
        [null, '/working_hours'],
        [Array(22).fill(period), '/working_hours'],
        [[{ ...period, days: [] }], '/working_hours/0/days'],
        [[{ ...period, days: [0] }], '/working_hours/0/days/0'],
        [[period, { ...period, start: '9:00' }], '/working_hours/1/start'],
        [[{ ...period, end: '24:01' }], '/working_hours/0/end'],
        [[{ ...period, end: '09:00' }], '/working_hours/0/end'],
        [[{ ...period, zone: 'UTC' }], '/working_hours/0/zone'],
      ] as const) {
        const { status, json } = await app.put(`/v1/users/${id}`, { working_hours });
        assert.equal(status, 400);
        assert.equal(json.error.details.errors[0].pointer, pointer);
      }
      const { key } = await makeKey(app, ['directory.read']);
      assert.equal((await app.put(`/v1/users/${id}`, { working_hours: [period] }, { key })).status, 403);
    });

    it('users lose their keys while they are suspended (API-47, DIR-12)', async () => {
      const { id } = await makeUser(app);
      const { key } = await makeKey(app, ['directory.read'], { user_id: id });
      data(await app.get('/v1/users/me', { key }));
      data(await app.put(`/v1/users/${id}`, { state: 'suspended' }));
      const isRefused = async () => {
        const { status, json } = await app.get('/v1/users/me', { key });
        return status === 401 && json.error.code === 'invalid_api_key';
      };
      await atOnce(isRefused, 'the key stops');
      data(await app.put(`/v1/users/${id}`, { state: 'active' }));
      data(await app.get('/v1/users/me', { key }));
    });

    it('one of several who want the same address at once gets it (DIR-9)', async () => {
      const email = freshAddress();
      const requests = Array.from({ length: 6 }, (_, i) =>
        app.post('/v1/users', { name: 'Racer', email: i % 2 ? email : email.toUpperCase() }),
      );
      const statuses = (await Promise.all(requests)).map((answer) => answer.status);
      assert.deepEqual(statuses.sort(), [201, 409, 409, 409, 409, 409]);
      assert.equal((await idsOf(`/v1/users?q=${email}`)).length, 1);
    });

    it('changes that come at the same time are all kept', async () => {
      const { id } = await makeUser(app);
      const changes = [{ name: 'Both' }, { time_zone: 'Asia/Tokyo' }, { share_availability: false }];
      await Promise.all(changes.map((change) => app.put(`/v1/users/${id}`, change)));
      const { name, time_zone, share_availability } = data(await app.get(`/v1/users/${id}`));
      assert.deepEqual([name, time_zone, share_availability], ['Both', 'Asia/Tokyo', false]);
    });

    it('two owners who suspend each other leave one (DIR-13)', async () => {
      const { ownerId, key } = await makeWorkspace(app);
      const { workspace_id: workspaceId } = await app.services.database.read((tx) =>
        tx.selectFrom('users').select('workspace_id').where('id', '=', ownerId).executeTakeFirstOrThrow(),
      );
      const other = await app.services.database.write((tx) =>
        app.services.directory.createUser(
          tx,
          workspaceId,
          { name: 'Second', email: freshAddress() },
          { isOwner: true },
        ),
      );
      const answers = await Promise.all(
        [ownerId, other.id].map((id) => app.put(`/v1/users/${id}`, { state: 'suspended' }, { key })),
      );
      const statuses = answers.map((answer) => answer.status).sort();
      // Where the caller went first, the other request may come to a key that has stopped.
      assert.ok(
        [
          [200, 409],
          [200, 401],
        ].some((possible) => String(possible) === String(statuses)),
        String(statuses),
      );
    });
  });

  describe('groups', () => {
    it('groups have members in the order given, each once (DIR-15, DIR-17, DIR-19)', async () => {
      const [ada, bob] = [await makeUser(app), await makeUser(app)];
      const group = data(
        await app.post('/v1/groups', { name: 'Pair', member_ids: [bob.id, ada.id, bob.id] }),
        201,
      );
      assert.match(group.id, /^grp_[0-9a-z]{26}$/);
      assert.deepEqual([group.name, group.member_ids], ['Pair', [bob.id, ada.id]]);
      assert.ok(Value.Check(Group, group));
      assert.deepEqual((await readPages(app, '/v1/groups', 100)).at(-1), group);
    });

    it('groups change in the fields that are sent (API-13, DIR-18)', async () => {
      const [ada, bob] = [await makeUser(app), await makeUser(app)];
      const group = data(await app.post('/v1/groups', { name: 'First', member_ids: [ada.id] }), 201);
      const renamed = data(await app.put(`/v1/groups/${group.id}`, { name: 'Second' }));
      assert.deepEqual(renamed, { ...group, name: 'Second', updated_at: renamed.updated_at });
      const moved = data(await app.put(`/v1/groups/${group.id}`, { member_ids: [bob.id] }));
      assert.deepEqual(moved, { ...renamed, member_ids: [bob.id], updated_at: moved.updated_at });
      const emptied = data(await app.put(`/v1/groups/${group.id}`, { member_ids: [] }));
      assert.deepEqual(emptied.member_ids, []);
    });

    it('groups are listed in order of creation with their own members, page by page (DIR-16)', async () => {
      const users = [await makeUser(app), await makeUser(app), await makeUser(app)];
      const made = [];
      for (const { id } of users) {
        made.push(data(await app.post('/v1/groups', { name: 'Listed', member_ids: [id] }), 201));
      }
      const listed = await readPages(app, '/v1/groups', 2);
      assert.deepEqual(listed.slice(-3), made);
      assert.equal((await app.get('/v1/groups')).json.pagination.limit, 25);
      assert.equal((await app.get('/v1/groups?limit=101')).json.pagination.limit, 100);
    });

    it('take one of several memberships that are set at once', async () => {
      const users = [await makeUser(app), await makeUser(app), await makeUser(app)];
      const { id } = data(await app.post('/v1/groups', { name: 'Raced', member_ids: [] }), 201);
      const wanted = users.map((user) => [user.id, users[0].id]);
      const answers = await Promise.all(
        wanted.map((ids) => app.put(`/v1/groups/${id}`, { member_ids: ids })),
      );
      for (const answer of answers) assert.equal(answer.status, 200, answer.text);
      const group = (await readPages(app, '/v1/groups', 100)).find((found) => found.id === id);
      assert.ok(wanted.some((ids) => String([...new Set(ids)]) === String(group.member_ids)));
    });

    it('hold more members than one statement takes', async () => {
      const { id } = await makeUser(app);
      const unknown = Array.from({ length: 4_000 }, (_, i) => `usr_${i}`);
      const refused = await app.post('/v1/groups', { name: 'Large', member_ids: [id, ...unknown] });
      assert.deepEqual(refused.json.error.details, { resource: 'user', id: 'usr_0' });
      const crowd = await crowdOf(id, 1_500);
      const group = data(await app.post('/v1/groups', { name: 'Large', member_ids: crowd }), 201);
      assert.deepEqual((await readPages(app, '/v1/groups', 100)).at(-1), group);
      assert.deepEqual(group.member_ids, crowd);
    });
  });

  describe('resources', () => {
    it('resources are rooms or equipment, with a capacity where one is given (DIR-20, DIR-21, DIR-22)', async () => {
      const room = data(await app.post('/v1/resources', { name: 'Room 1', kind: 'room', capacity: 12 }), 201);
      const projector = data(await app.post('/v1/resources', { name: 'Projector', kind: 'equipment' }), 201);
      assert.match(room.id, /^res_[0-9a-z]{26}$/);
      assert.deepEqual([room.name, room.kind, room.capacity], ['Room 1', 'room', 12]);
      assert.ok(!('capacity' in projector));
      for (const resource of [room, projector]) assert.ok(Value.Check(Resource, resource));
      assert.deepEqual((await readPages(app, '/v1/resources', 1)).slice(-2), [room, projector]);
      assert.equal((await app.get('/v1/resources')).json.pagination.limit, 25);
      assert.equal((await app.get('/v1/resources?limit=101')).json.pagination.limit, 100);
      const large = { name: 'Hall', kind: 'room', capacity: 1_000_000 };
      assert.equal(data(await app.post('/v1/resources', large), 201).capacity, 1_000_000);
    });
  });

  describe('refuses', () => {
    const taken = 'Taken@example.org';
    const takenAlias = 'taken.alias@example.org';
    let user: { id: string };
    let group: { id: string };
    let elsewhere: { ownerId: string; key: string };
    let reader: { key: string };
    let foreignGroup: { id: string };
    before(async () => {
      user = await makeUser(app, { email: taken, aliases: [takenAlias] });
      group = data(await app.post('/v1/groups', { name: 'Kept', member_ids: [user.id] }), 201);
      elsewhere = await makeWorkspace(app);
      reader = await makeKey(app, ['directory.read', 'keys.read']);
      const given = { name: 'Foreign', member_ids: [elsewhere.ownerId] };
      foreignGroup = data(await app.post('/v1/groups', given, { key: elsewhere.key }), 201);
    });

    const lacking = (permission: string) =>
      ({ status: 403, code: 'insufficient_scope', details: { missing_permission: permission } }) as const;
    const unfit = (...found: [place: string, code: string][]) =>
      ({ status: 400, code: 'validation_failed', details: problems(...found) }) as const;
    const unknown = (resource: string, id: string) =>
      ({ status: 404, code: 'not_found', details: { resource, id } }) as const;
    const takenBy = (email: string) => ({ status: 409, code: 'email_taken', details: { email } }) as const;
    const name = 'Someone';

    const newUsers: Record<string, () => Refusal> = {
      'without directory.write': () => ({
        request: ['POST', '/v1/users', { email: 'new@example.org', name }],
        key: reader.key,
        ...lacking('directory.write'),
      }),
      'without e-mail address and name': () => ({
        request: ['POST', '/v1/users', {}],
        ...unfit(['/email', 'required'], ['/name', 'required']),
      }),
      'with unknown fields': () => ({
        request: ['POST', '/v1/users', { email: 'new@example.org', name, is_owner: true }],
        ...unfit(['/is_owner', 'unknown_field']),
      }),
      // DIR-10
      'with what is no address': () => ({
        request: [
          'POST',
          '/v1/users',
          { email: 'Ada <ada@example.org>', name, aliases: ['a b@example.org', '@'] },
        ],
        ...unfit(['/email', 'wrong_format'], ['/aliases/0', 'wrong_format'], ['/aliases/1', 'wrong_format']),
      }),
      // DIR-10
      'with an address that is too long': () => ({
        request: ['POST', '/v1/users', { email: `${'a'.repeat(243)}@example.org`, name }],
        ...unfit(['/email', 'too_long']),
      }),
      // DIR-10
      'with more than 100 aliases': () => ({
        request: [
          'POST',
          '/v1/users',
          { email: 'new@example.org', name, aliases: Array.from({ length: 101 }, (_, i) => `a${i}@b`) },
        ],
        ...unfit(['/aliases', 'too_many']),
      }),
      // DIR-11
      'with a name that is empty': () => ({
        request: ['POST', '/v1/users', { email: 'new@example.org', name: '' }],
        ...unfit(['/name', 'too_short']),
      }),
      // DIR-11
      'with a name over 255 characters': () => ({
        request: ['POST', '/v1/users', { email: 'new@example.org', name: 'n'.repeat(256) }],
        ...unfit(['/name', 'too_long']),
      }),
      // DIR-11
      'with control characters in the name': () => ({
        request: ['POST', '/v1/users', { email: 'new@example.org', name: 'a\nb' }],
        ...unfit(['/name', 'wrong_format']),
      }),
      // DIR-10
      'with an alias that repeats an address': () => ({
        request: [
          'POST',
          '/v1/users',
          { email: 'new@example.org', name, aliases: ['NEW@example.org', 'a@b', 'A@b'] },
        ],
        ...unfit(['/aliases/0', 'duplicate'], ['/aliases/2', 'duplicate']),
      }),
      // DIR-1
      'with an offset for a time zone': () => ({
        request: ['POST', '/v1/users', { email: 'new@example.org', name, time_zone: '+02:00' }],
        ...unfit(['/time_zone', 'not_allowed']),
      }),
      'with a time zone that does not exist': () => ({
        request: ['POST', '/v1/users', { email: 'new@example.org', name, time_zone: 'Mars/Olympus' }],
        ...unfit(['/time_zone', 'not_allowed']),
      }),
      // DIR-9
      'with the address of another user': () => ({
        request: ['POST', '/v1/users', { email: 'tAKEN@EXAMPLE.ORG', name }],
        ...takenBy('tAKEN@EXAMPLE.ORG'),
      }),
      // DIR-9
      'with the alias of another user': () => ({
        request: [
          'POST',
          '/v1/users',
          { email: 'new@example.org', name, aliases: ['fine@example.org', takenAlias] },
        ],
        ...takenBy(takenAlias),
      }),
      // DIR-9
      'with the address of a user of another workspace': () => ({
        request: ['POST', '/v1/users', { email: taken, name }],
        key: elsewhere.key,
        ...takenBy(taken),
      }),
    };

    const userChanges: Record<string, () => Refusal> = {
      // API-13
      'of nothing': () => ({ request: ['PUT', `/v1/users/${user.id}`, {}], ...unfit(['', 'too_few']) }),
      'of an unknown user': () => ({
        request: ['PUT', '/v1/users/usr_none', { name }],
        ...unknown('user', 'usr_none'),
      }),
      'of a user of another workspace': () => ({
        request: ['PUT', `/v1/users/${elsewhere.ownerId}`, { name }],
        ...unknown('user', elsewhere.ownerId),
      }),
      // DIR-7
      'of another user without directory.write': () => ({
        request: ['PUT', `/v1/users/${user.id}`, { share_availability: false }],
        key: reader.key,
        ...lacking('directory.write'),
      }),
      // DIR-8
      'of the own name without directory.write': () => ({
        request: ['PUT', '/v1/users/me', { share_availability: false, name }],
        key: reader.key,
        ...lacking('directory.write'),
      }),
      'to the address of another user': () => ({
        request: ['PUT', '/v1/users/me', { email: taken }],
        ...takenBy(taken),
      }),
      // DIR-10
      'to an address that is an alias already': () => ({
        request: ['PUT', `/v1/users/${user.id}`, { email: takenAlias }],
        ...unfit(['/email', 'duplicate']),
      }),
      'to an alias that is the address already': () => ({
        request: ['PUT', `/v1/users/${user.id}`, { aliases: ['a@example.org', taken] }],
        ...unfit(['/aliases/1', 'duplicate']),
      }),
      'to a time zone that does not exist': () => ({
        request: ['PUT', '/v1/users/me', { time_zone: 'Nowhere' }],
        ...unfit(['/time_zone', 'not_allowed']),
      }),
      'to a state that does not exist': () => ({
        request: ['PUT', `/v1/users/${user.id}`, { state: 'deleted' }],
        ...unfit(['/state', 'not_allowed']),
      }),
      // DIR-13
      'that would suspend the last active owner': () => ({
        request: ['PUT', '/v1/users/me', { state: 'suspended' }],
        status: 409,
        code: 'last_owner',
      }),
      // DIR-12
      'by DELETE, which does not exist': () => ({
        request: ['DELETE', `/v1/users/${user.id}`],
        status: 405,
        code: 'method_not_allowed',
      }),
    };

    const reading: Record<string, () => Refusal> = {
      // DIR-4
      'an unknown user': () => ({ request: ['GET', '/v1/users/usr_none'], ...unknown('user', 'usr_none') }),
      'a user of another workspace': () => ({
        request: ['GET', `/v1/users/${elsewhere.ownerId}`],
        ...unknown('user', elsewhere.ownerId),
      }),
      'an id that no id can be': () => ({
        request: ['GET', '/v1/users/%00'],
        status: 404,
        code: 'not_found',
      }),
      'a limit of nothing': () => ({
        request: ['GET', '/v1/users?limit=0'],
        ...unfit(['limit', 'too_small']),
      }),
      'a search for control characters': () => ({
        request: ['GET', '/v1/users?q=x%0Azoe'],
        ...unfit(['q', 'wrong_format']),
      }),
      'a filter that does not exist': () => ({
        request: ['GET', '/v1/users?state=active'],
        ...unfit(['state', 'unknown_field']),
      }),
    };

    const groupsAndResources: Record<string, () => Refusal> = {
      'a group without members': () => ({
        request: ['POST', '/v1/groups', { name }],
        ...unfit(['/member_ids', 'required']),
      }),
      'a group without directory.write': () => ({
        request: ['POST', '/v1/groups', { name, member_ids: [] }],
        key: reader.key,
        ...lacking('directory.write'),
      }),
      // DIR-19
      'a group with an unknown member': () => ({
        request: ['POST', '/v1/groups', { name, member_ids: [user.id, 'no id'] }],
        ...unknown('user', 'no id'),
      }),
      'a group with a member of another workspace': () => ({
        request: ['POST', '/v1/groups', { name, member_ids: [elsewhere.ownerId] }],
        ...unknown('user', elsewhere.ownerId),
      }),
      // DIR-14
      'a group with a member by e-mail address': () => ({
        request: ['POST', '/v1/groups', { name, member_ids: [taken] }],
        ...unknown('user', taken),
      }),
      // DIR-19
      'a group with more than 10,000 members': () => ({
        request: ['POST', '/v1/groups', { name, member_ids: Array(10_001).fill(user.id) }],
        ...unfit(['/member_ids', 'too_many']),
      }),
      // API-13
      'a change of nothing in a group': () => ({
        request: ['PUT', `/v1/groups/${group.id}`, {}],
        ...unfit(['', 'too_few']),
      }),
      'a change of an unknown group': () => ({
        request: ['PUT', '/v1/groups/grp_none', { name }],
        ...unknown('group', 'grp_none'),
      }),
      'a change of a group of another workspace': () => ({
        request: ['PUT', `/v1/groups/${foreignGroup.id}`, { name }],
        ...unknown('group', foreignGroup.id),
      }),
      // API-87
      'an unknown member together with a new name': () => ({
        request: ['PUT', `/v1/groups/${group.id}`, { name, member_ids: ['usr_none'] }],
        ...unknown('user', 'usr_none'),
      }),
      // DIR-20
      'a resource of another kind': () => ({
        request: ['POST', '/v1/resources', { name, kind: 'car' }],
        ...unfit(['/kind', 'not_allowed']),
      }),
      // DIR-22
      'a resource for nobody': () => ({
        request: ['POST', '/v1/resources', { name, kind: 'room', capacity: 0 }],
        ...unfit(['/capacity', 'too_small']),
      }),
      // DIR-22
      'a resource for too many': () => ({
        request: ['POST', '/v1/resources', { name, kind: 'room', capacity: 1_000_001 }],
        ...unfit(['/capacity', 'too_large']),
      }),
      'a resource without directory.write': () => ({
        request: ['POST', '/v1/resources', { name, kind: 'room' }],
        key: reader.key,
        ...lacking('directory.write'),
      }),
    };

    const tables = { 'a new user': newUsers, 'a change': userChanges, '': reading, ' ': groupsAndResources };
    for (const [what, table] of Object.entries(tables)) {
      for (const [how, refusal] of Object.entries(table)) {
        it(['the API refuses', what, how].join(' ').replaceAll(/ +/g, ' '), () =>
          assertRefused(app, refusal()),
        );
      }
    }

    for (const path of ['/v1/users', '/v1/users/me', '/v1/groups', '/v1/resources']) {
      it(`the API refuses ${path} without directory.read`, async () => {
        const { key } = await makeKey(app, ['keys.read']);
        await assertRefused(app, { request: ['GET', path], key, ...lacking('directory.read') });
      });
    }
  });

  it('nothing of one workspace shows in another (API-118)', async () => {
    const { ownerId, key } = await makeWorkspace(app);
    await makeUser(app);
    await app.post('/v1/groups', { name: 'Here', member_ids: [] });
    await app.post('/v1/resources', { name: 'Here', kind: 'room' });
    const users = await readPages(app, '/v1/users', 100, { key });
    assert.deepEqual(
      users.map((user) => user.id),
      [ownerId],
    );
    assert.deepEqual(await readPages(app, '/v1/groups', 100, { key }), []);
    assert.deepEqual(await readPages(app, '/v1/resources', 100, { key }), []);
    assert.ok(!(await idsOf('/v1/users')).includes(ownerId));
  });
});
