import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Occurrence, occurrences } from '../../src/areas/calendar/recurrence/occurrences.ts';
import { spanOf } from '../../src/areas/calendar/recurrence/spans.ts';
import { ALL, definition, window } from './calendar-definitions.ts';

function shown(found: Iterable<Occurrence>): string[] {
  return [...found].map(({ start, end }) => `${new Date(start).toISOString()} ${end - start}`).sort();
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

describe('occurrences', () => {
  it('of a window are those of all time that meet it', () => {
    fc.assert(
      fc.property(definition, window, (event, asked) => {
        const all = occurrences(event, 'Europe/Berlin', ALL);
        const within = all.filter(({ start, end }) => start < asked.end && end > asked.start);
        assert.deepEqual(shown(occurrences(event, 'Europe/Berlin', asked)), shown(within));
      }),
      { numRuns: 500 },
    );
  });

  it('lie within the span that the event is found by', () => {
    fc.assert(
      fc.property(definition, (event) => {
        const span = spanOf(event, 'Europe/Berlin');
        for (const { start, end } of occurrences(event, 'Europe/Berlin', ALL)) {
          assert.ok(start >= span.start && end <= span.end, `${iso(start / 1000)} is outside`);
        }
      }),
      { numRuns: 500 },
    );
  });
});
