import { DAY_SECONDS } from './civil.ts';
import { instances } from './expansion.ts';
import { InvalidRule, type RecurrenceRule } from './rule.ts';
import { Steps } from './steps.ts';

/** A rule that counts further is refused: nobody means it, and finding its end would take seconds. */
const MAX_COUNT = 100_000;

/** Of rules that count, the instances of so many years count: looking further would take long, for nobody's use. */
const COUNTED_SECONDS = 1_000 * 366 * DAY_SECONDS;

/**
 * The last local time that a rule may name, inclusive; undefined for a rule without end. `toLocal` tells what a UTC time
 * is on the clock of the start. Worked out once, when a rule is stored: finding the end of COUNT reads all of its
 * instances. Throws InvalidRule for a COUNT over MAX_COUNT and when `steps` end.
 */
export function lastInstance(
  rule: RecurrenceRule,
  start: number,
  toLocal: (utc: number) => number,
  steps = Steps.unlimited(),
): number | undefined {
  if (rule.count !== undefined) return lastCounted(rule, start, rule.count, steps);
  const { until } = rule;
  if (!until) return undefined;
  if (until.kind === 'date') return until.day * DAY_SECONDS + DAY_SECONDS - 1;
  return until.kind === 'utc' ? toLocal(until.seconds) : until.seconds;
}

function lastCounted(rule: RecurrenceRule, start: number, count: number, steps: Steps): number {
  if (count > MAX_COUNT) throw new InvalidRule(`COUNT must be at most ${MAX_COUNT}`);
  let last = start;
  let counted = 0;
  for (const time of instances(rule, start, start, start + COUNTED_SECONDS, steps)) {
    last = time;
    if (++counted === count) break;
  }
  return last;
}
