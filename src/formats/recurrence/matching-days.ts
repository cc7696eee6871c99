import { type CivilDate, dateOf, dayOf, daysInMonth, daysInYear, weekdayOf, weekNumbersOf } from './civil.ts';
import type { ByDay, RecurrenceRule } from './rule.ts';

/** Whether a day is one that the rule names. */
export type DayTest = (day: number) => boolean;

/**
 * The days that a rule names within its periods. RFC 5545, 3.3.10 speaks of parts that expand and parts that limit; as
 * a test of each day of the period both are the same.
 */
export function dayTest(rule: RecurrenceRule, startDay: number): DayTest {
  const { byMonth, byMonthDay, byYearDay, byWeekNo, byDay } = withDayOfStart(rule, startDay);
  const tests: ((date: CivilDate, day: number) => boolean)[] = [];
  if (byMonth.length > 0) tests.push(({ month }) => byMonth.includes(month));
  if (byMonthDay.length > 0) tests.push((date) => isMonthDay(date, byMonthDay));
  if (byYearDay.length > 0) tests.push((date, day) => isYearDay(date, day, byYearDay));
  if (byWeekNo.length > 0) tests.push((_, day) => isInWeek(day, byWeekNo, rule.weekStart));
  if (byDay.length > 0) tests.push(weekdayTest(byDay, scopeOfNth(rule)));
  return (day) => {
    const date = dateOf(day);
    return tests.every((test) => test(date, day));
  };
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

function isMonthDay({ year, month, day }: CivilDate, wanted: readonly number[]): boolean {
  return wanted.includes(day) || (hasNegative(wanted) && wanted.includes(day - daysInMonth(year, month) - 1));
}

function isYearDay({ year }: CivilDate, day: number, wanted: readonly number[]): boolean {
  const dayOfYear = day - dayOf(year, 1, 1) + 1;
  return wanted.includes(dayOfYear) || wanted.includes(dayOfYear - daysInYear(year) - 1);
}

function isInWeek(day: number, wanted: readonly number[], weekStart: number): boolean {
  return weekNumbersOf(day, weekStart).some((number) => wanted.includes(number));
}

function hasNegative(numbers: readonly number[]): boolean {
  return (numbers[0] ?? 0) < 0;
}

type Scope = 'month' | 'year' | undefined;

/** "+1MO" is the first Monday of the month in a monthly rule and in a yearly one with BYMONTH, else of the year. */
function scopeOfNth({ frequency, byMonth, byWeekNo }: RecurrenceRule): Scope {
  if (frequency === 'MONTHLY') return 'month';
  if (frequency !== 'YEARLY' || byWeekNo.length > 0) return undefined;
  return byMonth.length > 0 ? 'month' : 'year';
}

function weekdayTest(byDay: readonly ByDay[], scope: Scope): (date: CivilDate, day: number) => boolean {
  const every = new Set(byDay.filter(({ nth }) => nth === 0 || !scope).map(({ weekday }) => weekday));
  const nths = byDay.filter(({ nth }) => nth !== 0 && scope);
  return (date, day) => {
    const weekday = weekdayOf(day);
    if (every.has(weekday)) return true;
    return nths.some((by) => by.weekday === weekday && isNth(date, day, by.nth, scope));
  };
}

function isNth({ year, month }: CivilDate, day: number, nth: number, scope: Scope): boolean {
  const first = scope === 'month' ? dayOf(year, month, 1) : dayOf(year, 1, 1);
  const length = scope === 'month' ? daysInMonth(year, month) : daysInYear(year);
  const before = Math.floor((day - first) / 7);
  const after = Math.floor((first + length - 1 - day) / 7);
  return nth > 0 ? nth === before + 1 : nth === -(after + 1);
}
