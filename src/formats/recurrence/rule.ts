/** Frequencies in order of their period, shortest first. */
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

/** A weekday (0 for Monday), the nth of its month or year; every one when nth is 0. */
export interface ByDay {
  weekday: number;
  nth: number;
}

/** The inclusive end of a rule; the kind of time decides the comparison. */
export type Until =
  | { kind: 'date'; day: number }
  | { kind: 'local'; seconds: number }
  | { kind: 'utc'; seconds: number };

/** A recurrence rule (RFC 5545 3.3.10); an absent list is empty. */
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

/** The text is no valid recurrence rule; the message names the error. */
export class InvalidRule extends Error {
  override readonly name = 'InvalidRule';
}

/**
 * The rule for a start that is a date. RFC 5545 3.3.10: BYSECOND, BYMINUTE and BYHOUR "MUST be ignored" there.
 * Throws InvalidRule for a frequency below DAILY.
 */
export function dateOnlyRule(rule: RecurrenceRule): RecurrenceRule {
  if (FREQUENCIES.indexOf(rule.frequency) < FREQUENCIES.indexOf('DAILY'))
    throw new InvalidRule(`${rule.frequency} needs a start with a time`);
  return { ...rule, bySecond: [], byMinute: [], byHour: [] };
}
