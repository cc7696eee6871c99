import {
  type CivilDate,
  DAY_SECONDS,
  dateOf,
  dayOf,
  daysInMonth,
  daysInYear,
  weekdayOf,
  weekNumbersOf,
} from './civil.ts';
import {
  countTimes,
  endOfRefusedTime,
  isShorterThanDay,
  RulePeriods,
  Steps,
  timesWithin,
} from './periods.ts';
import type { ByDay, RecurrenceRule } from './rule.ts';

type Test = (date: CivilDate, day: number) => boolean;

/** A month, from its first day to before the first of the next. */
interface Month {
  year: number;
  month: number;
  first: number;
  next: number;
}

function monthOf(someDay: number): Month {
  const { year, month, day } = dateOf(someDay);
  const first = someDay - day + 1;
  return { year, month, first, next: first + daysInMonth(year, month) };
}

function monthAfter({ year, month, next }: Month): Month {
  const following = month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 };
  return { ...following, first: next, next: next + daysInMonth(following.year, following.month) };
}

/**
 * Tests whether a rule selects a day. RFC 5545 3.3.10 distinguishes rule parts that expand and rule parts that
 * limit; as tests of each day of a period both are the same. It is asked for days one after the other, and for each
 * hour of a day: the month is computed once for all of its days, and a day is tested once.
 */
class NamedDays {
  readonly #isMonthNamed: readonly boolean[] | undefined;
  readonly #tests: readonly Test[];
  #month: Month;
  #tested = Number.NaN;
  #isTestedNamed = false;

  constructor(rule: RecurrenceRule, startDay: number) {
    const whole = withDayOfStart(rule, startDay);
    this.#isMonthNamed = whole.byMonth.length > 0 ? flags(whole.byMonth, 12) : undefined;
    this.#tests = testsOf(whole);
    this.#month = monthOf(startDay);
  }

