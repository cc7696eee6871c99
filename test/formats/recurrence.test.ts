import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_SECONDS, dateOf, dayOf, weekdayOf, weekNumbersOf } from '../../src/formats/recurrence/civil.ts';
import { instances } from '../../src/formats/recurrence/expansion.ts';
import { dayRuleOf, namedDays } from '../../src/formats/recurrence/named-days.ts';
import { dateOnlyRule, InvalidRule } from '../../src/formats/recurrence/rule.ts';
import { lastInstance, parseRule } from '../../src/formats/recurrence/rule-text.ts';

const CORPUS = join(import.meta.dirname, '..', '..', '..', 'shared', 'corpus', 'recurrence');
const skip = existsSync(CORPUS) ? false : 'the collection of recurrence vectors is not on this machine';

interface Vector {
  source: string;
  id: string;
  rrule?: string;
  dtstart?: string;
  instances?: string[];
  'start-at'?: string;
  error?: string;
  'dateutil_2.8.2_agrees': boolean | null;
}

/**
 * Rows on which the sources do not agree with each other, and what decides. A year in which BYWEEKNO counts is a
 * calendar year, as INTERVAL is counted from the start's; without BYDAY a week has all its days. Both follow the rows
 * that do agree; those below take a week-year, and of a week the start's weekday.
 */
const WEEKS_READ_OTHERWISE = [
  'icalnet:RecurrenceTestCases#4',
  'icalnet:RecurrenceTestCases#6',
  'icalnet:RecurrenceTestCases#84',
  ...[55, 102, 103, 104, 107, 130, 142, 144, 146].map((n) => `libical:icalrecur_test#${n}`),
];

const LEFT_OUT: Record<string, string> = {
  ...Object.fromEntries(WEEKS_READ_OTHERWISE.map((id) => [id, 'reads weeks otherwise'])),
  'icalnet:RecurrenceTestCases#44':
    'takes BYMONTHDAY in the month of the start only; RFC 5545 lets it expand',
  'icalnet:RecurrenceTestCases#78': 'passes over BYDAY=0MO, which is no weekday of RFC 5545',
};

function vectors(): Vector[] {
  if (skip) return [];
  return ['dateutil', 'icalnet', 'libical', 'php-rrule'].flatMap((source) =>
    JSON.parse(readFileSync(join(CORPUS, `vectors_${source}.dev.json`), 'utf8')),
  );
}

/** The local time of RFC 5545's basic format. */
function localOf(text: string): number {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] =
    text
      .replace(/^.*:/, '')
      .match(/^\d{4}|\d\d/g)
      ?.map(Number) ?? [];
  return dayOf(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second;
}

function textOf(local: number): string {
  return new Date(local * 1000).toISOString().slice(0, 19);
}

/** As many instances as are asked for, and one more where the rule names it. */
function expand(rrule: string, dtstart: string, most: number): string[] {
  const start = localOf(dtstart);
  const isDate = !dtstart.includes('T');
  const rule = isDate ? dateOnlyRule(parseRule(rrule)) : parseRule(rrule);
  const last = lastInstance(rule, start, (utc) => utc) ?? Number.POSITIVE_INFINITY;
  return instances(rule, start, start, last + 1)
    .take(most + (last === Number.POSITIVE_INFINITY ? 0 : 1))
    .map(textOf)
    .toArray();
}

describe('recurrence vectors', { skip }, () => {
  for (const { id, rrule, dtstart, instances: wanted, ...rest } of vectors()) {
    if (!rrule || !dtstart || !wanted || rest['start-at'] || rest.error || /RSCALE/.test(rrule)) continue;
    it(`a rule recurs as RFC 5545 says: ${id} ${rrule} (CAL-15)`, { skip: LEFT_OUT[id] ?? false }, () => {
      assert.deepEqual(expand(rrule, dtstart, wanted.length), wanted.map(localOf).map(textOf));
    });
  }
});

describe('days', () => {
  it('are those of Date, both ways', () => {
    fc.assert(
      fc.property(fc.integer({ min: -700_000, max: 2_900_000 }), (day) => {
        const date = new Date(day * DAY_SECONDS * 1000);
        const [year, month, dayOfMonth] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
        assert.deepEqual(dateOf(day), { year, month, day: dayOfMonth });
        assert.equal(dayOf(year, month, dayOfMonth), day);
        assert.equal(weekdayOf(day), (date.getUTCDay() + 6) % 7);
      }),
    );
  });

  it('are in the weeks of ISO 8601', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 100_000 }), (day) => {
        const { year, month, day: date } = dateOf(day);
        assert.equal(weekNumbersOf(day, 0)[0], new Temporal.PlainDate(year, month, date).weekOfYear);
      }),
    );
  });
});

