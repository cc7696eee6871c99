/** Times of which the union is wanted: minutes that are marked, and whatever else there is of a window. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { MarkedTimes } from '../../src/areas/calendar/availability/marked-times.ts';
import {
  clipIntervals,
  type Interval,
  mergeIntervals,
} from '../../src/areas/calendar/recurrence/intervals.ts';
import { TimesWithin } from '../../src/areas/calendar/recurrence/times-within.ts';

function taken(minutes: MarkedTimes): Interval[] {
  return [...minutes.take()].map(([start, end]) => ({ start, end }));
}

describe('marked minutes', () => {
  it('become spans in order, none touching another', () => {
    const spans = fc.array(fc.tuple(fc.nat(200), fc.integer({ min: 1, max: 70 })), { maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(200), spans, (more, all) => {
        const intervals = all.map(([start, length]) => ({ start, end: start + length }));
        const minutes = new MarkedTimes(Math.max(0, ...intervals.map(({ end }) => end)) + more);
        for (const { start, end } of intervals) minutes.mark(start, end);
        assert.deepEqual(taken(minutes), mergeIntervals(intervals));
        assert.deepEqual(taken(minutes), []);
      }),
      { numRuns: 1_000 },
    );
  });

  for (const count of [1, 31, 32, 33, 63, 64, 65, 96]) {
    it(`reach to the last of ${count}`, () => {
      const minutes = new MarkedTimes(count);
      assert.deepEqual(taken(minutes), []);
      minutes.mark(count - 1, count);
      assert.deepEqual(taken(minutes), [{ start: count - 1, end: count }]);
      minutes.mark(0, count);
      assert.deepEqual(taken(minutes), [{ start: 0, end: count }]);
    });
  }
});

describe('times in seconds', () => {
  const asked = { start: 86_400_000, end: 2 * 86_400_000 };
  const union = (...times: [start: number, end: number][]) => {
    const within = new TimesWithin(asked);
    for (const [start, end] of times) within.add(86_400 + start, 86_400 + end);
    return [...within.takeUnion()].map(({ start, end }) => [start / 1000 - 86_400, end / 1000 - 86_400]);
  };

  it('touch, meet and hold each other', () => {
    assert.deepEqual(union([1, 2], [2, 3], [5, 9], [6, 7], [7, 12], [60, 120]), [
      [1, 3],
      [5, 12],
      [60, 120],
    ]);
    assert.deepEqual(union([60, 120], [120, 121], [30, 60]), [[30, 121]]);
  });

  it('are united before they take much room, and all kept where they are apart', () => {
    const year = { start: 0, end: 366 * 86_400_000 };
    const unionOf = (times: Interval[]) => {
      const within = new TimesWithin(year);
      for (const { start, end } of times) within.add(start / 1000, end / 1000);
      return [...within.takeUnion()];
    };
    const seconds = (start: number, length: number) => ({
      start: start * 1000,
      end: (start + length) * 1000,
    });
    // Those that touch, meet and hold each other come far apart from each other.
    const meeting = Array.from({ length: 200_000 }, (_, i) =>
      seconds(1 + ((i * 7_919) % 90_001) * 3, 1 + (i % 5)),
    );
    const apart = Array.from({ length: 150_000 }, (_, i) => seconds(1 + ((i * 7_919) % 150_000) * 4, 2));
    for (const [name, times] of Object.entries({ meeting, apart, both: [...meeting, ...apart] })) {
      // To show how two long lists differ would take hours.
      assert.ok(isDeepStrictEqual(unionOf(times), mergeIntervals(times)), name);
    }
    assert.equal(unionOf(apart).length, 150_000);
  });

  it('are cut at the window, and are none where nothing of them is within', () => {
    assert.deepEqual(union([-5, 0], [86_400, 90_000], [7, 7], [9, 8]), []);
    assert.deepEqual(union([-5, 1], [86_399, 90_000]), [
      [0, 1],
      [86_399, 86_400],
    ]);
    assert.deepEqual(union([-60, 60], [86_340, 90_000]), [
      [0, 60],
      [86_340, 86_400],
    ]);
  });
});

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
        assert.deepEqual([...times.takeUnion()], mergeIntervals(clipIntervals(intervals, asked)));
        assert.deepEqual([...times.takeUnion()], []);
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
    const expected = mergeIntervals(all).map(({ start, end }) => ({ start: start * 1000, end: end * 1000 }));
    assert.deepEqual([...times.takeUnion()], expected);
  });
});