  names(day: number): boolean {
    if (day === this.#tested) return this.#isTestedNamed;
    this.#tested = day;
    this.#isTestedNamed = this.#test(day);
    return this.#isTestedNamed;
  }

  #test(day: number): boolean {
    const { year, month, first } = this.#monthAt(day);
    if (this.#isMonthNamed?.[month] === false) return false;
    if (this.#tests.length === 0) return true;
    const date = { year, month, day: day - first + 1 };
    for (const test of this.#tests) if (!test(date, day)) return false;
    return true;
  }

  #monthAt(day: number): Month {
    // Days come in order: most that are not of this month are of the next.
    if (day === this.#month.next) this.#month = monthAfter(this.#month);
    else if (day < this.#month.first || day > this.#month.next) this.#month = monthOf(day);
    return this.#month;
  }

  /** The next candidate after a day that was not selected: skips the rest of a month that BYMONTH excludes. */
  afterRefused(day: number): number {
    const { month, next } = this.#monthAt(day);
    return this.#isMonthNamed?.[month] === false ? next : day + 1;
  }
}

/** Those that cost most come last: most days are refused before them. */
function testsOf(rule: RecurrenceRule): Test[] {
  const { byMonthDay, byYearDay, byWeekNo, byDay } = rule;
  const tests: Test[] = [];
  if (byMonthDay.length > 0) tests.push(monthDayTest(byMonthDay));
  if (byDay.length > 0) tests.push(weekdayTest(byDay, scopeOfNth(rule)));
  if (byYearDay.length > 0) tests.push(yearDayTest(byYearDay));
  if (byWeekNo.length > 0) tests.push((_, day) => isInWeek(day, byWeekNo, rule.weekStart));
  return tests;
}

/** For each number up to `most`, whether the list contains it. */
function flags(numbers: readonly number[], most: number): boolean[] {
  return Array.from({ length: most + 1 }, (_, number) => numbers.includes(number));
}

/** The same, counted from the end: -1 has index 1. */
function flagsFromEnd(numbers: readonly number[], most: number): boolean[] {
  return flags(
    numbers.map((number) => -number),
    most,
  );
}

/**
 * RFC 5545 3.3.10: "Information, not contained in the rule, necessary to determine the various recurrence instance
 * … dates" comes from the start.
 */
function withDayOfStart(rule: RecurrenceRule, startDay: number): RecurrenceRule {
  const { frequency, byDay, byMonthDay, byYearDay, byWeekNo, byMonth } = rule;
  if (byDay.length + byMonthDay.length + byYearDay.length + byWeekNo.length > 0) return rule;
  const { month, day } = dateOf(startDay);
  if (frequency === 'WEEKLY') return { ...rule, byDay: [{ weekday: weekdayOf(startDay), nth: 0 }] };
  if (frequency === 'MONTHLY') return { ...rule, byMonthDay: [day] };
  if (frequency !== 'YEARLY') return rule;
  return { ...rule, byMonthDay: [day], byMonth: byMonth.length > 0 ? byMonth : [month] };
}

function monthDayTest(wanted: readonly number[]): Test {
  const [fromStart, fromEnd] = [flags(wanted, 31), flagsFromEnd(wanted, 31)];
  const hasNegative = (wanted[0] ?? 0) < 0;
  return ({ year, month, day }) =>
    fromStart[day] === true || (hasNegative && fromEnd[daysInMonth(year, month) - day + 1] === true);
}

function yearDayTest(wanted: readonly number[]): Test {
  const [fromStart, fromEnd] = [flags(wanted, 366), flagsFromEnd(wanted, 366)];
  return ({ year }, day) => {
    const dayOfYear = day - dayOf(year, 1, 1) + 1;
    return fromStart[dayOfYear] === true || fromEnd[daysInYear(year) - dayOfYear + 1] === true;
  };
}

function isInWeek(day: number, wanted: readonly number[], weekStart: number): boolean {
  return weekNumbersOf(day, weekStart).some((number) => wanted.includes(number));
}

type Scope = 'month' | 'year' | undefined;

/** "+1MO" is the first Monday of the month in a monthly rule and in a yearly rule with BYMONTH, else of the year. */
function scopeOfNth({ frequency, byMonth, byWeekNo }: RecurrenceRule): Scope {
  if (frequency === 'MONTHLY') return 'month';
  if (frequency !== 'YEARLY' || byWeekNo.length > 0) return undefined;
  return byMonth.length > 0 ? 'month' : 'year';
}

function weekdayTest(byDay: readonly ByDay[], scope: Scope): Test {
  const every = new Set(byDay.filter(({ nth }) => nth === 0 || !scope).map(({ weekday }) => weekday));
  const nths = Array.from({ length: 7 }, () => new Set<number>());
  for (const { weekday, nth } of byDay) if (nth !== 0 && scope) nths[weekday]?.add(nth);
  return (date, day) => {
    const weekday = weekdayOf(day);
    if (every.has(weekday)) return true;
    const wanted = nths[weekday];
    return wanted !== undefined && wanted.size > 0 && isAmong(wanted, date, day, scope);
  };
}

/** Whether the position of a day among its weekday's days, counted from either end, is in `wanted`. */
function isAmong(
  wanted: ReadonlySet<number>,
  { year, month }: CivilDate,
  day: number,
  scope: Scope,
): boolean {
  const first = scope === 'month' ? dayOf(year, month, 1) : dayOf(year, 1, 1);
  const length = scope === 'month' ? daysInMonth(year, month) : daysInYear(year);
  const before = Math.floor((day - first) / 7);
  const after = Math.floor((first + length - 1 - day) / 7);
  return wanted.has(before + 1) || wanted.has(-(after + 1));
}

/** RFC 5545 3.3.4: years have four digits. */
const END_OF_TIME = dayOf(10_000, 1, 1) * DAY_SECONDS;

/** The cost of a period within a day, in days. */
const STEPS_WITHIN_DAY = 4;

/** After so many consecutive periods without an instance the rule has no more instances. */
const MOST_EMPTY_PERIODS = 100_000;

/**
 * The local times of a rule's instances in order: from `start` and `from` on, before `to` (local seconds). Ignores
 * UNTIL and COUNT (see `lastInstance`). The cost depends on the range from `from` to `to`, not on the distance
 * from the start; a rule without instances ends too. Throws InvalidRule when `steps` are used up.
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

/** The instances within one period, generated lazily: a year may have an instance in every second of its days. */
interface InstanceSet {
  index: number;
  start: number;
  times: Iterable<number>;
}

/** The instance sets of a rule, one for each period within a window. */
class InstanceSets {
  readonly #rule: RecurrenceRule;
  readonly #window: Window;
  readonly #steps: Steps;
  readonly #periods: RulePeriods;
  readonly #days: NamedDays;
  readonly #times: readonly number[];
  readonly #isWithinDays: boolean;

  constructor(rule: RecurrenceRule, start: number, window: Window, steps: Steps) {
    this.#rule = rule;
    this.#window = window;
    this.#steps = steps;
    this.#periods = new RulePeriods(rule, start);
    this.#days = new NamedDays(rule, Math.floor(start / DAY_SECONDS));
    steps.take(countTimes(rule));
    this.#times = timesWithin(rule, start);
    this.#isWithinDays = isShorterThanDay(rule);
  }

  first(): InstanceSet {
    return this.#at(this.#periods.indexAt(this.#window.earliest));
  }

  after({ index, start }: InstanceSet): InstanceSet {
    if (!this.#isWithinDays) return this.#at(index + 1);
    return this.#at(Math.max(index + 1, this.#periods.indexAt(this.#endOfRefused(start))));
  }

  #at(index: number): InstanceSet {
    const [start, end] = this.#periods.at(index);
    const times = this.#isWithinDays ? this.#withinDay(start) : this.#ofDays(start, end);
    return { index, start, times };
  }

  /** BYSETPOS counts within the whole set. Without it, only the days of the window are tested. */
  #ofDays(start: number, end: number): Iterable<number> {
    const { bySetPos } = this.#rule;
    const days = (from: number, to: number) => this.#namedWithin(from, to);
    if (bySetPos.length > 0) return atPositions([...days(start, end)], this.#times, bySetPos);
    const { earliest, latest } = this.#window;
    return timesOf(days(Math.max(start, earliest), Math.min(end, latest)), this.#times);
  }

  /** The starts of the selected days, in local seconds. */
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
    const { bySetPos } = this.#rule;
    if (bySetPos.length > 0) return atPositions([start], this.#times, bySetPos);
    return this.#times.map((time) => start + time);
  }

  /** The end of the span around a local time that the rule excludes: skips all hours of a day that is not selected. */
  #endOfRefused(local: number): number {
    const day = Math.floor(local / DAY_SECONDS);
    if (this.#days.names(day)) return endOfRefusedTime(this.#rule, local);
    return this.#days.afterRefused(day) * DAY_SECONDS;
  }
}

function* timesOf(starts: Iterable<number>, times: readonly number[]): Generator<number> {
  for (const start of starts) for (const time of times) yield start + time;
}

/**
 * "BYSETPOS … specifies the nth occurrence within the set of recurrence instances"; negative positions count from
 * its end.
 */
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
