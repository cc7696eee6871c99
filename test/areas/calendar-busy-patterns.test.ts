import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type BusyPattern, busyPatterns } from '../../src/areas/calendar/busy-patterns.ts';
import { type EventDefinition, isBlocking, type Meeting } from '../../src/areas/calendar/definition.ts';
import { clipped, type Interval, merged } from '../../src/areas/calendar/intervals.ts';
import { occurrences } from '../../src/areas/calendar/occurrences.ts';
import { PatternTimes } from '../../src/areas/calendar/pattern-times.ts';
import { TimesWithin } from '../../src/areas/calendar/times-within.ts';
import type { Moment } from '../../src/formats/icalendar/values.ts';
import { DAY_SECONDS } from '../../src/formats/recurrence/civil.ts';
import { definition, series, window } from './calendar-definitions.ts';

const ZONE = 'Europe/Berlin';

/** Definitions of which most are patterns: no dates, no changes that hold on, some instances left out or cancelled. */
const plain: fc.Arbitrary<EventDefinition> = fc
  .tuple(
    definition,
    series,
    fc.array(fc.tuple(fc.nat(40), fc.constantFrom('date', 'local', 'utc')), { maxLength: 3 }),
  )
  .map(([{ overrides }, one, left]) => {
    const rules = one.rules.filter(({ text }) => !text.includes('BYHOUR'));
    const excluded = left.map(([day, kind]) => momentOf(kind, one.start + day * DAY_SECONDS));
    const differing = overrides.map((override, i): typeof override => ({
      ...override,
      andFuture: false,
      of: { kind: 'local', seconds: one.start + i * 7 * DAY_SECONDS },
      status: i === 1 ? 'cancelled' : 'confirmed',
    }));
    const status = left.length === 1 ? 'cancelled' : 'confirmed';
    return { series: { ...one, rules, included: [], excluded, status }, overrides: differing };
  });

function momentOf(kind: string, local: number): Moment {
  if (kind === 'date') return { kind, day: Math.floor(local / DAY_SECONDS) };
  return kind === 'utc' ? { kind, seconds: local } : { kind: 'local', seconds: local };
}

function patternsOf(
  event: EventDefinition,
  isKept: (meeting: Meeting) => boolean | undefined,
): BusyPattern[] {
  return JSON.parse(`[${busyPatterns('evt_1', event, ZONE, isKept)}]`);
}

function timesOf(patterns: readonly BusyPattern[], asked: Interval): Interval[] {
  const times = new TimesWithin(asked);
  const reading = new PatternTimes(asked);
  for (const pattern of patterns) {
    assert.ok(typeof pattern !== 'string', 'an event to be looked into');
    reading.addTo(times, pattern);
  }
  return times.takeUnion();
}

function expected(event: EventDefinition, asked: Interval): Interval[] {
  const blocking = occurrences(event, ZONE, asked).filter(({ meeting }) => isBlocking(meeting));
  return clipped(merged([...blocking]), asked);
}

describe('the pattern of an event', () => {
  it('keeps busy when the event does', () => {
    fc.assert(
      fc.property(plain, window, (event, asked) => {
        const patterns = patternsOf(event, isBlocking);
        fc.pre(!patterns.includes('evt_1'));
        assert.deepEqual(timesOf(patterns, asked), expected(event, asked));
      }),
      { numRuns: 1_000 },
    );
  });

  it('of whatever event is either right or says to look into it', () => {
    fc.assert(
      fc.property(definition, window, (event, asked) => {
        const patterns = patternsOf(event, isBlocking);
        if (patterns.includes('evt_1')) assert.deepEqual(patterns, ['evt_1']);
        else assert.deepEqual(timesOf(patterns, asked), expected(event, asked));
      }),
      { numRuns: 500 },
    );
  });

  it('says to look into what hangs on more than the event, or would be long', () => {
    const [event] = fc.sample(plain, { numRuns: 1, seed: 7 });
    assert.ok(event?.series);
    const { series: one } = event;
    const excluded = Array.from({ length: 100 }, (_, day): Moment => ({ kind: 'date', day: 20_000 + day }));
    assert.deepEqual(
      patternsOf(event, () => undefined),
      ['evt_1'],
    );
    assert.deepEqual(patternsOf({ series: { ...one, excluded }, overrides: [] }, isBlocking), ['evt_1']);
  });
});
<<<<<<< HEAD
=======

function manyOf<T>(one: fc.Arbitrary<T>, most: number): fc.Arbitrary<T[]> {
  return fc.array(one, { maxLength: most, size: 'max' });
}

describe('times within a window', () => {
  it('become their union', () => {
    const asked = { start: 86_400_000, end: 366 * 86_400_000 };
    const ofSeconds = fc.tuple(fc.integer({ min: -1e6, max: 4e7 }), fc.integer({ min: 0, max: 5e6 }));
    const ofMinutes = fc
      .tuple(fc.integer({ min: -20_000, max: 600_000 }), fc.integer({ min: 0, max: 3_000 }))
      .map(([start, length]): [number, number] => [start * 60, length * 60]);
    fc.assert(
      fc.property(manyOf(ofMinutes, 600), manyOf(ofSeconds, 3), (minutes, seconds) => {
        const all = [...minutes, ...seconds];
        const times = new TimesWithin(asked);
        for (const [start, length] of all) times.add(start, start + length);
        const intervals = all.map(([start, length]) => ({
          start: start * 1000,
          end: (start + length) * 1000,
        }));
        assert.deepEqual(times.takeUnion(), merged(clipped(intervals, asked)));
        assert.deepEqual(times.takeUnion(), []);
      }),
    );
  });

  it('become their union where they are many, begin between minutes and overlap', () => {
    const asked = { start: 0, end: 366 * 86_400_000 };
    const times = new TimesWithin(asked);
    const all = Array.from({ length: 300_000 }, (_, i) => {
      const start = ((i * 7_919) % 90_000) * 300 + 1;
      return { start, end: start + 1 + (i % 400) };
    });
    for (const { start, end } of all) times.add(start, end);
    const expected = merged(all).map(({ start, end }) => ({ start: start * 1000, end: end * 1000 }));
    assert.deepEqual(times.takeUnion(), expected);
  });
});
>>>>>>> calmends
