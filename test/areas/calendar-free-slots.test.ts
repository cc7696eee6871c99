import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Agenda, Crowd } from '../../src/areas/calendar/availability/agendas.ts';
import {
  findSlots,
  type Participant,
  type SlotQuestion,
} from '../../src/areas/calendar/availability/free-slots.ts';
import {
  clipIntervals,
  type Interval,
  mergeIntervals,
  overlaps,
} from '../../src/areas/calendar/recurrence/intervals.ts';

const HORIZON = 60;

const span: fc.Arbitrary<Interval> = fc
  .tuple(fc.integer({ min: -10, max: HORIZON + 10 }), fc.integer({ min: 0, max: 15 }))
  .map(([start, length]) => ({ start, end: start + length }));
const spans = fc.array(span, { maxLength: 8 });

/** Whether a moment, the minute from `at` on, is within one of the intervals: the oracle walks all of them. */
function holds(intervals: readonly Interval[], at: number): boolean {
  return intervals.some(({ start, end }) => start <= at && at < end);
}

const MOMENTS = Array.from({ length: HORIZON + 60 }, (_, i) => i - 30);

describe('intervals', () => {
  it('merged hold the same moments, sorted, apart and not empty', () => {
    fc.assert(
      fc.property(spans, (some) => {
        const union = mergeIntervals(some);
        for (const at of MOMENTS) assert.equal(holds(union, at), holds(some, at));
        for (const [i, { start, end }] of union.entries()) {
          assert.ok(start < end);
          assert.ok(i === 0 || (union[i - 1]?.end ?? 0) < start);
        }
      }),
    );
  });

  it('clipped hold the moments of the window only', () => {
    fc.assert(
      fc.property(spans, span, (some, window) => {
        const within = clipIntervals(mergeIntervals(some), window);
        for (const at of MOMENTS) assert.equal(holds(within, at), holds(some, at) && holds([window], at));
        assert.ok(within.every(({ start, end }) => start < end));
      }),
    );
  });

  it('overlap a span when they share a moment with it', () => {
    fc.assert(
      fc.property(spans, span, (some, asked) => {
        const shared = MOMENTS.some((at) => holds(some, at) && holds([asked], at));
        assert.equal(overlaps(mergeIntervals(some), asked) && asked.start < asked.end, shared);
      }),
    );
  });
});

describe('an agenda', () => {
  it('holds the times of all, in whatever order they come', async () => {
    const late = { busy: [{ start: 50, end: 60 }] };
    const early = {
      busy: [
        { start: 10, end: 20 },
        { start: 30, end: 40 },
      ],
    };
    const agenda = await Agenda.ofAll([late, early]);
    const met = [0, 10, 20, 30, 40, 50, 60].filter((start) => agenda.meets({ start, end: start + 10 }));
    assert.deepEqual(met, [10, 30, 50]);
  });
});

describe('a crowd', () => {
  it('counts whom a meeting meets, to the millisecond', async () => {
    const meeting = { duration: 5, buffer: 1 };
    const crowd = await Crowd.of([{ busy: [{ start: 10, end: 20 }] }], meeting);
    assert.deepEqual(
      [3, 4, 5, 20, 21].map((start) => crowd.busyAt(start)),
      [0, 0, 1, 1, 0],
    );
  });
});

const people = (prefix: string): fc.Arbitrary<Participant[]> =>
  fc
    .array(spans, { maxLength: 3 })
    .map((all) => all.map((busy, i) => ({ name: `${prefix}${i}`, busy: mergeIntervals(busy) })));

const question: fc.Arbitrary<SlotQuestion> = fc.record({
  window: fc
    .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 40 }))
    .map(([start, length]) => ({ start, end: start + length })),
  duration: fc.integer({ min: 1, max: 12 }),
  step: fc.integer({ min: 1, max: 7 }),
  buffer: fc.integer({ min: 0, max: 4 }),
  workingTime: fc.option(spans.map(mergeIntervals), { nil: undefined }),
  required: people('required'),
  optional: people('optional'),
  resources: people('room'),
  anyOfResources: people('any'),
  maxResults: fc.integer({ min: 1, max: 5 }),
});

const MINUTE_MS = 60_000;

function inMilliseconds({ start, end }: Interval): Interval {
  return { start: start * MINUTE_MS, end: end * MINUTE_MS };
}

/** What is found to a question in minutes, in minutes. */
async function found(asked: SlotQuestion): ReturnType<typeof findSlots> {
  const { window, duration, step, buffer, workingTime, maxResults } = asked;
  const participants = (all: readonly Participant[]) =>
    all.map(({ name, busy }) => ({ name, busy: busy.map(inMilliseconds) }));
  const { slots, emptyReason } = await findSlots({
    window: inMilliseconds(window),
    duration: duration * MINUTE_MS,
    step: step * MINUTE_MS,
    buffer: buffer * MINUTE_MS,
    workingTime: workingTime?.map(inMilliseconds),
    required: participants(asked.required),
    optional: participants(asked.optional),
    resources: participants(asked.resources),
    anyOfResources: participants(asked.anyOfResources),
    maxResults,
  });
  const inMinutes = slots.map((slot) => ({
    ...slot,
    start: slot.start / MINUTE_MS,
    end: slot.end / MINUTE_MS,
  }));
  return { slots: inMinutes, emptyReason };
}

