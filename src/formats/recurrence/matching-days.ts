import { type CivilDate, dateOf, dayOf, daysInMonth, daysInYear, weekdayOf, weekNumbersOf } from './civil.ts';
import type { ByDay, RecurrenceRule } from './rule.ts';

type Test = (date: CivilDate, day: number) => boolean;

/**
 * The days that a rule names within its periods. RFC 5545, 3.3.10 speaks of parts that expand and parts that limit; as
 * a test of each day of the period both are the same.
 */
export class NamedDays {
  readonly #isMonthNamed: readonly boolean[] | undefined;
  readonly #tests: readonly Test[];

  constructor(rule: RecurrenceRule, startDay: number) {
    const whole = withDayOfStart(rule, startDay);
    this.#isMonthNamed = whole.byMonth.length > 0 ? flags(whole.byMonth, 12) : undefined;
    this.#tests = testsOf(whole);
  }

  names(day: number): boolean {
    const date = dateOf(day);
    if (this.#isMonthNamed?.[date.month] === false) return false;
    for (const test of this.#tests) if (!test(date, day)) return false;
    return true;
  }

  /** The first day after one that is not named that may be: a month that is not named is passed over as a whole. */
  afterRefused(day: number): number {
    const { year, month } = dateOf(day);
    if (this.#isMonthNamed?.[month] !== false) return day + 1;
    return month === 12 ? dayOf(year + 1, 1, 1) : dayOf(year, month + 1, 1);
  }
}

function testsOf(rule: RecurrenceRule): Test[] {
  const { byMonthDay, byYearDay, byWeekNo, byDay } = rule;
  const tests: Test[] = [];
  if (byMonthDay.length > 0) tests.push(monthDayTest(byMonthDay));
  if (byYearDay.length > 0) tests.push(yearDayTest(byYearDay));
  if (byWeekNo.length > 0) tests.push((_, day) => isInWeek(day, byWeekNo, rule.weekStart));
  if (byDay.length > 0) tests.push(weekdayTest(byDay, scopeOfNth(rule)));
  return tests;
}

/** Of the numbers up to `most`, which are among these. */
function flags(numbers: readonly number[], most: number): boolean[] {
  return Array.from({ length: most + 1 }, (_, number) => numbers.includes(number));
}

/** The same, counted from the end: -1 is at 1. */
function flagsFromEnd(numbers: readonly number[], most: number): boolean[] {
  return flags(
    numbers.map((number) => -number),
    most,
  );
}

/** "Information, not contained in the rule, necessary to determine the various recurrence instance … dates" is the start's. */
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

/** "+1MO" is the first Monday of the month in a monthly rule and in a yearly one with BYMONTH, else of the year. */
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

/** Whether a day is one of the wanted of its weekday, counted from either end. */
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
