/** Calendars and questions about them that were made to cost more than their size. */
import assert from 'node:assert/strict';
import { type Answer, type Doors, type HostileInput, idOf } from './hostile-input.ts';
import { ALL_ORDINALS, calendar, event, events, NEVER, repeated, zone } from './icalendar.ts';
import { testTurns } from './test-turns.ts';

const HOUR = { starts_at: '2026-03-04T09:00:00Z', ends_at: '2026-03-04T10:00:00Z' };
const YEAR = { start: '2026-01-01T00:00:00Z', end: '2027-01-01T00:00:00Z' };

/** An event of a calendar of its own with these lines of recurrence, looked at in each way, and removed again. */
const recurring = (name: string, recurrence: string[]): HostileInput => ({
  name: `${name}, by the API`,
  send: async (doors) => {
    const path = `/v1/calendars/${doors.calendarId}/events`;
    const made = await doors.request('POST', path, { body: { ...HOUR, recurrence } });
    await lookAtCalendar(doors);
    await removed(doors, path, made);
  },
});

async function lookAtCalendar({ request, address, calendarId }: Doors, year = YEAR): Promise<void> {
  const person = { attendees: [address] };
  const asked = await request('POST', '/v1/freebusy', { body: { ...year, ...person } });
  assert.ok([200, 400].includes(asked.status), `answered ${asked.status}`);
  await request('POST', '/v1/freebusy/find', {
    body: { ...year, ...person, interval_minutes: 1, duration_minutes: 527_040, max_results: 50 },
  });
  const window = `start=${year.start}&end=${year.end}`;
  const listed = await request('GET', `/v1/calendars/${calendarId}/events?${window}&limit=1`);
  assert.ok([200, 400].includes(listed.status), `answered ${listed.status}`);
}

/** Events of one rule each, in a calendar of their own, looked at in each way and removed again. */
const manyEvents = (count: number, rule: string): HostileInput => ({
  name: `${count} events of ${rule}, looked at`,
  send: async (doors) => {
    const made = await doors.request('POST', '/v1/calendars', { body: { name: 'Often' } });
    const calendarId = idOf(made);
    const path = `/v1/calendars/${calendarId}`;
    const send = (lines: (i: number) => string) =>
      doors.request('POST', `${path}/import`, { body: events(count, lines), mediaType: 'text/calendar' });
    assert.equal((await send(() => `DURATION:PT1M\r\nRRULE:${rule}`)).status, 200);
    await lookAtCalendar({ ...doors, calendarId });
    // No calendar can be removed; what is cancelled keeps nobody busy.
    assert.equal((await send(() => 'DURATION:PT1M\r\nSTATUS:CANCELLED')).status, 200);
  },
});

/** A file of a calendar of its own, which is taken, looked at in a year and cancelled again. */
const lookedAt = (
  name: string,
  make: () => string,
  { year = YEAR, cancelled = '' }: { year?: typeof YEAR; cancelled?: string } = {},
): HostileInput => ({
  name: `${name}, imported and looked at`,
  send: async (doors) => {
    const calendarId = idOf(await doors.request('POST', '/v1/calendars', { body: { name: 'Often' } }));
    const send = async (body: string) => {
      const path = `/v1/calendars/${calendarId}/import`;
      const taken = await doors.request('POST', path, { body, mediaType: 'text/calendar' });
      assert.ok([200, 413].includes(taken.status), `answered ${taken.status}`);
    };
    await send(make());
    await lookAtCalendar({ ...doors, calendarId }, year);
    if (cancelled !== '') await send(cancelled);
  },
});

const CANCELLED = calendar(event('STATUS:CANCELLED', 'SEQUENCE:9'));
const NINETIES = { start: '1990-01-01T00:00:00Z', end: '1991-01-01T00:00:00Z' };
const compact = (time: number) => new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, '');
const hourOf = (year: number, i: number) => compact(Date.UTC(year, 0, 1, i));
const addresses = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, i) => `ATTENDEE:mailto:${prefix}${i.toString(36)}@b.example`);

/** A clock that is set forth and back, each so many hours. */
const restlessZone = (hours: number) =>
  zone(
    [
      ['+0100', '+0200', 0],
      ['+0200', '+0100', 1],
    ].map(([from, to, first]) => {
      const onsets = Array.from({ length: 1_000 }, (_, i) => hourOf(1990, (2 * i + Number(first)) * hours));
      return [
        'BEGIN:STANDARD',
        `DTSTART:1900010${Number(first) + 1}T000000`,
        `TZOFFSETFROM:${from}`,
        `TZOFFSETTO:${to}`,
        `RDATE:${onsets.join(',')}`,
        'END:STANDARD',
      ].join('\r\n');
    }),
  );

/** Events of an hour each on a clock that the file defines. */
const inRestlessZone = (count: number, hours: number, lines: (i: number) => string[]) =>
  calendar(
    restlessZone(hours),
    ...Array.from({ length: count }, (_, i) =>
      ['BEGIN:VEVENT', ...lines(i), `DTSTART;TZID=Nowhere:${hourOf(1990, i)}`, 'END:VEVENT'].join('\r\n'),
    ),
  );
