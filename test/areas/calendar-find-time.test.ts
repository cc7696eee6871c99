import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { askFreeBusy, makeEvent, makePerson, makeRoom, type Person, shortTimes } from './calendar-world.ts';

const DAY = { start: '2026-03-02T00:00:00Z', end: '2026-03-03T00:00:00Z' };
const HOURLY = { duration_minutes: 60, interval_minutes: 60, max_results: 50 };
const NINE_TO_FIVE = [{ days: [1, 2, 3, 4, 5], start: '09:00', end: '17:00' }];

forEachEngine((engine) => {
  let app: TestApp;
  let me: Person;
  before(async () => {
    app = await startApp(engine);
    me = await makePerson(app);
  });
  after(() => app.stop());

  const ask = (asked: Record<string, unknown>, key = me.key) =>
    app.post('/v1/freebusy/find', { ...DAY, ...HOURLY, ...asked }, { key });
  const find = async (asked: Record<string, unknown>) => data(await ask(asked));
  const hours = ({ slots }: { slots: { starts_at: string }[] }) =>
    slots.map(({ starts_at }) => Number(starts_at.slice(11, 13)));

  const workerIn = (time_zone: string, working_hours: unknown = NINE_TO_FIVE) =>
    makePerson(app, { time_zone, working_hours });

  describe('working hours of each', () => {
    test('slots lie within the hours of everybody who is required, by the clock of each (CAL-67)', async () => {
      const [berlin, newYork] = [await workerIn('Europe/Berlin'), await workerIn('America/New_York')];
      const asked = { attendees: [berlin.email, newYork.email], working_hours: 'each' };
      assert.deepEqual(hours(await find(asked)), [14, 15]);
      // A week later only New York has set its clock forward.
      const later = { ...asked, start: '2026-03-09T00:00:00Z', end: '2026-03-10T00:00:00Z' };
      assert.deepEqual(hours(await find(later)), [13, 14, 15]);
      const tokyo = await workerIn('Asia/Tokyo');
      const none = await find({ ...asked, attendees: [berlin.email, tokyo.email, newYork.email] });
      assert.deepEqual([none.slots, none.empty_reason], [[], 'outside_working_hours']);
      const sunday = { start: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z' };
      assert.equal((await find({ ...asked, ...sunday })).empty_reason, 'outside_working_hours');
    });

    test('who is optional cannot come outside of their hours, which need no buffer (CAL-55, CAL-67)', async () => {
      const [one, two] = [
        await workerIn('UTC'),
        await workerIn('UTC', [{ days: [1], start: '11:00', end: '13:00' }]),
      ];
      await makeEvent(app, two, { starts_at: '2026-03-02T12:30:00Z', ends_at: '2026-03-02T12:45:00Z' });
      const asked = { attendees: [one.email], optional_attendees: [two.email], working_hours: 'each' };
      const found = await find({ ...asked, buffer_minutes: 30 });
      assert.deepEqual(hours(found), [11, 9, 10, 12, 13, 14, 15, 16]);
      assert.deepEqual(found.slots[1].unavailable, [two.email]);
      const close = await find({
        ...asked,
        buffer_minutes: 15,
        max_results: 4,
        duration_minutes: 30,
        interval_minutes: 30,
      });
      const starts = close.slots.map(({ starts_at }: { starts_at: string }) => starts_at.slice(11, 16));
      assert.deepEqual(starts.slice(0, 3), ['11:00', '11:30', '09:00']);
      assert.deepEqual(close.slots[0].available, [one.email, two.email]);
    });

    test('people without hours, or who do not share their availability, can meet at any time (CAL-57, CAL-67)', async () => {
      const [free, closed] = [await makePerson(app), await workerIn('UTC')];
      assert.equal(hours(await find({ attendees: [free.email], working_hours: 'each' })).length, 24);
      const asked = { attendees: [closed.email, free.email], working_hours: 'each' };
      assert.equal(hours(await find(asked)).length, 8);
      data(await app.put(`/v1/users/${closed.id}`, { share_availability: false }));
      assert.equal(hours(await find(asked)).length, 24);
      assert.equal(hours(data(await ask(asked, closed.key))).length, 8, 'to oneself the truth');
      data(await app.put(`/v1/users/${closed.id}`, { share_availability: true, working_hours: [] }));
      assert.equal(hours(await find(asked)).length, 24);
    });

    test('hours of each hold by an alias as well, and without "each" nobody\'s do (CAL-42, CAL-67)', async () => {
      const one = await workerIn('UTC', [
        { days: [1], start: '09:00', end: '10:00' },
        { days: [1, 2], start: '10:00', end: '11:00' },
        { days: [1], start: '13:00', end: '14:00' },
      ]);
      data(await app.put(`/v1/users/${one.id}`, { aliases: ['early@bird.example'] }));
      const asked = { attendees: ['EARLY@bird.example'] };
      assert.deepEqual(hours(await find({ ...asked, working_hours: 'each' })), [9, 10, 13]);
      const long = { ...asked, working_hours: 'each', duration_minutes: 120 };
      assert.deepEqual(hours(await find(long)), [9], 'periods that touch are one');
      assert.equal(hours(await find(asked)).length, 24);
    });
  });

  describe('strict questions', () => {
    test('a strict question refuses attendees that nobody is, with their names (CAL-68)', async () => {
      const known = { attendees: [me.email], optional_attendees: [me.email.toUpperCase()] };
      assert.equal((await find({ ...known, strict: true })).unknown_attendees.length, 0);
      for (const asked of [
        { attendees: [me.email, 'typo@example.com'], optional_attendees: ['other@example.com'] },
        { attendees: ['typo@example.com', 'other@example.com'] },
      ]) {
        const { status, json } = await ask({ ...asked, strict: true });
        assert.deepEqual([status, json.error.code], [404, 'not_found']);
        assert.deepEqual(json.error.details, {
          resource: 'attendee',
          id: 'typo@example.com',
          unknown_attendees: ['typo@example.com', 'other@example.com'],
        });
        assert.match(json.error.message, /typo@example\.com, other@example\.com/);
        const { unknown_attendees } = await find({ ...asked, strict: false });
        assert.deepEqual(unknown_attendees, ['typo@example.com', 'other@example.com']);
      }
    });
  });

  describe('an event that is ignored', () => {
    const half = { duration_minutes: 60, interval_minutes: 30, max_results: 3 };
    const morning = { start: '2026-03-02T08:30:00Z', end: '2026-03-02T10:30:00Z' };

    test('an ignored event keeps neither people nor rooms from its own move, and is asked after as before (CAL-69)', async () => {
      const [owner, guest, room] = [await makePerson(app), await makePerson(app), await makeRoom(app)];
      const { id } = await makeEvent(app, owner, { attendees: [guest.email], resources: [room] });
      const other = { starts_at: '2026-03-02T10:00:00Z', ends_at: '2026-03-02T10:30:00Z' };
      await makeEvent(app, guest, other);
      const asked = { ...morning, ...half, attendees: [owner.email, guest.email], resources: [room] };
      const moved = { ...asked, ignore_event_id: id };
      const starts = async (body: object) =>
        data(await app.post('/v1/freebusy/find', body, { key: owner.key })).slots.map(
          ({ starts_at }: { starts_at: string }) => starts_at.slice(11, 16),
        );
      for (let again = 0; again < 2; again++) {
        assert.deepEqual(await starts(asked), []);
        assert.deepEqual(await starts(moved), ['08:30', '09:00']);
        const { attendees } = await askFreeBusy(app, { attendees: [guest.email] }, { key: owner.key });
        assert.deepEqual(shortTimes(attendees[0].busy), ['03-02 09:00–10:30']);
      }
    });

    test('a series is ignored with all of its instances, also where it has no pattern (CAL-69)', async () => {
      const owner = await makePerson(app);
      const daily = { recurrence: ['RRULE:FREQ=DAILY;COUNT=9', 'RDATE:20260302T120000Z'] };
      const { id } = await makeEvent(app, owner, daily);
      const asked = { ...DAY, end: '2026-03-04T00:00:00Z', ...HOURLY, attendees: [owner.email] };
      const count = async (body: object) =>
        data(await app.post('/v1/freebusy/find', body, { key: owner.key })).slots.length;
      assert.equal(await count(asked), 45);
      assert.equal(await count({ ...asked, ignore_event_id: id }), 48);
    });

    test('an event of somebody else cannot be ignored, whoever is listed (CAL-69)', async () => {
      const [owner, guest] = [await makePerson(app), await makePerson(app)];
      const { id } = await makeEvent(app, owner, { attendees: [guest.email] });
      for (const ignore_event_id of [id, 'evt_x', id.toUpperCase()]) {
        const { status, json } = await ask({ attendees: [guest.email], ignore_event_id }, guest.key);
        assert.deepEqual([status, json.error.code, json.error.details.resource], [404, 'not_found', 'event']);
      }
    });
  });

  describe('refusals', () => {
    const refused: [what: string, body: Record<string, unknown>, pointer: string][] = [
      ['other hours than each', { working_hours: 'all' }, '/working_hours'],
      ['hours that are a number', { working_hours: 5 }, '/working_hours'],
      ['no hours', { working_hours: [] }, '/working_hours'],
      ['strictness that is a text', { strict: 'yes' }, '/strict'],
      ['an event without an id', { ignore_event_id: '' }, '/ignore_event_id'],
      ['several events', { ignore_event_id: ['evt_1'] }, '/ignore_event_id'],
    ];
    for (const [what, body, pointer] of refused) {
      test(`finding a time refuses ${what} (CAL-48)`, async () => {
        const { status, json } = await ask(body);
        assert.equal(status, 400);
        assert.equal(json.error.details.errors[0].pointer, pointer);
      });
    }
  });
});
