import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { type Answer, startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { askFreeBusy, type Busy, instancesOf, makePerson, makeRoom, type Person } from './calendar-world.ts';

const WEEKS = 104;
const FIRST_MONDAY = Temporal.PlainDate.from('2026-03-02');
const HOURS_OF_A_DAY = Array.from({ length: 10 }, (_, i) => 8 + i);
const WORKDAYS = [0, 1, 2, 3, 4];
const [SATURDAY, SUNDAY] = [5, 6];
/** Both years of all series, in windows that may be asked for. */
const WINDOWS = ['2026-03-01', '2027-03-01', '2028-03-01', '2029-03-01'].map((day) => `${day}T00:00:00Z`);

/** A meeting that somebody wants, each week or once. */
interface Wish {
  zone: string;
  start: Temporal.PlainDateTime;
  minutes: number;
  times: number;
}

/** In milliseconds. */
type Span = readonly [start: number, end: number];

interface Slot {
  zone?: string;
  week?: number;
  minute?: number;
  minutes?: number;
  times?: number;
}

function wish(day: number, hour: number, slot: Slot = {}): Wish {
  const { zone = 'Europe/Berlin', week = 0, minute = 0, minutes = 60, times = WEEKS } = slot;
  const start = FIRST_MONDAY.add({ weeks: week, days: day }).toPlainDateTime({ hour, minute });
  return { zone, start, minutes, times };
}

/** The same hour, said four ways. */
function sameHour(day: number, hour: number): Wish[] {
  return [
    wish(day, hour),
    wish(day, hour, { zone: 'Europe/Paris' }),
    wish(day, hour, { minute: 30 }),
    wish(day, hour - 6, { zone: 'America/New_York' }),
  ];
}

/** Two that touch in most weeks, and clash in those in which only one of the two zones has turned its clocks. */
function clashingByClocks(day: number, hour: number): Wish[] {
  return [wish(day, hour), wish(day, hour - 5, { zone: 'America/New_York' })];
}

/** A series, and the last quarter of an hour of its last instance. */
function clashingAtTheEnd(day: number, hour: number): Wish[] {
  return [wish(day, hour), wish(day, hour, { week: WEEKS - 1, minute: 45, minutes: 15, times: 1 })];
}

/** Each kind of wish comes first in some pairs: whoever asks later has to find it. */
function eitherFirst(pairs: Wish[][]): Wish[] {
  return pairs.flatMap((pair, i) => (i % 2 ? pair.toReversed() : pair));
}

const WISHES = [
  ...WORKDAYS.flatMap((day) => [8, 10].flatMap((hour) => sameHour(day, hour))),
  ...eitherFirst(WORKDAYS.flatMap((day) => [13, 16, 19].map((hour) => clashingByClocks(day, hour)))),
  ...eitherFirst(HOURS_OF_A_DAY.map((hour) => clashingAtTheEnd(SATURDAY, hour))),
  ...HOURS_OF_A_DAY.map((hour) => wish(SUNDAY, hour)),
];

/** What the clocks of the zone say, worked out without the product. */
function spansOf({ zone, start, minutes, times }: Wish): Span[] {
  return Array.from({ length: times }, (_, weeks) => {
    const begin = start.add({ weeks }).toZonedDateTime(zone);
    return [begin.epochMilliseconds, begin.add({ minutes }).epochMilliseconds];
  });
}

const SPANS = WISHES.map(spansOf);

function clash(one: readonly Span[], other: readonly Span[]): boolean {
  return one.some(([start, end]) => other.some(([from, to]) => start < to && from < end));
}

forEachEngine((engine) => {
  describe('a hundred series wanted at once', () => {
    let app: TestApp;
    let room: string;
    let people: Person[];
    let answers: Answer[];

    before(async () => {
      app = await startApp(engine);
      room = await makeRoom(app);
      people = await Promise.all(Array.from({ length: 10 }, () => makePerson(app)));
      answers = await Promise.all(WISHES.map((wanted, i) => book(wanted, people[i % people.length])));
    });
    after(() => app.stop());

    function book({ zone, start, minutes, times }: Wish, person: Person | undefined): Promise<Answer> {
      const body = {
        starts_at: start.toString({ smallestUnit: 'second' }),
        ends_at: start.add({ minutes }).toString({ smallestUnit: 'second' }),
        time_zone: zone,
        recurrence: times > 1 ? [`RRULE:FREQ=WEEKLY;COUNT=${times}`] : [],
        resources: [room],
      };
      return app.post(`/v1/calendars/${person?.calendar}/events`, body, { key: person?.key });
    }

    const spansWhere = (status: number) => SPANS.filter((_, i) => answers[i]?.status === status);

    test('each is booked, or refused because the room is taken', () => {
      assert.equal(WISHES.length, 100);
      for (const { status, text, json } of answers)
        assert.ok(status === 201 || (status === 409 && json.error.code === 'resource_busy'), text);
    });

    test('no two series that are booked clash, and each that is refused clashes with one of them (CAL-20, CAL-21)', () => {
      const [booked, refused] = [spansWhere(201), spansWhere(409)];
      for (const [i, one] of booked.entries())
        for (const other of booked.slice(i + 1)) assert.ok(!clash(one, other));
      for (const one of refused) assert.ok(booked.some((other) => clash(one, other)));
    });

    test('what clashes with nothing is booked, of each pair one, of each hour one at least', () => {
      const booked = answers.map(({ status }) => Number(status === 201));
      const sumsOf = (from: number, to: number, size: number) =>
        Array.from({ length: (to - from) / size }, (_, i) =>
          booked.slice(from + i * size, from + (i + 1) * size).reduce((sum, one) => sum + one, 0),
        );
      assert.ok(sumsOf(0, 40, 4).every((sum) => sum >= 1));
      assert.deepEqual(new Set(sumsOf(40, 90, 2)), new Set([1]));
      assert.deepEqual(new Set(sumsOf(90, 100, 1)), new Set([1]));
    });

    test('for two years the room is busy when they are, and never twice', async () => {
      const instances = spansWhere(201)
        .flat()
        .toSorted(([one], [other]) => one - other);
      const busy: Busy = [];
      for (const [i, start] of WINDOWS.slice(0, -1).entries()) {
        const asked = { resources: [room], start, end: WINDOWS[i + 1] };
        busy.push(...(await askFreeBusy(app, asked)).resources[0].busy);
      }
      assert.deepEqual(
        busy.map(({ starts_at, ends_at }) => [Date.parse(starts_at), Date.parse(ends_at)]),
        joined(instances),
      );
    });
  });

  describe('a room that is taken each hour, by series of a minute', () => {
    let app: TestApp;
    let person: Person;
    let room: string;

    before(async () => {
      app = await startApp(engine);
      room = await makeRoom(app);
      person = await makePerson(app);
    });
    after(() => app.stop());

    /** Answers the first minute that is refused. */
    async function takeMinutes(): Promise<{ minute: number; refused: Answer }> {
      for (let minute = 0; minute < 60; minute++) {
        const answer = await take(minute);
        if (answer.status !== 201) return { minute, refused: answer };
      }
      throw new Error('All series were booked.');
    }

    const take = (minute: number) =>
      app.post(`/v1/calendars/${person.calendar}/events`, minuteOf(minute), { key: person.key });
    const minuteOf = (minute: number, recurrence = ['RRULE:FREQ=HOURLY'], resources = [room]) => {
      const starts = Temporal.Instant.from('2026-03-02T09:00:00Z').add({ minutes: minute });
      const ends = starts.add({ seconds: 30 });
      return { starts_at: String(starts), ends_at: String(ends), recurrence, resources };
    };

    test('is booked until to compare them takes long; then what recurs as often is refused', async () => {
      const { minute, refused } = await takeMinutes();
      assert.ok(minute > 4, `refused after ${minute}`);
      assert.deepEqual([refused.status, refused.json.error.code], [400, 'validation_failed']);
      assert.partialDeepStrictEqual(refused.json.error.details, { errors: [{ code: 'too_large' }] });
      const key = person.key;
      const path = `/v1/calendars/${person.calendar}/events`;
      const hour = '?start=2026-03-02T09:00:00Z&end=2026-03-02T10:00:00Z&limit=100';
      assert.equal(data(await app.get(path + hour, { key })).length, minute);
      assert.equal((await app.post(path, minuteOf(minute, ['RRULE:FREQ=WEEKLY']), { key })).status, 201);
    });

    test('is compared once with an event that takes other rooms as well', async () => {
      const rooms: string[] = [];
      for (let i = 0; i < 20; i++) rooms.push(await makeRoom(app));
      const path = `/v1/calendars/${person.calendar}/events`;
      for (const minute of [0, 1]) {
        const event = minuteOf(minute, ['RRULE:FREQ=HOURLY'], rooms);
        data(await app.post(path, event, { key: person.key }), 201);
      }
      const [first = ''] = rooms;
      const clashing = minuteOf(0, ['RRULE:FREQ=WEEKLY'], [first]);
      const { status, json } = await app.post(path, clashing, { key: person.key });
      assert.deepEqual([status, json.error.details.resource_id], [409, first]);
    });

    test('is not compared for long by an import, or by a change of the time zone', async () => {
      const other = await makePerson(app);
      const { key } = other;
      const path = `/v1/calendars/${other.calendar}`;
      const own = await makeRoom(app);
      const importSeries = (lasting: string) => {
        const series = Array.from(
          { length: 9 },
          (_, minute) =>
            `BEGIN:VEVENT\nUID:${minute}\nDTSTART:20260302T090${minute}00\nDURATION:${lasting}\nRRULE:FREQ=HOURLY\nEND:VEVENT\n`,
        );
        const file = `BEGIN:VCALENDAR\n${series.join('')}END:VCALENDAR\n`;
        return app.post(`${path}/import`, file, { key, headers: { 'content-type': 'text/calendar' } });
      };
      data(await importSeries('PT30S'));
      const hour = { start: '2026-03-02T09:00:00Z', end: '2026-03-02T10:00:00Z' };
      for (const { id } of await instancesOf(app, other, hour))
        data(await app.put(`${path}/events/${id}`, { resources: [own] }, { key }));
      const listed = await instancesOf(app, other, hour);
      const changes = [
        await importSeries('PT20S'),
        await app.put(path, { time_zone: 'Asia/Kolkata' }, { key }),
      ];
      for (const { status, json } of changes) {
        assert.equal(status, 400);
        assert.partialDeepStrictEqual(json.error.details, { errors: [{ code: 'too_large' }] });
      }
      assert.equal(listed.length, 9);
      assert.deepEqual(await instancesOf(app, other, hour), listed);
    });
  });
});

/** Spans in order, none of which overlap, as free/busy shows them: those that touch are one. */
function joined(spans: readonly Span[]): number[][] {
  const all: number[][] = [];
  for (const [start, end] of spans) {
    const last = all.at(-1);
    if (last) assert.ok(start >= (last[1] ?? Number.NaN), 'Two instances overlap');
    if (last?.[1] === start) last[1] = end;
    else all.push([start, end]);
  }
  return all;
}