const instancesOfOne = (duration: string) => (i: number) => [
  'UID:restless',
  `RECURRENCE-ID:${hourOf(1990, i)}`,
  `DURATION:${duration}`,
];

const ZONES = Intl.supportedValuesOf('timeZone');
/** Dates that are left out, each in another year of another zone. */
const datesInZones = (first: number, count: number) =>
  ZONES.slice(first, first + count).map((name) => {
    const years = Array.from({ length: 700 }, (_, i) => `${1_800 + i}0701T000000`);
    return `EXDATE;TZID=${name}:${years.join(',')}`;
  });

const LISTED_AND_LOOKED_AT: readonly HostileInput[] = [
  lookedAt(
    '5,000 instances of a century on a clock that is set each month',
    () => inRestlessZone(5_000, 480, instancesOfOne('P40000D')),
    { year: NINETIES },
  ),
  lookedAt(
    '5,000 instances of a day on a clock that is set each hour',
    () => inRestlessZone(5_000, 1, instancesOfOne('P1D')),
    { year: NINETIES },
  ),
  lookedAt(
    '5,000 events of a century on a clock that is set each month',
    () => inRestlessZone(5_000, 480, (i) => [`UID:restless-${i}`, 'DURATION:P40000D']),
    { year: NINETIES },
  ),
  lookedAt(
    '5,000 events of each year on a clock that is set each month',
    () => inRestlessZone(5_000, 480, (i) => [`UID:yearly-${i}`, 'RRULE:FREQ=YEARLY']),
    { year: NINETIES },
  ),
  lookedAt(
    'an event of each hour with 25,000 attendees',
    () => calendar(event('DURATION:PT1M', 'RRULE:FREQ=HOURLY', ...addresses(25_000))),
    { cancelled: CANCELLED },
  ),
  lookedAt(
    '3,000 instances that differ beside 20,000 attendees',
    () =>
      calendar(
        event('RRULE:FREQ=HOURLY', ...addresses(20_000)),
        ...Array.from({ length: 3_000 }, (_, i) => event(`RECURRENCE-ID:${hourOf(2026, i)}Z`)),
      ),
    { cancelled: CANCELLED },
  ),
  lookedAt(
    '1,500 instances that list others each',
    () =>
      calendar(
        event('RRULE:FREQ=HOURLY'),
        ...Array.from({ length: 1_500 }, (_, i) =>
          event(`RECURRENCE-ID:${hourOf(2026, i)}Z`, ...addresses(15, `${i}-`)),
        ),
      ),
    { cancelled: CANCELLED },
  ),
  lookedAt(
    '5,000 instances that change all after them',
    () =>
      calendar(
        event('DURATION:PT1M', 'RRULE:FREQ=HOURLY'),
        ...Array.from({ length: 5_000 }, (_, i) =>
          event(`RECURRENCE-ID;RANGE=THISANDFUTURE:${hourOf(2027, i)}Z`),
        ),
      ),
    { cancelled: CANCELLED },
  ),
  ...[0, 14, 28, 42].map((first) =>
    lookedAt(
      `an event without the dates of 14 zones from the ${first + 1}th on`,
      () => calendar(event('DURATION:PT1M', 'RRULE:FREQ=DAILY', ...datesInZones(first, 14))),
      { cancelled: CANCELLED },
    ),
  ),
];

/** So many times each hour, so many seconds apart and long. */
const oftenEachHour = (count: number, { apart, long }: { apart: number; long: number }, lines: string) =>
  calendar(
    ...Array.from({ length: count }, (_, i) =>
      [
        'BEGIN:VEVENT',
        `UID:often-${i}`,
        `DTSTART:${compact(Date.UTC(2026, 0, 1) + i * apart * 1000)}Z`,
        `DURATION:PT${long}S`,
        lines,
        'END:VEVENT',
      ].join('\r\n'),
    ),
  );
const eachOtherMinute = (lines: string) => oftenEachHour(30, { apart: 120, long: 60 }, lines);
const betweenMinutes = (count: number) => (lines: string) =>
  oftenEachHour(count, { apart: 3_600 / count, long: 1 }, lines);