/** Whether someone is free, moment by moment, from the buffer before to the buffer after. */
function isFree({ busy }: Participant, start: number, { duration, buffer }: SlotQuestion): boolean {
  for (let at = start - buffer; at < start + duration + buffer; at++) if (holds(busy, at)) return false;
  return true;
}

function isInWorkingTime(start: number, { duration, workingTime }: SlotQuestion): boolean {
  if (!workingTime) return true;
  for (let at = start; at < start + duration; at++) if (!holds(workingTime, at)) return false;
  return true;
}

/** Every slot by looking at every moment of everybody. */
function bruteForce(asked: SlotQuestion) {
  const suiting = [];
  const { window, duration, step } = asked;
  for (let start = window.start; start + duration <= window.end; start += step) {
    const free = (someone: Participant) => isFree(someone, start, asked);
    const resource = asked.anyOfResources.find(free)?.name;
    if (!isInWorkingTime(start, asked) || !asked.required.every(free) || !asked.resources.every(free))
      continue;
    if (asked.anyOfResources.length > 0 && resource === undefined) continue;
    const coming = [...asked.required, ...asked.optional.filter(free)].map(({ name }) => name);
    const missing = asked.optional.filter((someone) => !free(someone)).map(({ name }) => name);
    suiting.push({ start, end: start + duration, available: coming, unavailable: missing, resource });
  }
  suiting.sort((a, b) => a.unavailable.length - b.unavailable.length || a.start - b.start);
  return suiting.slice(0, asked.maxResults);
}

describe('a time that works', () => {
  it('the slots are those that looking at every moment of everybody finds (CAL-52, CAL-54, CAL-55, CAL-56, CAL-58)', async () => {
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const { slots, emptyReason } = await found(asked);
        assert.deepEqual(slots, bruteForce(asked));
        assert.equal(emptyReason === null, slots.length > 0);
      }),
      { numRuns: 2_000 },
    );
  });

  const open: SlotQuestion = {
    window: { start: 0, end: 60 },
    duration: 30,
    step: 15,
    buffer: 0,
    workingTime: undefined,
    required: [],
    optional: [],
    resources: [],
    anyOfResources: [],
    maxResults: 10,
  };
  const always = { name: 'x', busy: [{ start: -100, end: 100 }] };
  const reasons: [string, Partial<SlotQuestion>, string | null][] = [
    ['nothing', {}, null],
    ['a window that is too short', { duration: 61, required: [always] }, 'window_too_short'],
    ['no working time', { workingTime: [], required: [always] }, 'outside_working_hours'],
    ['an attendee', { required: [always], resources: [always] }, 'attendees_busy'],
    ['a resource', { resources: [always] }, 'resources_busy'],
    ['every one of several resources', { anyOfResources: [always, always] }, 'resources_busy'],
    ['an optional attendee', { optional: [always] }, null],
  ];
  for (const [what, asked, reason] of reasons) {
    it(`the reason for no slot tells of ${what} (CAL-53)`, async () => {
      assert.equal((await found({ ...open, ...asked })).emptyReason, reason);
    });
  }

  const endless: [string, Partial<SlotQuestion>][] = [
    ['no step', { step: 0 }],
    ['a step backwards', { step: -15 }],
    ['steps of less than a minute', { step: 0.5 }],
    ['a step that is no number', { step: Number.NaN }],
    ['a meeting of no length', { duration: 0 }],
    ['a buffer below zero', { buffer: -1 }],
    ['no results', { maxResults: 0 }],
    ['a window of more than 366 days', { window: { start: 0, end: 366 * 1_440 + 1 } }],
    ['a window without end', { window: { start: 0, end: Number.POSITIVE_INFINITY } }],
  ];
  for (const [what, asked] of endless) {
    it(`is not searched for with ${what}`, async () => {
      await assert.rejects(() => found({ ...open, ...asked }), {
        name: 'RangeError',
        message: 'Slots begin a minute apart at least, last as long, and lie within 366 days.',
      });
    });
  }

  it('is searched for in a window of 366 days, wherever it begins', async () => {
    const start = 200 * 1_440;
    const window = { start, end: start + 366 * 1_440 };
    const { slots } = await found({ ...open, window, maxResults: 1 });
    assert.deepEqual(slots, [
      { start, end: start + 30, available: [], unavailable: [], resource: undefined },
    ]);
  });

  it('is kept from being by what came furthest, whichever candidate that was', async () => {
    const early = { name: 'early', busy: [{ start: 0, end: 30 }] };
    const late = { name: 'late', busy: [{ start: 30, end: 60 }] };
    const asked = { ...open, step: 30 };
    for (const [required, resources] of [
      [[late], [early]],
      [[early], [late]],
    ]) {
      const { emptyReason } = await found({ ...asked, required: required ?? [], resources: resources ?? [] });
      assert.equal(emptyReason, 'resources_busy');
    }
  });

  it('may touch other meetings', async () => {
    const busy = [
      { start: 0, end: 15 },
      { start: 45, end: 60 },
    ];
    const { slots } = await found({ ...open, required: [{ name: 'a', busy }] });
    assert.deepEqual(
      slots.map(({ start }) => start),
      [15],
    );
  });
});
