/** One event as its owner reads it, and the events of others that list the caller. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, freshAddress, makeKey, makeWorkspace, readPages } from './accounts.ts';
import { makeEvent, makePerson, makeRoom, type Person } from './calendar-world.ts';

const MARCH = { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' };

/** The fields of an event on a day of March 2026, from an hour on. */
const onDay = (day: number, hour = 9) => {
  const date = `2026-03-${String(day).padStart(2, '0')}T`;
  const at = (time: number) => `${date}${String(time).padStart(2, '0')}:00:00Z`;
  return { starts_at: at(hour), ends_at: at(hour + 1) };
};

forEachEngine((engine) => {
  let app: TestApp;
  let owner: Person;
  let guest: Person;
  before(async () => {
    app = await startApp(engine);
    owner = await makePerson(app);
    guest = await makePerson(app);
  });
  after(() => app.stop());

  const eventPath = (person: Person, id: string) => `/v1/calendars/${person.calendar}/events/${id}`;
  const read = (person: Person, id: string, key = person.key) => app.get(eventPath(person, id), { key });
  const respond = async (person: Person, id: string, response: string) =>
    data(await app.post(`/v1/events/${id}/response`, { response }, { key: person.key }));
  const change = async (person: Person, id: string, fields: object) =>
    data(await app.put(eventPath(person, id), fields, { key: person.key }));
  const importInto = async (person: Person, ...events: string[][]) => {
    const marked = events.map((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n'));
    const body = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...marked, 'END:VCALENDAR', ''].join('\r\n');
    const options = { key: person.key, headers: { 'content-type': 'text/calendar' } };
    return data(await app.post(`/v1/calendars/${person.calendar}/import`, body, options));
  };

  describe('an event, for its owner', () => {
    test('an event is read with its times, its attendees and their answers, and nothing else (CAL-59, CAL-60)', async () => {
      const room = await makeRoom(app);
      const alias = freshAddress();
      const third = await makePerson(app, { aliases: [alias] });
      const attendees = [guest.email.toUpperCase(), 'Someone@Elsewhere.example', alias];
      const made = await makeEvent(app, owner, {
        ...onDay(3),
        time_zone: 'Europe/Berlin',
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
        transparency: 'free',
        status: 'tentative',
        attendees,
        resources: [room],
      });
      await respond(third, made.id, 'accepted');
      const event = data(await read(owner, made.id));
      const { responses, attendees: listed, updated_at, ...same } = made;
      const { attendees: answered, updated_at: later, ...shown } = event;
      assert.deepEqual(shown, same);
      assert.ok(later >= updated_at);
      assert.deepEqual(answered, [
        { address: attendees[0], user_id: guest.id, response: 'needs_action' },
        { address: attendees[1], response: 'needs_action' },
        { address: alias, user_id: third.id, response: 'accepted' },
      ]);
      assert.deepEqual(listed, attendees);
      assert.equal(responses.length, 3);
    });

    test('days, floating times and an event without anybody are read as they were answered (CAL-59)', async () => {
      for (const fields of [
        { starts_at: '2026-03-04', ends_at: '2026-03-06', all_day: true },
        { starts_at: '2026-03-04T09:00:00', ends_at: '2026-03-04T10:00:00' },
      ]) {
        const { responses: _, ...made } = await makeEvent(app, owner, fields);
        assert.deepEqual(data(await read(owner, made.id)), made);
      }
    });

    test('an event is not found on another calendar, for others, or once it is removed (CAL-59)', async () => {
      const { id } = await makeEvent(app, owner, { attendees: [guest.email] });
      const options = { key: owner.key };
      const second = data(await app.post('/v1/calendars', { name: 'Second' }, options), 201).id;
      const stranger = await makeWorkspace(app);
      const paths: [string, string][] = [
        [`/v1/calendars/${second}/events/${id}`, owner.key],
        [`/v1/calendars/cal_01k0qv5m8qe3rsgm9y3f2c7d4x/events/${id}`, owner.key],
        [`/v1/calendars/${owner.calendar}/events/evt_01k0qv5m8qe3rsgm9y3f2c7d4x`, owner.key],
        [eventPath(owner, id), guest.key],
        [eventPath(guest, id), guest.key],
        [eventPath(owner, id), stranger.key],
      ];
      for (const [path, key] of paths) {
        const answer = await app.get(path, { key });
        assert.equal(answer.status, 404, path);
        assert.equal(answer.json.error.code, 'not_found');
      }
      assert.equal((await read(owner, id)).status, 200);
      await app.delete(eventPath(owner, id), options);
      assert.equal((await read(owner, id)).status, 404);
    });
  });

  describe('invitations', () => {
    let invited: Person;
    const alias = freshAddress();
    before(async () => {
      invited = await makePerson(app, { aliases: [alias] });
    });

    const pathOf = (window: Record<string, string> = {}) =>
      `/v1/invitations?${new URLSearchParams({ ...MARCH, ...window })}`;
    const invitations = async (person: Person, window: Record<string, string> = {}) =>
      readPages(app, pathOf(window), 100, { key: person.key });
    const idsOf = async (person: Person, window: Record<string, string> = {}) =>
      (await invitations(person, window)).map(({ id }) => id);

    test('an invitation tells when, who invites and what the caller has answered, not who else is listed (CAL-61, CAL-64)', async () => {
      const one = await makePerson(app);
      const room = await makeRoom(app);
      const made = await makeEvent(app, owner, {
        ...onDay(3),
        time_zone: 'Europe/Berlin',
        recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
        attendees: [guest.email, one.email.toUpperCase()],
        resources: [room],
      });
      await respond(one, made.id, 'tentative');
      const { attendees: _, external: __, ...event } = data(await read(owner, made.id));
      assert.deepEqual(await invitations(one), [{ ...event, owner_id: owner.id, response: 'tentative' }]);
      await change(owner, made.id, onDay(4));
      assert.equal((await invitations(one))[0].response, 'needs_action');
    });

    test('events list people by any address, and own events are no invitations (CAL-61)', async () => {
      const { id: byAddress } = await makeEvent(app, owner, { ...onDay(1), attendees: [invited.email] });
      const { id: byAlias } = await makeEvent(app, owner, { ...onDay(2), attendees: [alias.toUpperCase()] });
      const { id: byBoth } = await makeEvent(app, guest, {
        ...onDay(3),
        attendees: [alias, invited.email],
      });
      await makeEvent(app, invited, { ...onDay(4), attendees: [invited.email, alias, guest.email] });
      await makeEvent(app, owner, { ...onDay(5), attendees: [freshAddress()] });
      assert.deepEqual(await idsOf(invited), [byAddress, byAlias, byBoth]);
    });

    test('who gets an address later is invited to what lists it, and another workspace never is (CAL-61)', async () => {
      const late = freshAddress();
      const { id } = await makeEvent(app, owner, { attendees: [late] });
      const stranger = await makeWorkspace(app);
      const mine = data(await app.get('/v1/users/me', { key: stranger.key }));
      await makeEvent(app, owner, { attendees: [mine.email] });
      const one = await makePerson(app);
      assert.deepEqual(await idsOf(one), []);
      data(await app.put(`/v1/users/${one.id}`, { aliases: [late] }));
      assert.deepEqual(await idsOf(one), [id]);
      assert.deepEqual(data(await app.get(pathOf(), { key: stranger.key })), []);
    });

    test('an invitation stays whatever is answered, also when it keeps nobody busy; with two addresses both decline (CAL-65)', async () => {
      const other = freshAddress();
      const one = await makePerson(app, { aliases: [other] });
      const both = { attendees: [one.email, other] };
      const { id } = await makeEvent(app, owner, { ...onDay(2), ...both });
      const free = await makeEvent(app, owner, { ...onDay(3), ...both, transparency: 'free' });
      const gone = await makeEvent(app, owner, { ...onDay(4), ...both, status: 'cancelled' });
      for (const response of ['accepted', 'tentative', 'declined']) {
        await respond(one, id, response);
        const [first, ...others] = await invitations(one);
        assert.deepEqual([first.id, first.response], [id, response]);
        assert.deepEqual(
          others.map(({ id, transparency, status }) => [id, transparency, status]),
          [
            [free.id, 'free', 'confirmed'],
            [gone.id, 'busy', 'cancelled'],
          ],
        );
      }
      const half = await makeEvent(app, owner, { ...onDay(5), attendees: [one.email] });
      await respond(one, half.id, 'declined');
      await change(owner, half.id, both);
      const responseToHalf = async () => (await invitations(one)).at(-1)?.response;
      assert.equal(await responseToHalf(), 'needs_action');
      await respond(one, half.id, 'declined');
      assert.equal(await responseToHalf(), 'declined');
    });

    test('who is no longer listed, and an event that is removed, leave no invitation (CAL-61)', async () => {
      const one = await makePerson(app);
      const { id } = await makeEvent(app, owner, { attendees: [one.email] });
      const { id: removed } = await makeEvent(app, owner, { ...onDay(3), attendees: [one.email] });
      assert.deepEqual(await idsOf(one), [id, removed]);
      await change(owner, id, { attendees: [guest.email] });
      assert.deepEqual(await idsOf(one), [removed]);
      await app.delete(eventPath(owner, removed), { key: owner.key });
      assert.deepEqual(await idsOf(one), []);
      await change(owner, id, { attendees: [one.email] });
      assert.deepEqual(await idsOf(one), [id]);
    });

    test('an event is listed once for the windows that an instance touches (CAL-62)', async () => {
      const one = await makePerson(app);
      const list = { attendees: [one.email] };
      const single = await makeEvent(app, owner, { ...onDay(3), ...list });
      const yearly = await makeEvent(app, owner, {
        starts_at: '2019-03-10T09:00:00Z',
        ends_at: '2019-03-10T10:00:00Z',
        recurrence: ['RRULE:FREQ=YEARLY'],
        ...list,
      });
      const daily = await makeEvent(app, owner, {
        ...onDay(5),
        recurrence: ['RRULE:FREQ=DAILY;COUNT=10', 'EXDATE:20260307T090000Z'],
        ...list,
      });
      const cases: [start: string, end: string, ids: string[]][] = [
        ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z', [yearly.id, single.id, daily.id]],
        ['2026-03-03T09:59:59Z', '2026-03-03T11:00:00Z', [single.id]],
        ['2026-03-03T10:00:00Z', '2026-03-03T11:00:00Z', []],
        ['2026-03-03T08:00:00Z', '2026-03-03T09:00:00Z', []],
        ['2026-03-03T08:00:00Z', '2026-03-03T09:00:01Z', [single.id]],
        ['2026-03-06T10:00:00+01:00', '2026-03-06T10:00:01+01:00', [daily.id]],
        ['2026-03-07T00:00:00Z', '2026-03-08T00:00:00Z', []],
        ['2026-03-15T00:00:00Z', '2026-12-31T00:00:00Z', []],
        ['2031-03-10T00:00:00Z', '2031-03-11T00:00:00Z', [yearly.id]],
        ['2018-03-10T00:00:00Z', '2018-03-11T00:00:00Z', []],
      ];
      for (const [start, end, ids] of cases) assert.deepEqual(await idsOf(one, { start, end }), ids, start);
    });

    test('days and floating times follow the zone of their calendar (CAL-62)', async () => {
      const one = await makePerson(app);
      const tokyo = await makePerson(app, { time_zone: 'Asia/Tokyo' });
      const { id } = await makeEvent(app, tokyo, {
        starts_at: '2026-03-04',
        ends_at: '2026-03-05',
        all_day: true,
        attendees: [one.email],
      });
      const eve = { start: '2026-03-03T15:00:00Z', end: '2026-03-03T16:00:00Z' };
      assert.deepEqual(await idsOf(one, eve), [id]);
      const key = tokyo.key;
      data(await app.put(`/v1/calendars/${tokyo.calendar}`, { time_zone: 'America/New_York' }, { key }));
      assert.deepEqual(await idsOf(one, eve), []);
      assert.deepEqual(await idsOf(one, { start: '2026-03-05T04:00:00Z', end: '2026-03-05T05:00:00Z' }), [
        id,
      ]);
    });

    test('instances that differ count for whom they list, and cancelled ones for nobody (CAL-62, CAL-64)', async () => {
      const [all, some] = [await makePerson(app), await makePerson(app)];
      const attendee = ({ email }: Person) => `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${email}`;
      const at = (day: string) => [`DTSTART:${day}T090000Z`, `DTEND:${day}T100000Z`];
      await importInto(
        owner,
        ['UID:differs', ...at('20260302'), 'RRULE:FREQ=WEEKLY;COUNT=4', attendee(all)],
        ['UID:differs', 'RECURRENCE-ID:20260309T090000Z', ...at('20260310'), attendee(some)],
        [
          'UID:differs',
          'RECURRENCE-ID:20260316T090000Z',
          ...at('20260316'),
          'STATUS:CANCELLED',
          attendee(all),
        ],
      );
      const days = async (person: Person) => {
        const found: number[] = [];
        for (let day = 1; day <= 30; day++) {
          const { starts_at: start } = onDay(day, 0);
          const { starts_at: end } = onDay(day + 1, 0);
          if ((await idsOf(person, { start, end })).length === 1) found.push(day);
        }
        return found;
      };
      assert.deepEqual(await days(all), [2, 23]);
      assert.deepEqual(await days(some), [10]);
      const [series] = await invitations(all);
      const [instance] = await invitations(some);
      assert.equal(series.id, instance.id);
      assert.deepEqual(series.recurrence, ['RRULE:FREQ=WEEKLY;COUNT=4']);
      assert.deepEqual([series.starts_at, series.response], ['2026-03-02T09:00:00.000Z', 'accepted']);
      assert.deepEqual(instance.recurrence, []);
      assert.deepEqual([instance.starts_at, instance.response], ['2026-03-10T09:00:00.000Z', 'accepted']);
    });

    test('invitations come in order of the start of the event, in pages of any size (CAL-61, CAL-63)', async () => {
      const other = freshAddress();
      const one = await makePerson(app, { aliases: [other] });
      const ids: [string, string][] = [];
      for (let i = 0; i < 24; i++) {
        const fields = {
          ...onDay(1 + ((i * 7) % 20), (i * 5) % 20),
          ...(i % 3 === 0 && { recurrence: [`RRULE:FREQ=WEEKLY;COUNT=${1 + i}`] }),
          ...(i % 5 === 1 && { recurrence: ['RRULE:FREQ=DAILY'] }),
          ...(i % 7 === 2 && { recurrence: ['RDATE:20260228T090000Z'] }),
          attendees: [[one.email], [other], [one.email, other]][i % 3],
        };
        const { id } = await makeEvent(app, i % 2 === 0 ? owner : guest, fields);
        ids.push(['recurrence' in fields && i % 7 === 2 ? '2026-02-28T09:00:00Z' : fields.starts_at, id]);
      }
      const inOrder = ids
        .map(([start, id]) => `${start} ${id}`)
        .sort()
        .map((text) => text.split(' ')[1]);
      const window = { start: '2026-02-01T00:00:00Z' };
      for (const limit of [5, 7, 25, 100]) {
        const found = await readPages(app, pathOf(window), limit, { key: one.key });
        assert.deepEqual(
          found.map(({ id }) => id),
          inOrder,
        );
      }
      const { json } = await app.get(pathOf(window), { key: one.key });
      assert.equal(json.pagination.limit, 25);
      const capped = await app.get(pathOf({ ...window, limit: '1000' }), { key: one.key });
      assert.equal(capped.json.pagination.limit, 100);
    });

    test('pages go on past events that have no instance in the window (CAL-61, CAL-62)', async () => {
      const one = await makePerson(app);
      const list = { attendees: [one.email] };
      const wanted: string[] = [];
      for (let i = 0; i < 12; i++) {
        await makeEvent(app, owner, {
          starts_at: `2020-01-${10 + i}T09:00:00Z`,
          ends_at: `2020-01-${10 + i}T10:00:00Z`,
          recurrence: ['RRULE:FREQ=YEARLY'],
          ...list,
        });
        if (i % 4 === 0) wanted.push((await makeEvent(app, owner, { ...onDay(1 + i), ...list })).id);
      }
      const found = await readPages(app, pathOf(), 2, { key: one.key });
      assert.deepEqual(
        found.map(({ id }) => id),
        wanted,
      );
    });

    for (const [name, query] of [
      ['no window', ''],
      ['no end', 'start=2026-03-01T00:00:00Z'],
      ['no start', 'end=2026-03-01T00:00:00Z'],
      ['an end at the start', 'start=2026-03-02T00:00:00Z&end=2026-03-02T00:00:00Z'],
      ['an end before the start', 'start=2026-03-02T00:00:00Z&end=2026-03-01T00:00:00Z'],
      ['more than 366 days', 'start=2026-03-01T00:00:00Z&end=2027-03-03T00:00:00Z'],
      ['dates', 'start=2026-03-01&end=2026-03-02'],
      ['a day that does not exist', 'start=2026-02-30T00:00:00Z&end=2026-03-02T00:00:00Z'],
      ['a time beyond the year 9999', 'start=9999-12-31T20:00:00-05:00&end=9999-12-31T23:00:00-05:00'],
    ])
      test(`a window with ${name} is refused (CAL-61)`, async () => {
        const answer = await app.get(`/v1/invitations?${query}`, { key: guest.key });
        assert.equal(answer.status, 400, answer.text);
        assert.equal(answer.json.error.code, 'validation_failed');
      });

    test('a key needs calendar.events.read for events and invitations (CAL-59, CAL-61)', async () => {
      const { id } = await makeEvent(app, owner);
      for (const permissions of [['calendar.freebusy.read'], ['calendar.events.write']] as const) {
        const { key } = await makeKey(app, permissions, { user_id: owner.id });
        for (const answer of [await read(owner, id, key), await app.get(pathOf(), { key })]) {
          assert.equal(answer.status, 403);
          assert.equal(answer.json.error.code, 'insufficient_scope');
        }
      }
    });
  });
});
