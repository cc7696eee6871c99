import { DAY_SECONDS, dayOf } from './civil.ts';
import { NamedDays } from './matching-days.ts';
import { RulePeriods } from './periods.ts';
import type { RecurrenceRule } from './rule.ts';
import { Steps } from './steps.ts';
import { countTimes, endOfRefusedTime, isShorterThanDay, timesWithin } from './times-of-day.ts';

/** RFC 5545, 3.3.4: years have four digits. */
const END_OF_TIME = dayOf(10_000, 1, 1) * DAY_SECONDS;

/** What a period within a day costs, beside a day. */
const STEPS_WITHIN_DAY = 4;

/** Periods without an instance that are looked at in a row before the rule counts as naming no more. */
const MOST_EMPTY_PERIODS = 100_000;

/**
 * The local times that a rule names for a start, in order: from the start and `from` on, before `to` (local seconds).
 * UNTIL and COUNT are not looked at (see `lastInstance`). The cost depends on what is named between `from` and `to`, not
 * on how long ago the start was, and a rule that names nothing ends all the same. Throws InvalidRule when `steps` end.
 */
export function* instances(
  rule: RecurrenceRule,
  start: number,
  from: number,
  to: number,
  steps = Steps.unlimited(),
): Generator<number> {
  const earliest = Math.max(start, from);
  const latest = Math.min(to, END_OF_TIME);
  const sets = new InstanceSets(rule, start, { earliest, latest }, steps);
  let empty = 0;
  for (let set = sets.first(); set.start < latest && empty < MOST_EMPTY_PERIODS; set = sets.after(set)) {
    let named = 0;
    for (const time of set.times) {
      if (++named > 1) steps.take(1);
      if (time >= latest) return;
      if (time >= earliest) yield time;
    }
    empty = named > 0 ? 0 : empty + 1;
  }
}

interface Window {
  earliest: number;
  latest: number;
}

/** What a rule names within one of its periods, worked out as it is read: a year may name every second of its days. */
interface InstanceSet {
  index: number;
  start: number;
  times: Iterable<number>;
}

/** The sets of a rule, one for each period, as far as they matter within a window. */
class InstanceSets {
  readonly #rule: RecurrenceRule;
  readonly #window: Window;
  readonly #steps: Steps;
  readonly #periods: RulePeriods;
  readonly #days: NamedDays;
  readonly #times: readonly number[];

  constructor(rule: RecurrenceRule, start: number, window: Window, steps: Steps) {
    this.#rule = rule;
    this.#window = window;
    this.#steps = steps;
    this.#periods = new RulePeriods(rule, start);
    this.#days = new NamedDays(rule, Math.floor(start / DAY_SECONDS));
    steps.take(countTimes(rule));
    this.#times = timesWithin(rule, start);
  }

  first(): InstanceSet {
    return this.#at(this.#periods.indexAt(this.#window.earliest));
  }

  after({ index, start }: InstanceSet): InstanceSet {
    const refused = isShorterThanDay(this.#rule) ? this.#endOfRefused(start) : start;
    return this.#at(Math.max(index + 1, this.#periods.indexAt(refused)));
  }

  #at(index: number): InstanceSet {
    const [start, end] = this.#periods.at(index);
    const times = isShorterThanDay(this.#rule) ? this.#withinDay(start) : this.#ofDays(start, end);
    return { index, start, times };
  }

  /** A position is counted in the whole set; without, only the days of the window have to be looked at. */
  #ofDays(start: number, end: number): Iterable<number> {
    const { bySetPos } = this.#rule;
    const days = (from: number, to: number) => this.#namedWithin(from, to);
    if (bySetPos.length > 0) return atPositions([...days(start, end)], this.#times, bySetPos);
    const { earliest, latest } = this.#window;
    return timesOf(days(Math.max(start, earliest), Math.min(end, latest)), this.#times);
  }

  /** The beginnings of the days that are named, in local seconds. */
  *#namedWithin(from: number, to: number): Generator<number> {
    let day = Math.floor(from / DAY_SECONDS);
    while (day * DAY_SECONDS < to) {
      this.#steps.take(1);
      if (this.#days.names(day)) yield day++ * DAY_SECONDS;
      else day = this.#days.afterRefused(day);
    }
  }

  #withinDay(start: number): Iterable<number> {
    this.#steps.take(STEPS_WITHIN_DAY);
    if (this.#endOfRefused(start) > start) return [];
    return atPositions([start], this.#times, this.#rule.bySetPos);
  }

  /** Where what the rule refuses at a local time ends: the hours of a day that is not named are passed over together. */
  #endOfRefused(local: number): number {
    const day = Math.floor(local / DAY_SECONDS);
    if (this.#days.names(day)) return endOfRefusedTime(this.#rule, local);
    return this.#days.afterRefused(day) * DAY_SECONDS;
  }
}

function* timesOf(starts: Iterable<number>, times: readonly number[]): Generator<number> {
  for (const start of starts) for (const time of times) yield start + time;
}

/** "BYSETPOS … specifies the nth occurrence within the set of recurrence instances"; negative ones from its end. */
function atPositions(
  starts: readonly number[],
  times: readonly number[],
  positions: readonly number[],
): Iterable<number> {
  if (positions.length === 0) return timesOf(starts, times);
  const size = starts.length * times.length;
  const indexes = positions.map((position) => (position > 0 ? position - 1 : size + position));
  const within = [...new Set(indexes)].filter((index) => index >= 0 && index < size).sort((a, b) => a - b);
  return within.map((index) => {
    const start = starts[Math.floor(index / times.length)] ?? 0;
    return start + (times[index % times.length] ?? 0);
  });
}
