import { DAY_SECONDS, dateOf, weekdayOf } from './civil.ts';
import { instances } from './expansion.ts';
import { isShorterThanDay, phaseOf, startOfPhase } from './periods.ts';
import type { RecurrenceRule } from './rule.ts';
import { parseRule, WEEKDAYS } from './rule-text.ts';

/**
 * A key for the days that a rule selects, independent of the start and end of its series: series that recur on the
 * same days share the key, so their days are computed once. Format: the phase (the index of the selected period
 * within INTERVAL), a space, and the value of an RRULE with the day rule parts.
 */
export type DayRule = `${number} ${string}`;

/** The day key of a rule with a start; undefined for a rule that selects times within the day. */
export function dayRuleOf(text: string, startDay: number): DayRule | undefined {
  const rule = parseRule(text);
  if (isShorterThanDay(rule) || namesTimes(rule)) return undefined;
  const parts = text.toUpperCase().split(';');
  const unending = parts
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^(?:COUNT|UNTIL)\b/.test(part));
  const named = [...unending, ...partsOfStart(rule, startDay)].join(';');
  return `${phaseOf(rule, startDay * DAY_SECONDS)} ${named}`;
}

function namesTimes({ byHour, byMinute, bySecond }: RecurrenceRule): boolean {
  return byHour.length + byMinute.length + bySecond.length > 0;
}

/**
 * RFC 5545 3.3.10: "Information, not contained in the rule, necessary to determine the various recurrence instance
 * … dates" comes from the start.
 */
function partsOfStart(rule: RecurrenceRule, startDay: number): string[] {
  const { frequency, byDay, byMonthDay, byYearDay, byWeekNo, byMonth } = rule;
  if (byDay.length + byMonthDay.length + byYearDay.length + byWeekNo.length > 0) return [];
  const { month, day } = dateOf(startDay);
  if (frequency === 'WEEKLY') return [`BYDAY=${WEEKDAYS[weekdayOf(startDay)]}`];
  if (frequency === 'MONTHLY') return [`BYMONTHDAY=${day}`];
  if (frequency !== 'YEARLY') return [];
  return [`BYMONTHDAY=${day}`, ...(byMonth.length > 0 ? [] : [`BYMONTH=${month}`])];
}

/** The selected days from `from` on, before `to`, in order. */
export function namedDays(days: DayRule, from: number, to: number): number[] {
  const space = days.indexOf(' ');
  const rule = parseRule(days.slice(space + 1));
  const first = from * DAY_SECONDS;
  const start = startOfPhase(rule, Number(days.slice(0, space)), first);
  return Array.from(instances(rule, start, first, to * DAY_SECONDS), (local) => local / DAY_SECONDS);
}
