import { DAY_SECONDS, dayOf } from './civil.ts';
import { type DayTest, dayTest } from './matching-days.ts';
import { RulePeriods } from './periods.ts';
import type { RecurrenceRule } from './rule.ts';
import { endOfRefusedTime, isShorterThanDay, timesWithin } from './times-of-day.ts';

/** RFC 5545, 3.3.4: years have four digits. */
const END_OF_TIME = dayOf(10_000, 1, 1) * DAY_SECONDS;

/** Periods without an instance that are looked at in a row before the rule counts as naming no more. */
const MOST_EMPTY_PERIODS = 100_000;

/**
 * The local times that a rule names for a start, in order: from the start and `from` on, before `to` (local seconds).
 * UNTIL and COUNT are not looked at (see `lastInstance`). The cost depends on what is named between `from` and `to`, not
 * on how long ago the start was, and a rule that names nothing ends all the same.
 */
export function* instances(rule: RecurrenceRule, start: number, from: number, to: number): Generator<number> {
  const earliest = Math.max(start, from);
  const latest = Math.min(to, END_OF_TIME);
  const sets = new InstanceSets(rule, start, { earliest, latest });
  let empty = 0;
  for (let set = sets.first(); set.start < latest && empty < MOST_EMPTY_PERIODS; set = sets.after(set)) {
    empty = set.times.length > 0 ? 0 : empty + 1;
    for (const time of set.times) {
      if (time >= latest) return;
      if (time >= earliest) yield time;
    }
  }
}

interface Window {
  earliest: number;
  latest: number;
}

/** What a rule names within one of its periods. */
interface InstanceSet {
  index: number;
  start: number;
  times: readonly number[];
}

/** The sets of a rule, one for each period, as far as they matter within a window. */
class InstanceSets {
  readonly #rule: RecurrenceRule;
  readonly #window: Window;
  readonly #periods: RulePeriods;
  readonly #isNamed: DayTest;
  readonly #times: readonly number[];

  constructor(rule: RecurrenceRule, start: number, window: Window) {
    this.#rule = rule;
    this.#window = window;
    this.#periods = new RulePeriods(rule, start);
    this.#isNamed = dayTest(rule, Math.floor(start / DAY_SECONDS));
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
    const named = isShorterThanDay(this.#rule) ? this.#withinDay(start) : this.#ofDays(start, end);
    return { index, start, times: atPositions(named, this.#rule.bySetPos) };
  }

  /** A position is counted in the whole set; without, only the days of the window have to be looked at. */
  #ofDays(start: number, end: number): number[] {
    const isWhole = this.#rule.bySetPos.length > 0;
    const from = isWhole ? start : Math.max(start, this.#window.earliest);
    const to = isWhole ? end : Math.min(end, this.#window.latest);
    const named: number[] = [];
    for (let day = Math.floor(from / DAY_SECONDS); day * DAY_SECONDS < to; day++) {
      if (this.#isNamed(day)) for (const time of this.#times) named.push(day * DAY_SECONDS + time);
    }
    return named;
  }

  #withinDay(start: number): number[] {
    return this.#endOfRefused(start) > start ? [] : this.#times.map((time) => start + time);
  }

  /** Where what the rule refuses at a local time ends: the hours of a day that is not named are passed over together. */
  #endOfRefused(local: number): number {
    const day = Math.floor(local / DAY_SECONDS);
    return this.#isNamed(day) ? endOfRefusedTime(this.#rule, local) : (day + 1) * DAY_SECONDS;
  }
}

/** "BYSETPOS … specifies the nth occurrence within the set of recurrence instances"; negative ones from its end. */
function atPositions(set: readonly number[], positions: readonly number[]): readonly number[] {
  if (positions.length === 0) return set;
  const indexes = positions.map((position) => (position > 0 ? position - 1 : set.length + position));
  return set.filter((_, index) => indexes.includes(index));
}
