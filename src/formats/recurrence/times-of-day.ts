import { DAY_SECONDS } from './civil.ts';
import type { RecurrenceRule } from './rule.ts';

/** The parts of a time of day: hour, minute, second. */
export type TimeOfDay = readonly [hour: number, minute: number, second: number];

/** The time of day of a local time. */
export function timeOf(local: number): TimeOfDay {
  const seconds = ((local % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS;
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
}

/**
 * The times within a period of at most a day that the rule names, as seconds from the period's start, sorted. What the
 * period itself does not fix comes from the rule, else from the start.
 */
export function timesWithin(rule: RecurrenceRule, start: number): number[] {
  const [hour, minute, second] = timeOf(start);
  const hours = isShorterThanDay(rule) ? [0] : orElse(rule.byHour, hour);
  const minutes = isOneOf(rule, 'SECONDLY', 'MINUTELY') ? [0] : orElse(rule.byMinute, minute);
  const seconds = isOneOf(rule, 'SECONDLY') ? [0] : orElse(rule.bySecond, second);
  // RFC 5545 allows the leap second, which no clock here shows.
  const shown = seconds.filter((s) => s < 60);
  return hours.flatMap((h) => minutes.flatMap((m) => shown.map((s) => h * 3600 + m * 60 + s)));
}

/** At most how many times within a period of at most a day a rule names. */
export function countTimes({ byHour, byMinute, bySecond }: RecurrenceRule): number {
  return Math.max(1, byHour.length) * Math.max(1, byMinute.length) * Math.max(1, bySecond.length);
}

/**
 * Where the hour or minute ends that the rule's limits refuse, for a period shorter than a day that begins at `local`;
 * `local` itself where they let it through.
 */
export function endOfRefusedTime(rule: RecurrenceRule, local: number): number {
  const [hour, minute, second] = timeOf(local);
  if (!allows(rule.byHour, hour)) return (Math.floor(local / 3600) + 1) * 3600;
  if (isOneOf(rule, 'HOURLY')) return local;
  if (!allows(rule.byMinute, minute)) return (Math.floor(local / 60) + 1) * 60;
  return isOneOf(rule, 'MINUTELY') || allows(rule.bySecond, second) ? local : local + 1;
}

export function isShorterThanDay(rule: RecurrenceRule): boolean {
  return isOneOf(rule, 'SECONDLY', 'MINUTELY', 'HOURLY');
}

function isOneOf({ frequency }: RecurrenceRule, ...frequencies: RecurrenceRule['frequency'][]): boolean {
  return frequencies.includes(frequency);
}

function orElse(given: readonly number[], fallback: number): readonly number[] {
  return given.length > 0 ? given : [fallback];
}

function allows(limit: readonly number[], value: number): boolean {
  return limit.length === 0 || limit.includes(value);
}