const TOLD_OFTEN: readonly HostileInput[] = [
  ...Object.entries({
    'a calendar that is busy each other minute': eachOtherMinute,
    'a calendar that is busy for 50 seconds of each hour': betweenMinutes(50),
    'a calendar that is busy each fourth second': betweenMinutes(900),
  }).map(([name, make]) =>
    lookedAt(name, () => make('RRULE:FREQ=HOURLY'), { cancelled: make('STATUS:CANCELLED\r\nSEQUENCE:9') }),
  ),
  {
    name: 'twelve questions at once about each other minute of years',
    send: async ({ request, address, calendarId }) => {
      const path = `/v1/calendars/${calendarId}/import`;
      const take = async (lines: string) => {
        const body = eachOtherMinute(lines);
        assert.equal((await request('POST', path, { body, mediaType: 'text/calendar' })).status, 200);
      };
      await take('RRULE:FREQ=HOURLY\r\nSEQUENCE:1');
      const asked = await Promise.all(
        Array.from({ length: 12 }, (_, i) => {
          const body = {
            attendees: [address],
            start: `${2030 + i}-01-01T00:00:00Z`,
            end: `${2030 + i}-12-31T00:00:00Z`,
          };
          return request('POST', '/v1/freebusy', { body });
        }),
      );
      assert.deepEqual(new Set(asked.map(({ status }) => status)), new Set([200]));
      await take('STATUS:CANCELLED\r\nSEQUENCE:2');
    },
  },
];

async function removed({ request }: Doors, path: string, made: Answer): Promise<void> {
  if (made.status !== 201) return;
  assert.equal((await request('DELETE', `${path}/${idOf(made)}`)).status, 204);
}

const INPUTS: readonly HostileInput[] = [
  recurring('a rule that never matches', [`RRULE:${NEVER}`]),
  recurring('a rule that matches each second', ['RRULE:FREQ=SECONDLY']),
  recurring('a rule that matches each minute', ['RRULE:FREQ=MINUTELY']),
  recurring('a rule of all years', ['RRULE:FREQ=DAILY;UNTIL=99991231T235959Z']),
  recurring('a hundred rules', repeated('RRULE:FREQ=HOURLY', 100)),
  recurring(
    'a hundred lists of dates',
    repeated(`RDATE:${repeated('20260304T090000Z', 500).join(',')}`, 100),
  ),
  recurring('a rule that leaves nothing', ['RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31;BYSETPOS=-366']),
  recurring('days by each number', [`RRULE:FREQ=MONTHLY;BYDAY=${ALL_ORDINALS}`]),
  recurring('days of a year by each number', [`RRULE:FREQ=YEARLY;BYDAY=${ALL_ORDINALS};COUNT=100000`]),
  ...LISTED_AND_LOOKED_AT,
  ...TOLD_OFTEN,
  manyEvents(200, 'FREQ=HOURLY'),
  // More than twice as many as are worked out.
  manyEvents(800, 'FREQ=HOURLY'),
  manyEvents(600, 'FREQ=DAILY;BYHOUR=1,2,3,4'),
  {
    name: 'a time that suits nobody, by the minute',
    send: async ({ request, address }) => {
      const working_hours = Array.from({ length: 50 }, () => ({ days: [7], start: '23:58', end: '23:59' }));
      const body = {
        ...YEAR,
        attendees: [address],
        interval_minutes: 1,
        duration_minutes: 30,
        working_hours,
      };
      await request('POST', '/v1/freebusy/find', { body });
    },
  },
  {
    name: 'an interval of nothing',
    send: async ({ request, address }) => {
      const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, i]));
      for (const interval_minutes of [0, -1, 0.001, 1e-300]) {
        const body = { ...YEAR, attendees: [address], interval_minutes, ...unknown };
        assert.equal((await request('POST', '/v1/freebusy/find', { body })).status, 400);
      }
    },
  },
  {
    name: 'people whose addresses fold to eighteen times their length, imported again, answered and removed',
    send: async ({ request, address, calendarId }) => {
      const path = `/v1/calendars/${calendarId}`;
      const person = (i: number) => `${'\ufdfa'.repeat(240)}${i}@b.example`;
      const people = (first: number) => Array.from({ length: 199 }, (_, i) => person(first + i));
      const lines = (first: number) => people(first).map((email) => `ATTENDEE:mailto:${email}`);
      const body = calendar(
        event('RRULE:FREQ=HOURLY', ...lines(0), `ATTENDEE:mailto:${address}`),
        ...Array.from({ length: 50 }, (_, i) =>
          event(`RECURRENCE-ID:${hourOf(2026, i)}Z`, ...lines(200 * (i + 1))),
        ),
      );
      for (let times = 0; times < 3; times++) {
        const { status } = await request('POST', `${path}/import`, { body, mediaType: 'text/calendar' });
        assert.equal(status, 200);
      }
      const attendees = [address, ...people(0)];
      const made = await request('POST', `${path}/events`, { body: { ...HOUR, attendees } });
      const id = idOf(made);
      for (const response of ['accepted', 'declined']) {
        const answered = await request('POST', `/v1/events/${id}/response`, { body: { response } });
        assert.equal(answered.status, 200);
      }
      const removed = await request('DELETE', `${path}/events/${id}`);
      assert.equal(removed.status, 204);
    },
  },
  {
    name: '20,000 people whose time is asked for',
    send: async ({ request }) => {
      const attendees = Array.from({ length: 20_000 }, (_, i) => `a${i}@b.example`);
      await request('POST', '/v1/freebusy', { body: { ...YEAR, attendees } });
    },
  },
];

testTurns('calendar', INPUTS);
