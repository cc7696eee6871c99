import { DAY_SECONDS, dateOf, dayOf, weekStartOf } from './civil.ts';
import { InvalidRule, type RecurrenceRule } from './rule.ts';

/**
 * How much may be looked at to find what rules name: their periods, days and times, of which each counts one. Rules are
 * short and may keep a processor busy for minutes; what several rules share bounds them together.
 */
export class Steps {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  static unlimited(): Steps {
    return new Steps(Number.POSITIVE_INFINITY);
  }

  /** Throws InvalidRule when there are no more. */
  take(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new InvalidRule('to find what the rule names takes too long');
  }
}

/** The periods of one frequency, numbered without gaps. */
interface Periods {
  /** The number of the period that a local time is in. */
  numberAt(local: number): number;
  /** The local time at which a period begins. */
  startOf(number: number): number;
}

const UNIT_SECONDS = { SECONDLY: 1, MINUTELY: 60, HOURLY: 3600, DAILY: DAY_SECONDS } as const;

/** The periods of a rule, from its start on, numbered 0, 1, 2 … : those between are passed over by INTERVAL. */
export class RulePeriods {
  readonly #periods: Periods;
  readonly #first: number;
  readonly #interval: number;

  constructor(rule: RecurrenceRule, start: number) {
    this.#periods = periodsOf(rule);
    this.#first = this.#periods.numberAt(start);
    this.#interval = rule.interval;
  }

  /** The first period that ends after a local time. */
  indexAt(local: number): number {
    const distance = this.#periods.numberAt(local) - this.#first;
    return Math.max(0, Math.ceil(distance / this.#interval));
  }

  /** The local times of a period: from, and up to but not with. */
  at(index: number): [from: number, to: number] {
    const number = this.#first + index * this.#interval;
    return [this.#periods.startOf(number), this.#periods.startOf(number + 1)];
  }
}

/** Which of the periods a rule keeps to that has an instance at a local time: a number below its interval. */
export function phaseOf(rule: RecurrenceRule, local: number): number {
  return modulo(periodsOf(rule).numberAt(local), rule.interval);
}

/** Where the last period of a phase begins that begins at or before a local time. */
export function startOfPhase(rule: RecurrenceRule, phase: number, local: number): number {
  const periods = periodsOf(rule);
  const number = periods.numberAt(local);
  return periods.startOf(number - modulo(number - phase, rule.interval));
}

function modulo(number: number, divisor: number): number {
  return ((number % divisor) + divisor) % divisor;
}

function periodsOf({ frequency, weekStart }: RecurrenceRule): Periods {
  if (frequency === 'YEARLY') return YEARS;
  if (frequency === 'MONTHLY') return MONTHS;
  if (frequency === 'WEEKLY') return weeks(weekStart);
  const seconds = UNIT_SECONDS[frequency];
  return {
    numberAt: (local) => Math.floor(local / seconds),
    startOf: (number) => number * seconds,
  };
}

const YEARS: Periods = {
  numberAt: (local) => dateOf(Math.floor(local / DAY_SECONDS)).year,
  startOf: (number) => dayOf(number, 1, 1) * DAY_SECONDS,
};

const MONTHS: Periods = {
  numberAt: (local) => {
    const { year, month } = dateOf(Math.floor(local / DAY_SECONDS));
    return year * 12 + month - 1;
  },
  startOf: (number) => dayOf(Math.floor(number / 12), (((number % 12) + 12) % 12) + 1, 1) * DAY_SECONDS,
};

function weeks(weekStart: number): Periods {
  const origin = weekStartOf(0, weekStart);
  return {
    numberAt: (local) => Math.floor((Math.floor(local / DAY_SECONDS) - origin) / 7),
    startOf: (number) => (origin + number * 7) * DAY_SECONDS,
  };
}

/** The parts of a time of day: hour, minute, second. */
type TimeOfDay = readonly [hour: number, minute: number, second: number];

/** The time of day of a local time. */
function timeOf(local: number): TimeOfDay {
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
