import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, freshAddress, makeKey, makeUser, makeWorkspace } from './accounts.ts';
import {
  askFreeBusy,
  type Busy,
  busyOf,
  makeEvent,
  makePerson,
  makeRoom,
  type Person,
  shortTimes,
} from './calendar-world.ts';

const YEAR = { start: '2026-01-01T00:00:00Z', end: '2027-01-01T00:00:00Z' };
/** So many addresses that nobody has. */
const many = (count: number) => Array.from({ length: count }, (_, i) => `a${i}@example.com`);
const HOUR = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z' };

forEachEngine((engine) => {
  let app: TestApp;
  let me: Person;
  before(async () => {
    app = await startApp(engine);
    me = await makePerson(app);
    await makeEvent(app, me);
  });
  after(() => app.stop());

  const ask = (asked: Record<string, unknown>) => askFreeBusy(app, asked, { key: me.key });

  describe('free/busy', () => {
    test('free/busy refuses a window in which events take place too often, and calls nobody free in it (CAL-46)', async () => {
      const often = await makePerson(app);
      const events = Array.from(
        { length: 300 },
        (_, i) =>
          `BEGIN:VEVENT\r\nUID:${i}\r\nDTSTART:20260101T000000Z\r\nDURATION:PT1M\r\nRRULE:FREQ=HOURLY\r\nEND:VEVENT\r\n`,
      );
      const path = `/v1/calendars/${often.calendar}`;
      const file = `BEGIN:VCALENDAR\r\n${events.join('')}END:VCALENDAR\r\n`;
      const headers = { 'content-type': 'text/calendar' };
      data(await app.post(`${path}/import`, file, { key: often.key, headers }));
      const answer = await app.post('/v1/freebusy', { ...YEAR, attendees: [often.email] }, { key: me.key });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.json.error?.code, 'validation_failed');
      const errors = [{ pointer: '/end', code: 'too_large' }];
      assert.partialDeepStrictEqual(answer.json.error?.details, { errors });
      const short = { start: '2026-03-02T09:00:00Z', end: '2026-03-02T11:00:00Z' };
      const { attendees } = await ask({ ...short, attendees: [often.email] });
      assert.deepEqual(shortTimes(attendees[0].busy), ['03-02 09:00–09:01', '03-02 10:00–10:01']);
      const listed = await app.get(`${path}/events?start=${YEAR.start}&end=${YEAR.end}&limit=1`, {
        key: often.key,
      });
      assert.equal(data(listed).length, 1);
    });

    test('a long answer is whole, and refused where it would be too long, also by many aliases of one', async () => {
      const aliases = Array.from({ length: 4 }, freshAddress);
      const half = { start: YEAR.start, end: '2026-07-01T00:00:00Z' };
      const often = await makePerson(app, { aliases });
      const events = Array.from({ length: 30 }, (_, i) => {
        const start = `20260101T00${String(2 * i).padStart(2, '0')}00Z`;
        return `BEGIN:VEVENT\r\nUID:${i}\r\nDTSTART:${start}\r\nDURATION:PT1M\r\nRRULE:FREQ=HOURLY\r\nEND:VEVENT\r\n`;
      });
      const file = `BEGIN:VCALENDAR\r\n${events.join('')}END:VCALENDAR\r\n`;
      const headers = { 'content-type': 'text/calendar' };
      data(await app.post(`/v1/calendars/${often.calendar}/import`, file, { key: often.key, headers }));
      const question = { attendees: [often.email, me.email, 'nobody@example.com'], ...half };
      const answer = await app.post('/v1/freebusy', question, { key: me.key });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(answer.text)));
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      const { attendees, unknown_attendees, resources } = data(answer);
      assert.deepEqual([unknown_attendees, resources], [['nobody@example.com'], []]);
      assert.equal(attendees[1].email, me.email);
      assert.deepEqual(shortTimes(attendees[1].busy).slice(0, 1), ['03-02 09:00–10:00']);
      const { busy } = attendees[0];
      const minute = (i: number) => new Date(Date.parse(YEAR.start) + i * 60_000).toISOString();
      assert.equal(busy.length, 181 * 24 * 30);
      for (const i of [0, 999, 1_000, 1_001, busy.length - 1])
        assert.deepEqual(busy[i], { starts_at: minute(2 * i), ends_at: minute(2 * i + 1) });
      const byAliases = await app.post('/v1/freebusy', { attendees: aliases, ...half }, { key: me.key });
      assert.equal(byAliases.status, 400);
      const errors = [{ pointer: '/end', code: 'too_large' }];
      assert.partialDeepStrictEqual(byAliases.json.error?.details, { errors });
    });

    test('free/busy answers the busy times of people and resources in UTC, and names the unknown (CAL-34, CAL-35, CAL-37, CAL-38, CAL-39, CAL-40, CAL-41)', async () => {
      const room = await makeRoom(app);
      await makeEvent(app, me, {
        starts_at: '2026-03-03T09:00:00+02:00',
        ends_at: '2026-03-03T10:00:00+02:00',
        resources: [room],
      });
      assert.deepEqual(
        await ask({
          attendees: [me.email, 'nobody@example.com', 'no address'],
          resources: [room, 'res_x', room, 'res_x'],
        }),
        {
          attendees: [
            {
              email: me.email,
              busy: [
                { starts_at: '2026-03-02T09:00:00.000Z', ends_at: '2026-03-02T10:00:00.000Z' },
                { starts_at: '2026-03-03T07:00:00.000Z', ends_at: '2026-03-03T08:00:00.000Z' },
              ],
            },
          ],
          resources: [
            {
              id: room,
              busy: [{ starts_at: '2026-03-03T07:00:00.000Z', ends_at: '2026-03-03T08:00:00.000Z' }],
            },
          ],
          unknown_attendees: ['nobody@example.com', 'no address'],
          unknown_resources: ['res_x'],
        },
      );
    });

    test('free/busy matches addresses and aliases without regard to case, each once, and repeats them as asked (CAL-38, CAL-42)', async () => {
      const alias = freshAddress();
      const other = await makePerson(app, { aliases: [alias] });
      await makeEvent(app, other);
      const asked = [alias.toUpperCase(), alias, other.email, 'X@y.example', 'x@Y.example'];
      const { attendees, unknown_attendees } = await ask({ attendees: asked });
      assert.deepEqual(
        attendees.map(({ email }: { email: string }) => email),
        [alias.toUpperCase(), other.email],
      );
      for (const { busy } of attendees) assert.deepEqual(shortTimes(busy), ['03-02 09:00–10:00']);
      assert.deepEqual(unknown_attendees, ['X@y.example']);
    });

    test('who is suspended is of the workspace all the same, and their key stops', async () => {
      const gone = await makePerson(app);
      await makeEvent(app, gone);
      data(await app.put(`/v1/users/${gone.id}`, { state: 'suspended' }));
      const { attendees, unknown_attendees } = await ask({ attendees: [gone.email] });
      assert.deepEqual(shortTimes(attendees[0].busy), ['03-02 09:00–10:00']);
      assert.deepEqual(unknown_attendees, []);
      const question = { attendees: [me.email], ...YEAR };
      assert.equal((await app.post('/v1/freebusy', question, { key: gone.key })).status, 401);
    });

    test('a user of another workspace is unknown to free/busy (CAL-41)', async () => {
      const { key } = await makeWorkspace(app);
      const stranger = data(await app.get('/v1/users/me', { key }));
      assert.deepEqual((await ask({ attendees: [stranger.email] })).unknown_attendees, [stranger.email]);
    });

    test('busy intervals are merged, sorted and clipped to the window, and those that only touch it are none (CAL-40)', async () => {
      const one = await makePerson(app);
      for (const [from, to] of [
        ['14:30', '15:00'],
        ['13:00', '14:00'],
        ['10:00', '11:00'],
        ['08:00', '09:30'],
        ['09:00', '10:00'],
      ])
        await makeEvent(app, one, { starts_at: `2026-03-02T${from}:00Z`, ends_at: `2026-03-02T${to}:00Z` });
      const window = { start: '2026-03-02T10:30:00+01:00', end: '2026-03-02T14:30:00.000Z' };
      assert.deepEqual(await busyOf(app, one, window), ['03-02 09:30–11:00', '03-02 13:00–14:00']);
      assert.deepEqual(
        await busyOf(app, one, { start: '2026-03-02T11:00:00Z', end: '2026-03-02T13:00:00Z' }),
        [],
      );
    });

    test('a meeting over many months is one interval', async () => {
      const one = await makePerson(app);
      await makeEvent(app, one, { starts_at: '2025-01-01T00:00:00Z', ends_at: '2027-01-01T00:00:00Z' });
      const year = { start: '2026-01-01T00:00:00Z', end: '2026-12-31T00:00:00Z' };
      for (const _ of ['unknown', 'known'])
        assert.deepEqual(await busyOf(app, one, year), ['01-01 00:00–12-31 00:00']);
    });

    test('an event that is free or cancelled keeps nobody busy (CAL-43)', async () => {
      const one = await makePerson(app);
      await makeEvent(app, one, { transparency: 'free' });
      await makeEvent(app, one, { status: 'cancelled', attendees: [one.email] });
      assert.deepEqual(await busyOf(app, one), []);
      await makeEvent(app, one, { status: 'tentative' });
      assert.deepEqual(await busyOf(app, one), ['03-02 09:00–10:00']);
    });

    test('a person who does not share availability is listed without busy times, and sees all of them (CAL-45)', async () => {
      const one = await makePerson(app);
      await makeEvent(app, one);
      data(await app.put(`/v1/users/${one.id}`, { share_availability: false }));
      assert.deepEqual((await ask({ attendees: [one.email] })).attendees, [{ email: one.email, busy: [] }]);
      assert.deepEqual(await busyOf(app, one), ['03-02 09:00–10:00']);
    });

    test('the same question is answered to each as they may know', async () => {
      const hidden = await makePerson(app);
      data(await app.put(`/v1/users/${hidden.id}`, { share_availability: false }));
      await makeEvent(app, hidden);
      const asked = { attendees: [hidden.email] };
      const busyFor = async (key: string) =>
        (await askFreeBusy(app, { ...YEAR, ...asked }, { key })).attendees.map(
          ({ busy }: { busy: [] }) => busy.length,
        );
      assert.deepEqual(await busyFor(hidden.key), [1]);
      assert.deepEqual(await busyFor(me.key), [0]);
      assert.deepEqual(await busyFor((await makeWorkspace(app)).key), []);
      const { key } = await makeKey(app, ['calendar.events.read']);
      assert.equal((await app.post('/v1/freebusy', { ...YEAR, ...asked }, { key })).status, 403);
      assert.deepEqual(await busyFor(hidden.key), [1]);
    });

    test('every change is seen at once', async () => {
      const one = await makePerson(app);
      for (let round = 0; round < 3; round++) {
        const { id } = await makeEvent(app, one);
        assert.deepEqual(await busyOf(app, one), ['03-02 09:00–10:00']);
        await app.delete(`/v1/calendars/${one.calendar}/events/${id}`, { key: one.key });
        assert.deepEqual(await busyOf(app, one), []);
      }
    });

    test('a series that began long ago is busy as ever', async () => {
      const one = await makePerson(app);
      await makeEvent(app, one, {
        starts_at: '2005-01-03T09:00:00Z',
        ends_at: '2005-01-03T10:00:00Z',
        recurrence: ['RRULE:FREQ=WEEKLY'],
      });
      await makeEvent(app, one, {
        starts_at: '2005-01-04T09:00:00Z',
        ends_at: '2005-01-04T10:00:00Z',
        recurrence: ['RRULE:FREQ=WEEKLY;UNTIL=20260305T000000Z'],
      });
      const week = { start: '2026-03-02T00:00:00Z', end: '2026-03-12T00:00:00Z' };
      assert.deepEqual(await busyOf(app, one, week), [
        '03-02 09:00–10:00',
        '03-03 09:00–10:00',
        '03-09 09:00–10:00',
      ]);
    });

    test('a field of a question for what a meeting is about is refused, and the answer says why (CAL-2)', async () => {
      const times = { attendees: [me.email], start: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z' };
      for (const path of ['/v1/freebusy', '/v1/freebusy/find']) {
        const { status, json } = await app.post(path, { ...times, title: 'Board' }, { key: me.key });
        assert.equal(status, 400);
        assert.match(json.error.message, /never holds what a meeting is about/);
      }
    });

    test('takes no Idempotency-Key, and ignores one', async () => {
      const body = { attendees: [me.email], start: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z' };
      for (const idempotencyKey of [null, 'same', 'same', 'ä']) {
        const { status, headers } = await app.post('/v1/freebusy', body, { key: me.key, idempotencyKey });
        assert.equal(status, 200);
        assert.equal(headers.get('idempotency-replayed'), null);
      }
    });

    const window = { start: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z' };
    const refused: [string, Record<string, unknown>, string][] = [
      ['nobody', window, '/attendees'],
      ['empty lists', { ...window, attendees: [], resources: [] }, '/attendees'],
      ['more than 200', { ...window, attendees: many(150), resources: many(51) }, ''],
      ['an end at the start', { attendees: ['a@b'], start: window.start, end: window.start }, '/end'],
      [
        'more than 366 days',
        { attendees: ['a@b'], start: window.start, end: '2027-03-02T00:00:01Z' },
        '/end',
      ],
      ['no start', { attendees: ['a@b'], end: window.end }, '/start'],
      ['a local time', { attendees: ['a@b'], ...window, start: '2026-03-01T00:00:00' }, '/start'],
      ['no such day', { attendees: ['a@b'], ...window, start: '2026-02-30T00:00:00Z' }, '/start'],
      ['the names of the example', { attendees: ['a@b'], ...window, from: window.start }, '/from'],
      ['addresses', { attendees: ['a@b'], ...window, addresses: ['a@b'] }, '/addresses'],
      ['to', { attendees: ['a@b'], ...window, to: window.end }, '/to'],
      ['no end', { attendees: ['a@b'], start: window.start }, '/end'],
      ['an address that is no list', { attendees: 'a@b', ...window }, '/attendees'],
      ['an empty address', { attendees: [''], ...window }, '/attendees/0'],
      ['a number for a resource', { resources: [1], ...window }, '/resources/0'],
    ];
    for (const [what, body, pointer] of refused) {
      // CAL-34, CAL-35, CAL-36
      test(`free/busy refuses ${what}, and names nothing else`, async () => {
        const { status, json } = await app.post('/v1/freebusy', body, { key: me.key });
        assert.equal(status, 400);
        const { errors } = json.error.details;
        assert.deepEqual(
          errors.map((e: { pointer: string }) => e.pointer),
          [pointer],
        );
      });
    }

    test('free/busy takes 200 attendees and resources, and 366 days (CAL-36)', async () => {
      const body = {
        attendees: many(199),
        resources: ['x'],
        start: window.start,
        end: '2027-03-02T00:00:00Z',
      };
      assert.equal((await ask(body)).unknown_attendees.length, 199);
    });

    test('a question that takes long leaves others their turn', { skip: engine !== 'sqlite' }, async () => {
      const people = await Promise.all(Array.from({ length: 12 }, () => makePerson(app)));
      const marks = Array.from({ length: 60 }, (_, i) =>
        [
          'BEGIN:VEVENT',
          `UID:${i}`,
          'DTSTART:20250101T090000Z',
          'DURATION:PT1H',
          // Of rules within the day no pattern is kept: they take long.
          'RRULE:FREQ=HOURLY;INTERVAL=12',
          'END:VEVENT',
        ].join('\n'),
      );
      const body = ['BEGIN:VCALENDAR', ...marks, 'END:VCALENDAR'].join('\n');
      for (const { key, calendar } of people)
        await app.post(`/v1/calendars/${calendar}/import`, body, {
          key,
          headers: { 'content-type': 'text/calendar' },
        });
      const began = workedMs();
      let isAnswered = false;
      const asked = app
        .post('/v1/freebusy', { attendees: people.map(({ email }) => email), ...YEAR })
        .finally(() => {
          isAnswered = true;
        });
      let longest = 0;
      while (!isAnswered) {
        const waitedSince = workedMs();
        await nextTurn();
        longest = Math.max(longest, workedMs() - waitedSince);
      }
      assert.equal((await asked).status, 200);
      assert.ok(longest < (workedMs() - began) / 3, `${longest} ms without a turn`);
    });

    test('free/busy requires a permission of its own (CAL-34)', async () => {
      const { key } = await makeKey(app, ['calendar.events.read']);
      const answer = await app.post('/v1/freebusy', { attendees: ['a@b'], ...window }, { key });
      assert.equal(answer.status, 403);
    });
  });

  describe('finding a time', () => {
    const day = { start: '2026-03-02T08:00:00Z', end: '2026-03-02T12:00:00Z' };
    const find = async (asked: Record<string, unknown>) =>
      data(await app.post('/v1/freebusy/find', { ...day, ...asked }, { key: me.key }));
    const starts = ({ slots }: { slots: { starts_at: string }[] }) =>
      slots.map(({ starts_at }) => starts_at.slice(11, 16));

    test('finding a time answers slots that suit everybody, by default the first ten of half an hour (CAL-47, CAL-48, CAL-51, CAL-52, CAL-53, CAL-54, CAL-56)', async () => {
      const found = await find({ attendees: [me.email], interval_minutes: 60, duration_minutes: 60 });
      assert.deepEqual(found, {
        slots: ['08', '10', '11'].map((hour) => ({
          starts_at: `2026-03-02T${hour}:00:00.000Z`,
          ends_at: `2026-03-02T${String(Number(hour) + 1).padStart(2, '0')}:00:00.000Z`,
          available: [me.email],
          unavailable: [],
        })),
        unknown_attendees: [],
        empty_reason: null,
      });
      const usual = (await find({})).slots;
      const quarters = (from: number) =>
        Array.from({ length: 10 }, (_, i) => new Date(from + i * 15 * 60_000).toISOString());
      assert.deepEqual(
        usual.map(({ starts_at }: Busy[number]) => starts_at),
        quarters(Date.parse(day.start)),
      );
      assert.deepEqual(
        usual.map(({ ends_at }: Busy[number]) => ends_at),
        quarters(Date.parse(day.start) + 30 * 60_000),
      );
      const late = await find({ start: '2026-03-02T08:07:00Z', max_results: 2 });
      assert.deepEqual(starts(late), ['08:07', '08:22']);
      assert.deepEqual(await find({}), await find({}));
    });

    test('slots that fewest optional attendees miss come first, then the earliest, and unknown people are named (CAL-52, CAL-56, CAL-57)', async () => {
      const [one, two] = [await makePerson(app), await makePerson(app)];
      await makeEvent(app, one, { starts_at: '2026-03-02T08:00:00Z', ends_at: '2026-03-02T11:00:00Z' });
      await makeEvent(app, two, { starts_at: '2026-03-02T08:00:00Z', ends_at: '2026-03-02T12:00:00Z' });
      const asked = {
        optional_attendees: [one.email, two.email, 'who@example.com'],
        duration_minutes: 60,
        interval_minutes: 60,
      };
      const found = await find(asked);
      assert.deepEqual(starts(found), ['11:00', '08:00', '09:00', '10:00']);
      assert.deepEqual(found.slots[0].available, [one.email]);
      assert.deepEqual(found.slots[0].unavailable, [two.email]);
      assert.deepEqual(found.unknown_attendees, ['who@example.com']);
    });

    test('slots keep to working hours on the clock of the zone, by default of UTC (CAL-48, CAL-50, CAL-53)', async () => {
      const hours = [{ days: [1], start: '09:00', end: '10:30' }];
      assert.deepEqual(starts(await find({ working_hours: hours, time_zone: 'Europe/Berlin' })), [
        '08:00',
        '08:15',
        '08:30',
        '08:45',
        '09:00',
      ]);
      const inUtc = await find({ working_hours: hours });
      assert.deepEqual(starts(inUtc), ['09:00', '09:15', '09:30', '09:45', '10:00']);
      const found = await find({ working_hours: [{ days: [7], start: '00:00', end: '24:00' }] });
      assert.deepEqual([found.slots, found.empty_reason], [[], 'outside_working_hours']);
    });

    test('a buffer counts meetings beyond the window, and without one times may touch (CAL-48, CAL-54, CAL-55)', async () => {
      const one = await makePerson(app);
      await makeEvent(app, one, { starts_at: '2026-03-02T07:00:00Z', ends_at: '2026-03-02T08:00:00Z' });
      const asked = { attendees: [one.email], max_results: 1 };
      assert.deepEqual(starts(await find(asked)), ['08:00']);
      assert.deepEqual(starts(await find({ ...asked, buffer_minutes: 20 })), ['08:30']);
    });

    test('finding a time takes the first free of several resources, and needs all of others (CAL-52, CAL-53, CAL-57, CAL-58)', async () => {
      const [a, b, c] = [await makeRoom(app), await makeRoom(app), await makeRoom(app)];
      await makeEvent(app, me, { ...HOUR, transparency: 'busy', resources: [a] });
      const asked = { any_of_resources: [a, b], start: HOUR.starts_at, end: HOUR.ends_at, max_results: 1 };
      assert.equal((await find(asked)).slots[0].resource_id, b);
      assert.equal((await find({ ...asked, any_of_resources: [c, b] })).slots[0].resource_id, c);
      assert.equal((await find({ ...asked, resources: [a] })).empty_reason, 'resources_busy');
      assert.equal(
        (await app.post('/v1/freebusy/find', { ...day, resources: ['res_x'] }, { key: me.key })).status,
        404,
      );
    });

    test('a person who does not share availability never influences slots (CAL-57)', async () => {
      const one = await makePerson(app);
      await makeEvent(app, one, { starts_at: day.start, ends_at: day.end });
      assert.equal((await find({ attendees: [one.email] })).empty_reason, 'attendees_busy');
      data(await app.put(`/v1/users/${one.id}`, { share_availability: false }));
      const found = await find({ attendees: [one.email], max_results: 1 });
      assert.deepEqual(found.slots[0].available, [one.email]);
    });

    test('max_results is lowered to 50, and a window that is too short is told (CAL-49, CAL-53)', async () => {
      assert.equal((await find({ end: '2026-03-04T00:00:00Z', max_results: 51 })).slots.length, 50);
      assert.equal((await find({ duration_minutes: 241 })).empty_reason, 'window_too_short');
    });

    const refused: [string, Record<string, unknown>, string][] = [
      ['no max_results', { max_results: 0 }, '/max_results'],
      ['no duration', { duration_minutes: 0 }, '/duration_minutes'],
      ['no interval', { interval_minutes: 0 }, '/interval_minutes'],
      ['an unknown zone', { time_zone: 'Mars/Olympus' }, '/time_zone'],
      [
        'hours that end first',
        { working_hours: [{ days: [1], start: '10:00', end: '09:00' }] },
        '/working_hours/0/end',
      ],
      [
        'an eighth day',
        { working_hours: [{ days: [8], start: '08:00', end: '09:00' }] },
        '/working_hours/0/days/0',
      ],
      ['a negative buffer', { buffer_minutes: -1 }, '/buffer_minutes'],
      ['more than 200', { attendees: many(150), optional_attendees: many(51) }, ''],
      ['an end at the start', { end: day.start }, '/end'],
      ['more than 366 days', { end: '2027-03-03T08:00:01Z' }, '/end'],
    ];
    for (const [what, body, pointer] of refused) {
      // CAL-36, CAL-49, CAL-50
      test(`finding a time refuses ${what}`, async () => {
        const { status, json } = await app.post('/v1/freebusy/find', { ...day, ...body }, { key: me.key });
        assert.equal(status, 400);
        assert.equal(json.error.details.errors[0].pointer, pointer);
      });
    }

    test('suits fifty people over two months', async () => {
      const people: Person[] = [];
      for (let i = 0; i < 50; i++) {
        const { id } = await makeUser(app, { email: `crowd${i}@example.net` });
        people.push({ ...me, id, email: `crowd${i}@example.net` });
      }
      for (let i = 0; i < 40; i++)
        await makeEvent(app, me, {
          starts_at: new Date(Date.UTC(2026, 5, 1, i)).toISOString(),
          ends_at: new Date(Date.UTC(2026, 5, 1, i + 1)).toISOString(),
          attendees: [people[i]?.email],
        });
      const asked = {
        attendees: people.map(({ email }) => email),
        start: '2026-06-01T00:00:00Z',
        end: '2026-08-01T00:00:00Z',
      };
      assert.equal((await find(asked)).slots[0].starts_at, '2026-06-02T16:00:00.000Z');
    });
  });
});

/** How long this thread has worked, waiting for a processor left out. Milliseconds. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