const rule = fc
  .record({
    freq: fc.constantFrom('HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    interval: fc.integer({ min: 1, max: 5 }),
    byday: fc.constantFrom('', ';BYDAY=MO,WE,SU', ';BYDAY=TU'),
    bymonth: fc.constantFrom('', ';BYMONTH=1,6,12'),
    bymonthday: fc.constantFrom('', ';BYMONTHDAY=1,15,-1'),
    byhour: fc.constantFrom('', ';BYHOUR=9,17'),
    bysetpos: fc.constantFrom('', ';BYSETPOS=1', ';BYSETPOS=-1,2'),
  })
  .map(
    ({ freq, interval, byday, bymonth, bymonthday, byhour, bysetpos }) =>
      `FREQ=${freq};INTERVAL=${interval}${byday}${bymonth}${bymonthday}${byhour}${bysetpos}`,
  );

describe('a rule', () => {
  it('names the same within a window, however far from its start the window is', () => {
    const time = fc.integer({ min: -200_000_000, max: 200_000_000 });
    fc.assert(
      fc.property(rule, time, fc.integer({ min: 0, max: 100_000_000 }), (text, start, distance) => {
        const parsed = parseRule(text);
        const [from, to] = [start + distance, start + distance + 40 * DAY_SECONDS];
        const all = instances(parsed, start, start, to).filter((at) => at >= from);
        assert.deepEqual([...instances(parsed, start, from, to)], [...all]);
      }),
      { numRuns: 300 },
    );
  });

  it('names the days that all series have that recur on the same', () => {
    const time = fc.integer({ min: -200_000_000, max: 200_000_000 });
    fc.assert(
      fc.property(rule, time, fc.integer({ min: -50, max: 1_000 }), (text, start, distance) => {
        const startDay = Math.floor(start / DAY_SECONDS);
        const days = dayRuleOf(text, startDay);
        const isOfDays = !/BYHOUR|HOURLY|MINUTELY|SECONDLY/.test(text);
        assert.equal(days !== undefined, isOfDays);
        if (!days) return;
        const [from, to] = [startDay + distance, startDay + distance + 40];
        const named = [...instances(parseRule(text), start, from * DAY_SECONDS, to * DAY_SECONDS)];
        assert.deepEqual(
          namedDays(days, from, to).filter((day) => day >= startDay),
          named.map((local) => Math.floor(local / DAY_SECONDS)),
        );
        assert.ok(Number.parseInt(days, 10) < parseRule(text).interval);
      }),
      { numRuns: 1_000 },
    );
  });

  const bounded: [rrule: string, most: number][] = [
    ['FREQ=SECONDLY', 1_000],
    ['FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', 0],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 0],
    ['FREQ=MINUTELY;BYSETPOS=2', 0],
    ['FREQ=SECONDLY;INTERVAL=7200;BYHOUR=1', 0],
  ];
  for (const [rrule, most] of bounded) {
    it(`that is ${rrule} ends`, () => {
      const found = instances(parseRule(rrule), 0, 0, Number.POSITIVE_INFINITY).take(most + 1);
      assert.equal([...found].length > 0, most > 0);
    });
  }

  const refused = [
    '',
    'FREQ=NEVER',
    'INTERVAL=1',
    'FREQ=DAILY;FREQ=DAILY',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=DAILY;COUNT=-1',
    'FREQ=DAILY;COUNT=1;UNTIL=20300101',
    'FREQ=DAILY;UNTIL=soon',
    'FREQ=DAILY;UNTIL=20301301',
    'FREQ=DAILY;BYDAY=XX',
    'FREQ=MONTHLY;BYDAY=54MO',
    'FREQ=DAILY;BYHOUR=24',
    'FREQ=DAILY;BYHOUR=-1',
    'FREQ=MONTHLY;BYMONTHDAY=0',
    'FREQ=MONTHLY;BYMONTHDAY=32',
    'FREQ=YEARLY;BYMONTH=13',
    'FREQ=DAILY;WKST=XX',
    'FREQ=DAILY;SURPRISE=1',
    'FREQ=DAILY;RSCALE=HEBREW',
    'FREQ=DAILY;SKIP=FORWARD',
    'FREQ',
  ];
  for (const text of refused) {
    it(`is not "${text}"`, () => {
      assert.throws(() => parseRule(text), InvalidRule);
    });
  }

  it('may be written in lower case, with spaces around and parts of its own', () => {
    assert.deepEqual(parseRule(' freq=daily;X-OWN=1;byhour=9 '), parseRule('FREQ=DAILY;BYHOUR=9'));
  });

  it('of dates has no times', () => {
    assert.deepEqual(expand('FREQ=DAILY;BYHOUR=9,10;COUNT=2', '20260101', 2), [
      '2026-01-01T00:00:00',
      '2026-01-02T00:00:00',
    ]);
    assert.throws(() => dateOnlyRule(parseRule('FREQ=HOURLY')), InvalidRule);
  });

  it('that counts too far is refused', () => {
    assert.throws(() => lastInstance(parseRule('FREQ=DAILY;COUNT=100001'), 0, (utc) => utc), InvalidRule);
  });
});
