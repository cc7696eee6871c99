import assert from 'node:assert/strict';
import fc from 'fast-check';
import type {
  EventDefinition,
  Meeting,
  Override,
  Series,
} from '../../src/areas/calendar/events/definition.ts';
import { readEvent } from '../../src/areas/calendar/events/event-fields.ts';
import type { Interval } from '../../src/areas/calendar/recurrence/intervals.ts';
import { occurrences } from '../../src/areas/calendar/recurrence/occurrences.ts';
import { DAY_SECONDS } from '../../src/formats/recurrence/civil.ts';

const DAY = DAY_SECONDS * 1000;
const FROM = Date.UTC(2024, 0, 1);
/** All that these definitions name, but for what never ends. */
export const ALL = { start: FROM - 400 * DAY, end: FROM + 1_200 * DAY };

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo'];
const RULES = [
  'FREQ=DAILY;COUNT=9',
  'FREQ=DAILY;INTERVAL=3',
  'FREQ=WEEKLY;BYDAY=MO,SU;COUNT=30',
  'FREQ=WEEKLY;INTERVAL=2;UNTIL=20250101T000000Z',
  'FREQ=MONTHLY;BYDAY=-1FR',
  'FREQ=MONTHLY;BYMONTHDAY=31;COUNT=5',
  'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;BYHOUR=2;BYMINUTE=30',
];
const EXCLUDING = [
  'FREQ=DAILY;INTERVAL=2;COUNT=9',
  'FREQ=WEEKLY;BYDAY=SU',
  'FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20240801T000000Z',
];

const moment = fc.integer({ min: FROM / 1000, max: FROM / 1000 + 400 * DAY_SECONDS });
const quarter = moment.map((seconds) => Math.floor(seconds / 900) * 900);
const length = fc.integer({ min: 1, max: 200 }).map((quarters) => quarters * 900);

/** A series, in the zone of its calendar (Europe/Berlin) or one of its own. */
export const series: fc.Arbitrary<Series> = fc
  .record({
    start: quarter,
    seconds: length,
    zone: fc.option(fc.constantFrom(...ZONES), { nil: undefined }),
    rules: fc.array(fc.constantFrom(...RULES), { maxLength: 2 }),
    dates: fc.array(quarter, { maxLength: 3 }),
    excluding: fc.array(fc.constantFrom(...EXCLUDING), { maxLength: 1 }),
  })
  .map(({ start, seconds, zone, rules, dates, excluding }) => {
    const lines = [
      ...rules.map((rule) => `RRULE:${rule}`),
      ...dates.map((date) => `RDATE:${basic(date)}`),
      ...excluding.map((rule) => `EXRULE:${rule}`),
    ];
    const times = { starts_at: iso(start), ends_at: iso(start + seconds) };
    const read = readEvent(
      { ...times, ...(zone && { time_zone: zone }), recurrence: lines },
      'Europe/Berlin',
    );
    assert.deepEqual(read.problems, []);
    assert.ok(read.series);
    return read.series;
  });

function overrideOf(
  meeting: Meeting,
  of: number,
  start: number,
  seconds: number,
  andFuture: boolean,
): Override {
  return { ...meeting, zone: 'UTC', start, days: 0, seconds, of: { kind: 'utc', seconds: of }, andFuture };
}

/** A series of which some instances differ. */
export const definition: fc.Arbitrary<EventDefinition> = fc
  .tuple(
    series,
    fc.array(fc.tuple(fc.nat(20), fc.integer({ min: -20, max: 20 }), length, fc.boolean()), { maxLength: 3 }),
  )
  .map(([one, changes]) => {
    const starts = [...occurrences({ series: one, overrides: [] }, 'Europe/Berlin', ALL)]
      .map(({ start }) => start / 1000)
      .sort((a, b) => a - b);
    const overrides = changes.flatMap(([nth, shift, seconds, andFuture]) => {
      const of = starts[nth];
      return of === undefined ? [] : [overrideOf(one, of, of + shift * 5_400, seconds, andFuture)];
    });
    return { series: one, overrides };
  });

/** Some hours or days. */
export const window: fc.Arbitrary<Interval> = fc
  .tuple(fc.integer({ min: -30, max: 700 }), fc.integer({ min: 1, max: 60 * 24 }))
  .map(([day, hours]) => ({ start: FROM + day * DAY, end: FROM + day * DAY + hours * 3_600_000 }));

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function basic(seconds: number): string {
  return `${iso(seconds).slice(0, 19).replace(/[-:]/g, '')}Z`;
}
