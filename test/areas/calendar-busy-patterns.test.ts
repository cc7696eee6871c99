import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type BusyPattern, busyPatterns } from '../../src/areas/calendar/availability/busy-patterns.ts';
import {
  type EventDefinition,
  isBlocking,
  type Meeting,
  type Series,
} from '../../src/areas/calendar/events/definition.ts';
import {
  clipIntervals,
  type Interval,
  mergeIntervals,
} from '../../src/areas/calendar/recurrence/intervals.ts';
import { occurrences } from '../../src/areas/calendar/recurrence/occurrences.ts';
import { PatternTimes } from '../../src/areas/calendar/recurrence/pattern-times.ts';
import { TimesWithin } from '../../src/areas/calendar/recurrence/times-within.ts';
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
    const excludingRules: Series['rules'] = [];
    return {
      series: { ...one, rules, included: [], excluded, excludingRules, status },
      overrides: differing,
    };
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
  return [...times.takeUnion()];
}

function expected(event: EventDefinition, asked: Interval): Interval[] {
  const blocking = occurrences(event, ZONE, asked).filter(({ meeting }) => isBlocking(meeting));
  return clipIntervals(mergeIntervals([...blocking]), asked);
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
