import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, readPages } from './accounts.ts';
import {
  busyOf,
  instancesOf,
  makeEvent,
  makePerson,
  makeRoom,
  type Person,
  shortTimes,
} from './calendar-world.ts';

forEachEngine((engine) => {
  let app: TestApp;
  let person: Person;
  before(async () => {
    app = await startApp(engine);
  });
  after(() => app.stop());

  const inZone = (zone: string) => makePerson(app, { time_zone: zone });
  const refused = async (body: Record<string, unknown>, path = `/v1/calendars/${person.calendar}/events`) => {
    const answer = await app.post(path, body, { key: person.key });
    assert.equal(answer.status, 400, answer.text);
    return answer.json.error;
  };

  describe('calendars', () => {
    test('each user starts with one calendar, in the zone of the user (CAL-3, CAL-4)', async () => {
      const { key, id } = await inZone('Europe/Berlin');
      const [first, ...more] = data(await app.get('/v1/calendars', { key }));
      assert.deepEqual(more, []);
      assert.equal(first.owner_id, id);
      assert.equal(first.time_zone, 'Europe/Berlin');
      assert.deepEqual(Object.keys(first).sort(), [
        'color',
        'created_at',
        'id',
        'name',
        'owner_id',
        'time_zone',
        'updated_at',
      ]);
    });

    test('calendars are made and changed, and listed without pages in order of creation (CAL-3, CAL-5, CAL-6, CAL-7, CAL-8)', async () => {
      const { key, calendar, id: owner } = await inZone('Asia/Tokyo');
      const given = { name: 'Work', color: '#aBc', time_zone: 'Europe/Berlin' };
      const work = data(await app.post('/v1/calendars', given, { key }), 201);
      const { id, created_at, updated_at, ...shown } = work;
      assert.match(id, /^cal_/);
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(updated_at, created_at);
      assert.deepEqual(shown, { ...given, owner_id: owner });
      for (const change of [{ color: '#00ff00' }, { name: 'Home' }, { time_zone: 'America/New_York' }]) {
        const changed = data(await app.put(`/v1/calendars/${work.id}`, change, { key }));
        Object.assign(work, change, { updated_at: changed.updated_at });
        assert.deepEqual(changed, work);
      }
      const plain = data(await app.post('/v1/calendars', { name: 'Plain' }, { key }), 201);
      assert.match(plain.color, /^#[0-9a-f]{6}$/);
      assert.equal(plain.time_zone, 'Asia/Tokyo');
      const { json } = await app.get('/v1/calendars', { key });
      assert.deepEqual(
        json.data.map(({ id }: { id: string }) => id),
        [calendar, work.id, plain.id],
      );
      assert.equal(json.pagination, undefined);
    });

    test('dates and floating times follow the zone of their calendar (CAL-8, CAL-11, CAL-13)', async () => {
      const one = await inZone('Europe/Berlin');
      await makeEvent(app, one, { starts_at: '2026-03-02T09:00:00', ends_at: '2026-03-02T10:00:00' });
      await makeEvent(app, one, { starts_at: '2026-03-04', ends_at: '2026-03-05', all_day: true });
      await makeEvent(app, one, { starts_at: '2026-03-06T09:00:00Z', ends_at: '2026-03-06T10:00:00Z' });
      assert.deepEqual(await busyOf(app, one), [
        '03-02 08:00–09:00',
        '03-03 23:00–03-04 23:00',
        '03-06 09:00–10:00',
      ]);
      data(
        await app.put(`/v1/calendars/${one.calendar}`, { time_zone: 'America/New_York' }, { key: one.key }),
      );
      assert.deepEqual(await busyOf(app, one), [
        '03-02 14:00–15:00',
        '03-04 05:00–03-05 05:00',
        '03-06 09:00–10:00',
      ]);
    });
  });

  describe('events', () => {
    before(async () => {
      person = await inZone('Europe/Berlin');
    });

    test('an event is answered with when it is and whom it concerns, and nothing else (CAL-9, CAL-10, CAL-14, CAL-18)', async () => {
      const room = await makeRoom(app);
      const given = {
        starts_at: '2026-05-04T09:00:00.000Z',
        ends_at: '2026-05-04T10:30:00.000Z',
        time_zone: 'Europe/Paris',
        recurrence: [
          'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4',
          'EXDATE:20260511T090000Z',
          'RDATE;TZID=Europe/Paris:20260513T120000',
        ],
        attendees: ['Someone@Example.org'],
        resources: [room],
      };
      const event = await makeEvent(app, person, given);
      const { id, created_at, updated_at, responses, ...shown } = event;
      assert.match(id, /^evt_/);
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(updated_at, created_at);
      assert.deepEqual(shown, {
        ...given,
        external: ['Someone@Example.org'],
        calendar_id: person.calendar,
        all_day: false,
        status: 'confirmed',
        transparency: 'busy',
      });
      assert.deepEqual(responses, [{ email: 'Someone@Example.org', response: 'needs_action' }]);
      assert.deepEqual(
        shortTimes(
          await instancesOf(app, person, { start: '2026-05-01T00:00:00Z', end: '2026-06-01T00:00:00Z' }),
        ),
        ['05-04 09:00–10:30', '05-13 10:00–11:30', '05-18 09:00–10:30', '05-25 09:00–10:30'],
      );
    });

    for (const field of ['title', 'summary', 'subject', 'name', 'description', 'location', 'notes']) {
      test(`a field of an event for its ${field} is refused, and the answer says why (CAL-2)`, async () => {
        const body = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z', [field]: 'Board' };
        const { code, message, details } = await refused(body);
        assert.equal(code, 'validation_failed');
        assert.match(message, /never holds what a meeting is about/);
        assert.equal(details.errors[0].pointer, `/${field}`);
      });
    }

    test('times of an event count to the second, in any zone, on the clock of the event or else of the calendar (CAL-11)', async () => {
      const one = await inZone('Europe/Berlin');
      for (const [fields, starts, ends] of [
        [
          { starts_at: '2026-03-02T09:00:00.999+05:30', ends_at: '2026-03-02t09:00:01z' },
          '2026-03-02T03:30:00.000Z',
          '2026-03-02T09:00:01.000Z',
        ],
        [
          { starts_at: '2026-03-03T09:00:00', ends_at: '2026-03-03T10:00:01' },
          '2026-03-03T08:00:00.000Z',
          '2026-03-03T09:00:01.000Z',
        ],
        [
          {
            starts_at: '2026-03-04T09:00:00',
            ends_at: '2026-03-04T10:00:00',
            time_zone: 'Asia/Tokyo',
          },
          '2026-03-04T00:00:00.000Z',
          '2026-03-04T01:00:00.000Z',
        ],
      ] as const) {
        const { id } = await makeEvent(app, one, fields);
        const { starts_at, ends_at } = (await instancesOf(app, one)).find(
          (instance: { id: string }) => instance.id === id,
        );
        assert.deepEqual([starts_at, ends_at], [starts, ends]);
      }
    });

    test('every problem is told in one answer', async () => {
      const { details } = await refused({
        starts_at: '2026-02-30T09:00:00Z',
        ends_at: '2026-03-02',
        time_zone: 'Mars/Olympus',
        recurrence: ['RRULE:FREQ=DAILY', 'RRULE:FREQ=SOMETIMES', 'EXDATE:tomorrow', 'SUMMARY:x'],
        attendees: ['nobody'],
        colour: 'red',
      });
      const places = details.errors.map(({ pointer }: { pointer: string }) => pointer);
      for (const place of ['/starts_at', '/ends_at', '/time_zone', '/attendees/0', '/colour'])
        assert.ok(places.includes(place), `${place} of ${places}`);
    });

    test('an EXRULE of a request leaves out what it names, and stays when other fields change (CAL-14, CAL-66)', async () => {
      const one = await inZone('Europe/Berlin');
      const recurrence = ['RRULE:FREQ=DAILY;COUNT=5', 'EXRULE:FREQ=DAILY;INTERVAL=2'];
      const { id } = await makeEvent(app, one, { recurrence });
      const path = `/v1/calendars/${one.calendar}/events/${id}`;
      assert.deepEqual(await busyOf(app, one), ['03-03 09:00–10:00', '03-05 09:00–10:00']);
      const later = { ends_at: '2026-03-02T11:00:00Z' };
      assert.deepEqual(data(await app.put(path, later, { key: one.key })).recurrence, recurrence);
      assert.deepEqual(await busyOf(app, one), ['03-03 09:00–11:00', '03-05 09:00–11:00']);
      const whole = { all_day: true, starts_at: '2026-03-02', ends_at: '2026-03-03' };
      data(await app.put(path, whole, { key: one.key }));
      assert.equal((await busyOf(app, one)).length, 2);
      data(await app.put(path, { recurrence: recurrence.slice(0, 1) }, { key: one.key }));
      assert.equal((await busyOf(app, one)).length, 1, 'whole days that touch');
    });

    test('every line of a recurrence that is none is named (CAL-14)', async () => {
      const { details } = await refused({
        starts_at: '2026-03-02T09:00:00Z',
        ends_at: '2026-03-02T10:00:00Z',
        recurrence: [
          'RRULE:FREQ=DAILY',
          'RRULE:FREQ=SOMETIMES',
          'EXDATE:tomorrow',
          'SUMMARY:x',
          'RDATE;TZID=Mars/Olympus:20260301T000000',
          'RRULE:FREQ=SECONDLY',
          'RRULE:FREQ=DAILY;COUNT=200000',
          'EXDATE;X-ABOUT=secret:20260301T000000',
          'EXRULE:FREQ=SECONDLY',
          'EXRULE;VALUE=TEXT;X-ABOUT=secret:FREQ=DAILY',
        ],
      });
      assert.deepEqual(
        details.errors.map(({ pointer }: { pointer: string }) => pointer),
        [1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `/recurrence/${i}`),
      );
    });

    test('an end that does not fit hides no line of the recurrence', async () => {
      for (const ends_at of ['2026-03-02T08:00:00Z', '2026-03-02T10:00:00', '2026-02-30T10:00:00Z']) {
        const { details } = await refused({
          starts_at: '2026-03-02T09:00:00Z',
          ends_at,
          recurrence: ['RRULE:FREQ=DAILY;COUNT=3', 'RRULE:FREQ=DAILY;COUNT=0', 'SUMMARY:x'],
        });
        assert.deepEqual(
          details.errors.map(({ pointer }: { pointer: string }) => pointer),
          ['/ends_at', '/recurrence/1', '/recurrence/2'],
        );
      }
    });

    const wrong: [string, Record<string, unknown>, string][] = [
      ['an end before the start', { ends_at: '2026-03-02T08:00:00Z' }, '/ends_at'],
      ['an end at the start', { ends_at: '2026-03-02T09:00:00Z' }, '/ends_at'],
      ['a date without all_day', { starts_at: '2026-03-02', ends_at: '2026-03-03' }, '/starts_at'],
      ['a time with all_day', { all_day: true }, '/starts_at'],
      ['one time with an offset and one without', { ends_at: '2026-03-02T10:00:00' }, '/ends_at'],
      [
        'a day that recurs each hour',
        { all_day: true, starts_at: '2026-03-02', ends_at: '2026-03-03', recurrence: ['RRULE:FREQ=HOURLY'] },
        '/recurrence/0',
      ],
    ];
    for (const [what, fields, pointer] of wrong) {
      // CAL-12, CAL-13
      test(`${what} is refused`, async () => {
        const body = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z', ...fields };
        assert.equal((await refused(body)).details.errors[0].pointer, pointer);
      });
    }

    test('a change of an event replaces the fields that are sent (CAL-18, CAL-24)', async () => {
      const one = await makePerson(app);
      const event = await makeEvent(app, one, { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const path = `/v1/calendars/${one.calendar}/events/${event.id}`;
      const moved = data(await app.put(path, { ends_at: '2026-03-02T11:00:00Z' }, { key: one.key }));
      assert.deepEqual(
        { ...moved, updated_at: '' },
        { ...event, ends_at: '2026-03-02T11:00:00.000Z', updated_at: '' },
      );
      assert.deepEqual(await busyOf(app, one), [
        '03-02 09:00–11:00',
        '03-03 09:00–11:00',
        '03-04 09:00–11:00',
      ]);
      data(await app.put(path, { recurrence: [] }, { key: one.key }));
      assert.deepEqual(await busyOf(app, one), ['03-02 09:00–11:00']);
      data(await app.put(path, { transparency: 'free' }, { key: one.key }));
      assert.deepEqual(await busyOf(app, one), []);
      assert.equal((await instancesOf(app, one)).length, 1);
      const answer = await app.put(path, { starts_at: '2026-03-02T12:00:00Z' }, { key: one.key });
      assert.equal(answer.status, 400);
      assert.equal(answer.json.error.details.errors[0].pointer, '/ends_at');
    });

    test('an event of whole days is moved by dates, of which the last is exclusive (CAL-13)', async () => {
      const one = await makePerson(app);
      const days = { starts_at: '2026-03-02', ends_at: '2026-03-03', all_day: true };
      const event = await makeEvent(app, one, { ...days, recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] });
      const path = `/v1/calendars/${one.calendar}/events/${event.id}`;
      const moved = data(
        await app.put(path, { starts_at: '2026-03-04', ends_at: '2026-03-06' }, { key: one.key }),
      );
      assert.deepEqual([moved.starts_at, moved.ends_at, moved.all_day], ['2026-03-04', '2026-03-06', true]);
      assert.deepEqual(await busyOf(app, one), ['03-04 00:00–03-06 00:00', '03-11 00:00–03-13 00:00']);
      const timed = { starts_at: '2026-03-04T09:00:00Z', ends_at: '2026-03-04T10:00:00Z' };
      assert.equal((await app.put(path, timed, { key: one.key })).status, 400);
      data(await app.put(path, { ...timed, all_day: false }, { key: one.key }));
      assert.deepEqual(await busyOf(app, one), ['03-04 09:00–10:00', '03-11 09:00–10:00']);
    });

    test('an event that is removed is gone with all its instances (CAL-25)', async () => {
      const one = await makePerson(app);
      const { id } = await makeEvent(app, one, { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      assert.equal((await instancesOf(app, one)).length, 3);
      const path = `/v1/calendars/${one.calendar}/events/${id}`;
      assert.equal((await app.delete(path, { key: one.key })).status, 204);
      assert.equal((await app.delete(path, { key: one.key })).status, 404);
      assert.deepEqual(await busyOf(app, one), []);
      assert.deepEqual(await instancesOf(app, one), []);
    });

    test('an event is of its calendar only', async () => {
      const one = await makePerson(app);
      const { id } = await makeEvent(app, one);
      const other = data(await app.post('/v1/calendars', { name: 'Other' }, { key: one.key }), 201);
      const answer = await app.put(
        `/v1/calendars/${other.id}/events/${id}`,
        { status: 'cancelled' },
        { key: one.key },
      );
      assert.equal(answer.status, 404);
    });

    test('instances are listed by pages, in order, each once with the id of its event (CAL-22, CAL-23)', async () => {
      const one = await makePerson(app);
      await makeEvent(app, one, { recurrence: ['RRULE:FREQ=DAILY'] });
      await makeEvent(app, one, { recurrence: ['RRULE:FREQ=DAILY'] });
      const path = `/v1/calendars/${one.calendar}/events?start=2026-03-01T00:00:00Z&end=2026-03-12T00:00:00Z`;
      const listed = await readPages(app, path, 3, { key: one.key });
      assert.equal(listed.length, 20);
      assert.equal(new Set(listed.map(({ id, starts_at }) => id + starts_at)).size, 20);
      assert.deepEqual(
        listed.toSorted((a, b) => (a.starts_at < b.starts_at ? -1 : 1)),
        listed,
      );
      assert.equal(new Set(listed.map(({ id }) => id)).size, 2);
      assert.deepEqual(Object.keys(listed[0]), ['id', 'starts_at', 'ends_at']);
    });

    test('pages of any length list the same instances, also of events that began before or begin at once (CAL-22)', async () => {
      const one = await makePerson(app);
      const at = (day: number, hour: number) => new Date(Date.UTC(2026, 2, day, hour)).toISOString();
      const add = (starts_at: string, ends_at: string, recurrence: string[]) =>
        makeEvent(app, one, { starts_at, ends_at, recurrence });
      await add(at(5, 9), at(5, 10), ['RRULE:FREQ=WEEKLY', 'RDATE:20260304T090000Z,20260301T090000Z']);
      await add(at(1, 9), at(9, 9), ['RRULE:FREQ=DAILY']);
      await add(at(2, 9), at(2, 10), ['RRULE:FREQ=HOURLY;INTERVAL=4']);
      await add(at(2, 9), at(2, 10), ['RRULE:FREQ=DAILY', 'RRULE:FREQ=DAILY;BYHOUR=9,7']);
      const path = `/v1/calendars/${one.calendar}/events?start=${at(4, 9)}&end=${at(12, 0)}`;
      const whole = await readPages(app, path, 100, { key: one.key });
      const inOrder = whole.toSorted((a, b) => (a.starts_at + a.id < b.starts_at + b.id ? -1 : 1));
      assert.deepEqual(whole, inOrder);
      assert.equal(whole.length, 1 + 1 + 11 + 46 + 15);
      for (const limit of [1, 2, 7])
        assert.deepEqual(await readPages(app, path, limit, { key: one.key }), whole);
    });

    test('a cursor is of one calendar and window', async () => {
      const one = await makePerson(app);
      await makeEvent(app, one);
      const { id } = data(await app.post('/v1/calendars', { name: 'Other' }, { key: one.key }), 201);
      const path = (calendar: string, end: string) =>
        `/v1/calendars/${calendar}/events?start=2026-03-01T00:00:00Z&end=${end}&limit=1`;
      const { json } = await app.get(path(one.calendar, '2026-04-01T00:00:00Z'), { key: one.key });
      const cursor = `&cursor=${json.pagination.next_cursor}`;
      for (const other of [path(id, '2026-04-01T00:00:00Z'), path(one.calendar, '2026-04-02T00:00:00Z')]) {
        const answer = await app.get(other + cursor, { key: one.key });
        assert.equal(answer.json.error?.code, 'invalid_cursor');
      }
    });

    test('a series keeps its clock across changes of the clock (CAL-15)', async () => {
      const one = await inZone('Europe/Berlin');
      await makeEvent(app, one, {
        starts_at: '2026-03-27T08:00:00Z',
        ends_at: '2026-03-27T09:00:00Z',
        time_zone: 'Europe/Berlin',
        recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
      });
      assert.deepEqual(await busyOf(app, one), [
        '03-27 08:00–09:00',
        '03-28 08:00–09:00',
        '03-29 07:00–08:00',
        '03-30 07:00–08:00',
      ]);
    });

    test('the later of two equal times on the clock is kept', async () => {
      const one = await inZone('Europe/Berlin');
      const event = await makeEvent(app, one, {
        starts_at: '2026-10-25T01:30:00Z',
        ends_at: '2026-10-25T02:00:00Z',
      });
      assert.equal(event.starts_at, '2026-10-25T01:30:00.000Z');
      const october = { start: '2026-10-01T00:00:00Z', end: '2026-11-01T00:00:00Z' };
      assert.deepEqual(await busyOf(app, one, october), ['10-25 01:30–02:00']);
    });

    test('a start that its rule does not name is an instance all the same (CAL-16)', async () => {
      const one = await makePerson(app);
      await makeEvent(app, one, { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20260311T000000Z'] });
      assert.deepEqual(await busyOf(app, one), [
        '03-02 09:00–10:00',
        '03-03 09:00–10:00',
        '03-10 09:00–10:00',
      ]);
    });

    test('a rule keeps nothing that might tell what the event is about', async () => {
      const one = await makePerson(app);
      const event = await makeEvent(app, one, { recurrence: ['RRULE:FREQ=DAILY;X-ABOUT=SECRET;COUNT=2'] });
      assert.deepEqual(event.recurrence, ['RRULE:FREQ=DAILY;COUNT=2']);
    });
  });

  describe('responses', () => {
    const respond = (event: string, one: Person, response: string) =>
      app.post(`/v1/events/${event}/response`, { response }, { key: one.key });

    test('a person who declines an event is free again, until the person accepts it (CAL-26, CAL-42, CAL-43)', async () => {
      const [owner, guest] = [
        await makePerson(app),
        await makePerson(app, { aliases: ['g.alias@example.org'] }),
      ];
      const event = await makeEvent(app, owner, {
        attendees: ['G.Alias@EXAMPLE.org', 'elsewhere@example.com'],
      });
      assert.deepEqual(await busyOf(app, guest), ['03-02 09:00–10:00']);
      assert.deepEqual(data(await respond(event.id, guest, 'declined')), {
        id: event.id,
        response: 'declined',
      });
      assert.deepEqual(await busyOf(app, guest), []);
      assert.deepEqual(await busyOf(app, owner), ['03-02 09:00–10:00']);
      data(await respond(event.id, guest, 'tentative'));
      assert.deepEqual(await busyOf(app, guest), ['03-02 09:00–10:00']);
    });

    test('an event on the own calendar that lists its owner keeps the owner busy until the owner declines it (CAL-44)', async () => {
      const one = await makePerson(app);
      const { id } = await makeEvent(app, one, { attendees: [one.email] });
      await makeEvent(app, one, {
        starts_at: '2026-03-03T09:00:00Z',
        ends_at: '2026-03-03T10:00:00Z',
        attendees: ['elsewhere@example.com'],
      });
      assert.deepEqual(await busyOf(app, one), ['03-02 09:00–10:00', '03-03 09:00–10:00']);
      data(await respond(id, one, 'declined'));
      assert.deepEqual(await busyOf(app, one), ['03-03 09:00–10:00']);
      data(await respond(id, one, 'accepted'));
      assert.deepEqual(await busyOf(app, one), ['03-02 09:00–10:00', '03-03 09:00–10:00']);
    });

    test('an answer outlives a change that leaves the times, and ends with the place on the list', async () => {
      const [owner, guest] = [await makePerson(app), await makePerson(app)];
      const times = { starts_at: '2026-03-02T10:00:00+01:00', ends_at: '2026-03-02T10:00:00Z' };
      for (const zone of ['Europe/Berlin', undefined]) {
        const recurrence = ['RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20260303T090000Z'];
        const fields = { ...times, recurrence, ...(zone && { time_zone: zone }), attendees: [guest.email] };
        const { id, ...event } = await makeEvent(app, owner, fields);
        data(await respond(id, guest, 'accepted'));
        const path = `/v1/calendars/${owner.calendar}/events/${id}`;
        const { starts_at, ends_at, time_zone, all_day } = event;
        for (const same of [
          { status: 'tentative' },
          { transparency: 'free' },
          { resources: [] },
          { attendees: [guest.email.toUpperCase(), 'new@example.org'] },
          times,
          { starts_at, ends_at, time_zone, all_day, recurrence },
        ]) {
          const { responses } = data(await app.put(path, same, { key: owner.key }));
          assert.equal(responses[0].response, 'accepted', JSON.stringify(same));
        }
      }
      const event = await makeEvent(app, owner, { attendees: [guest.email] });
      const path = `/v1/calendars/${owner.calendar}/events/${event.id}`;
      data(await app.put(path, { attendees: [] }, { key: owner.key }));
      assert.deepEqual(await busyOf(app, guest), []);
      assert.equal((await respond(event.id, guest, 'accepted')).status, 404);
    });

    const moves: [what: string, made: object, change: object, busy: string][] = [
      [
        'another day',
        {},
        { starts_at: '2026-03-09T09:00:00Z', ends_at: '2026-03-09T10:00:00Z' },
        '03-09 09:00–10:00',
      ],
      ['another end', {}, { ends_at: '2026-03-02T12:00:00Z' }, '03-02 09:00–12:00'],
      ['another start', {}, { starts_at: '2026-03-02T08:00:00Z' }, '03-02 08:00–10:00'],
      [
        'another zone',
        { starts_at: '2026-03-02T09:00:00', ends_at: '2026-03-02T10:00:00' },
        { time_zone: 'Asia/Tokyo' },
        '03-02 00:00–01:00',
      ],
      ['a recurrence', {}, { recurrence: ['RRULE:FREQ=DAILY;COUNT=1'] }, '03-02 09:00–10:00'],
      [
        'an exception',
        { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] },
        { recurrence: ['RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20260303T090000Z'] },
        '03-02 09:00–10:00',
      ],
      [
        'no recurrence',
        { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] },
        { recurrence: [] },
        '03-02 09:00–10:00',
      ],
      [
        'whole days',
        {},
        { all_day: true, starts_at: '2026-03-02', ends_at: '2026-03-03' },
        '03-02 00:00–03-03 00:00',
      ],
    ];
    for (const [what, made, change, busy] of moves) {
      test(`who has answered is asked again when the event gets ${what} (CAL-24)`, async () => {
        const [owner, guest] = [await makePerson(app), await makePerson(app)];
        const guests = [guest.email, owner.email];
        const { id } = await makeEvent(app, owner, { ...made, attendees: guests });
        data(await respond(id, guest, 'declined'));
        data(await respond(id, owner, 'accepted'));
        const path = `/v1/calendars/${owner.calendar}/events/${id}`;
        const { responses } = data(await app.put(path, change, { key: owner.key }));
        assert.deepEqual(
          responses,
          guests.map((email) => ({ email, response: 'needs_action' })),
        );
        assert.deepEqual(await busyOf(app, guest), [busy]);
        data(await respond(id, guest, 'declined'));
        assert.deepEqual(await busyOf(app, guest), []);
      });
    }

    test('who has answered is asked again when a floating time follows its calendar to another zone', async () => {
      const [owner, guest] = [await makePerson(app), await makePerson(app)];
      const floating = { starts_at: '2026-03-02T09:00:00', ends_at: '2026-03-02T10:00:00' };
      const date = { all_day: true, starts_at: '2026-03-04', ends_at: '2026-03-05' };
      for (const times of [floating, date, {}]) {
        const { id } = await makeEvent(app, owner, { ...times, attendees: [guest.email] });
        data(await respond(id, guest, 'declined'));
      }
      const path = `/v1/calendars/${owner.calendar}`;
      data(await app.put(path, { time_zone: 'Asia/Tokyo' }, { key: owner.key }));
      assert.deepEqual(await busyOf(app, guest), ['03-02 00:00–01:00']);
    });

    test('a person whom an event does not list cannot answer it (CAL-26)', async () => {
      const [owner, other] = [await makePerson(app), await makePerson(app)];
      const { id } = await makeEvent(app, owner);
      assert.equal((await respond(id, other, 'accepted')).status, 404);
    });

    test('a user who comes to an address later is listed too', async () => {
      const owner = await makePerson(app);
      const guest = await makePerson(app);
      await makeEvent(app, owner, { attendees: ['later@example.org'] });
      assert.deepEqual(await busyOf(app, guest), []);
      data(await app.put(`/v1/users/${guest.id}`, { aliases: ['Later@example.org'] }));
      assert.deepEqual(await busyOf(app, guest), ['03-02 09:00–10:00']);
    });
  });

  describe('resources', () => {
    test('an event that needs a taken resource is refused, and times that touch do not clash (CAL-20, CAL-21)', async () => {
      const [one, room] = [await makePerson(app), await makeRoom(app)];
      await makeEvent(app, one, { resources: [room] });
      const path = `/v1/calendars/${one.calendar}/events`;
      const clash = { starts_at: '2026-03-02T09:30:00Z', ends_at: '2026-03-02T10:30:00Z', resources: [room] };
      const answer = await app.post(path, clash, { key: one.key });
      assert.equal(answer.status, 409);
      assert.equal(answer.json.error.code, 'resource_busy');
      assert.equal(answer.json.error.details.resource_id, room);
      await makeEvent(app, one, { ...clash, starts_at: '2026-03-02T10:00:00Z' });
      await makeEvent(app, one, { ...clash, transparency: 'free' });
      await makeEvent(app, one, { ...clash, status: 'cancelled' });
    });

    test('events that move together with their calendar do not clash with where they were', async () => {
      const [one, room] = [await inZone('Europe/Berlin'), await makeRoom(app)];
      const floating = {
        starts_at: '2026-03-02T09:00:00',
        ends_at: '2026-03-02T10:00:00',
        resources: [room],
      };
      await makeEvent(app, one, floating);
      await makeEvent(app, one, { ...floating, starts_at: floating.ends_at, ends_at: '2026-03-02T11:00:00' });
      const path = `/v1/calendars/${one.calendar}`;
      data(await app.put(path, { time_zone: 'Europe/London' }, { key: one.key }));
      assert.deepEqual(await busyOf(app, one), ['03-02 09:00–11:00']);
      const other = await makePerson(app);
      await makeEvent(app, other, {
        starts_at: '2026-03-02T14:30:00Z',
        ends_at: '2026-03-02T15:00:00Z',
        resources: [room],
      });
      const answer = await app.put(path, { time_zone: 'America/New_York' }, { key: one.key });
      assert.deepEqual([answer.status, answer.json.error?.code], [409, 'resource_busy']);
      assert.deepEqual(await busyOf(app, one), ['03-02 09:00–11:00']);
    });

    test('a series needs its resource for each instance, however late another event takes it (CAL-20)', async () => {
      const [one, room] = [await makePerson(app), await makeRoom(app)];
      const path = `/v1/calendars/${one.calendar}/events`;
      const monday = { starts_at: '2031-03-03T09:30:00Z', ends_at: '2031-03-03T09:40:00Z' };
      const { id } = await makeEvent(app, one, { ...monday, resources: [room] });
      const series = {
        starts_at: '2026-03-02T09:00:00Z',
        ends_at: '2026-03-02T10:00:00Z',
        resources: [room],
      };
      for (const rule of ['RRULE:FREQ=WEEKLY', 'RRULE:FREQ=WEEKLY;COUNT=300']) {
        const answer = await app.post(path, { ...series, recurrence: [rule] }, { key: one.key });
        assert.equal(answer.status, 409, rule);
        assert.deepEqual(answer.json.error.details, {
          resource_id: room,
          starts_at: '2031-03-03T09:30:00.000Z',
          ends_at: '2031-03-03T09:40:00.000Z',
        });
      }
      const spared = ['RRULE:FREQ=WEEKLY', 'EXDATE:20310303T090000Z'];
      data(await app.post(path, { ...series, recurrence: spared }, { key: one.key }), 201);
      const later = { starts_at: '2031-03-10T09:30:00Z', ends_at: '2031-03-10T09:40:00Z' };
      assert.equal((await app.put(`${path}/${id}`, later, { key: one.key })).status, 409);
    });

    test('a series that goes on needs its resource for two years and later against single events (CAL-20)', async () => {
      const [one, room] = [await makePerson(app), await makeRoom(app)];
      const late = { starts_at: '2028-02-21T09:30:00Z', ends_at: '2028-02-21T09:45:00Z', resources: [room] };
      const { id } = await makeEvent(app, one, late);
      const series = {
        starts_at: '2026-03-02T09:00:00Z',
        ends_at: '2026-03-02T10:00:00Z',
        recurrence: ['RRULE:FREQ=WEEKLY'],
        resources: [room],
      };
      const path = `/v1/calendars/${one.calendar}/events`;
      assert.equal((await app.post(path, series, { key: one.key })).status, 409);
      data(
        await app.put(
          `${path}/${id}`,
          { starts_at: '2028-02-21T10:00:00Z', ends_at: '2028-02-21T11:00:00Z' },
          { key: one.key },
        ),
      );
      data(await app.post(path, series, { key: one.key }), 201);
      const inFiveYears = {
        starts_at: '2031-03-03T09:30:00Z',
        ends_at: '2031-03-03T09:40:00Z',
        resources: [room],
      };
      assert.equal((await app.post(path, inFiveYears, { key: one.key })).status, 409);
    });

    test('an event does not clash with itself, and a move that clashes changes nothing', async () => {
      const [one, room] = [await makePerson(app), await makeRoom(app)];
      const { id } = await makeEvent(app, one, { resources: [room] });
      const path = `/v1/calendars/${one.calendar}/events/${id}`;
      data(await app.put(path, { ends_at: '2026-03-02T09:30:00Z' }, { key: one.key }));
      await makeEvent(app, one, { resources: [room], starts_at: '2026-03-02T09:30:00Z' });
      const before = await busyOf(app, one);
      assert.equal((await app.put(path, { ends_at: '2026-03-02T09:31:00Z' }, { key: one.key })).status, 409);
      assert.deepEqual(await busyOf(app, one), before);
    });

    test('of a hundred requests for one resource at once, one gets it (CAL-20)', async () => {
      const [one, two, room, other] = [
        await makePerson(app),
        await makePerson(app),
        await makeRoom(app),
        await makeRoom(app),
      ];
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, i) => {
          const { key, calendar } = i % 2 ? one : two;
          const resources = i % 3 ? [room, other] : [other, room];
          const body = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z', resources };
          return app.post(`/v1/calendars/${calendar}/events`, body, { key });
        }),
      );
      assert.equal(answers.filter(({ status }) => status === 201).length, 1);
      assert.equal(answers.filter(({ status }) => status === 409).length, 99);
    });

    test('an event with an unknown resource is not found (CAL-19)', async () => {
      const one = await makePerson(app);
      const body = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z', resources: ['x'] };
      assert.equal(
        (await app.post(`/v1/calendars/${one.calendar}/events`, body, { key: one.key })).status,
        404,
      );
    });
  });
});
