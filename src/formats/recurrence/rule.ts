/** How often, from the smallest to the largest period. */
export const FREQUENCIES = [
  'SECONDLY',
  'MINUTELY',
  'HOURLY',
  'DAILY',
  'WEEKLY',
  'MONTHLY',
  'YEARLY',
] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** A weekday (0 for Monday), of a month or year the nth; every one when nth is 0. */
export interface ByDay {
  weekday: number;
  nth: number;
}

/** The end that a rule states, inclusive; what kind of time decides how it is compared. */
export type Until =
  | { kind: 'date'; day: number }
  | { kind: 'local'; seconds: number }
  | { kind: 'utc'; seconds: number };

/** A recurrence rule of RFC 5545, 3.3.10; an empty list was not given. */
export interface RecurrenceRule {
  frequency: Frequency;
  interval: number;
  until: Until | undefined;
  count: number | undefined;
  /** 0 for Monday. */
  weekStart: number;
  bySecond: readonly number[];
  byMinute: readonly number[];
  byHour: readonly number[];
  byDay: readonly ByDay[];
  byMonthDay: readonly number[];
  byYearDay: readonly number[];
  byWeekNo: readonly number[];
  byMonth: readonly number[];
  bySetPos: readonly number[];
}

/** A text that is no recurrence rule; the message says what is wrong with it. */
export class InvalidRule extends Error {
  override readonly name = 'InvalidRule';
}

/**
 * The rule of a start that is a date. RFC 5545, 3.3.10: BYSECOND, BYMINUTE and BYHOUR "MUST be ignored" there. Throws
 * InvalidRule for a frequency within the day.
 */
export function ofDates(rule: RecurrenceRule): RecurrenceRule {
  if (FREQUENCIES.indexOf(rule.frequency) < FREQUENCIES.indexOf('DAILY'))
    throw new InvalidRule(`${rule.frequency} needs a start with a time`);
  return { ...rule, bySecond: [], byMinute: [], byHour: [] };
}
