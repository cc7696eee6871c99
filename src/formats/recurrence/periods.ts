import { DAY_SECONDS, dateOf, dayOf, weekStartOf } from './civil.ts';
import { InvalidRule, type RecurrenceRule } from './rule.ts';

/**
 * A budget for the expansion of rules: each period, day and time counts one step. A short rule can occupy a
 * processor for minutes; rules that share a budget are bounded together.
 */
export class Steps {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  static unlimited(): Steps {
    return new Steps(Number.POSITIVE_INFINITY);
  }

  /** Throws InvalidRule when the budget is used up. */
  take(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new InvalidRule('to find what the rule names takes too long');
  }
}

/** The periods of one frequency, numbered consecutively. */
interface Periods {
  /** The number of the period that contains a local time. */
  numberAt(local: number): number;
  /** The local time at which a period starts. */
  startOf(number: number): number;
}

const UNIT_SECONDS = { SECONDLY: 1, MINUTELY: 60, HOURLY: 3600, DAILY: DAY_SECONDS } as const;

/** The periods that a rule visits from its start on, numbered 0, 1, 2 …; INTERVAL skips the periods between them. */
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

  /** The local times of a period: inclusive start, exclusive end. */
  at(index: number): [from: number, to: number] {
    const number = this.#first + index * this.#interval;
    return [this.#periods.startOf(number), this.#periods.startOf(number + 1)];
  }
}

/** The phase of a rule with an instance at a local time: the number of its period modulo INTERVAL. */
export function phaseOf(rule: RecurrenceRule, local: number): number {
  return modulo(periodsOf(rule).numberAt(local), rule.interval);
}

/** The start of the last period of a phase that starts at or before a local time. */
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

/** Hour, minute and second of a day. */
type TimeOfDay = readonly [hour: number, minute: number, second: number];

/** The time of day of a local time. */
function timeOf(local: number): TimeOfDay {
  const seconds = ((local % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS;
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
}

/**
 * The rule's times within a period of at most a day, as seconds from the start of the period, sorted. Fields that
 * the period does not fix come from the rule, else from the start.
 */
export function timesWithin(rule: RecurrenceRule, start: number): number[] {
  const [hour, minute, second] = timeOf(start);
  const hours = isShorterThanDay(rule) ? [0] : orElse(rule.byHour, hour);
  const minutes = isShorterThanHour(rule.frequency) ? [0] : orElse(rule.byMinute, minute);
  const seconds = rule.frequency === 'SECONDLY' ? [0] : orElse(rule.bySecond, second);
  // RFC 5545 allows the leap second, which these clocks do not have.
  const shown = seconds.filter((s) => s < 60);
  return hours.flatMap((h) => minutes.flatMap((m) => shown.map((s) => h * 3600 + m * 60 + s)));
}

/** The largest number of the rule's times within a period of at most a day. */
export function countTimes({ byHour, byMinute, bySecond }: RecurrenceRule): number {
  return Math.max(1, byHour.length) * Math.max(1, byMinute.length) * Math.max(1, bySecond.length);
}

/**
 * The end of the hour or minute that the rule excludes, for a period shorter than a day that starts at `local`;
 * `local` itself when the rule allows it.
 */
export function endOfRefusedTime(rule: RecurrenceRule, local: number): number {
  const hour = Math.floor(local / 3600);
  if (!allows(rule.byHour, hour, 24)) return (hour + 1) * 3600;
  if (rule.frequency === 'HOURLY') return local;
  const minute = Math.floor(local / 60);
  if (!allows(rule.byMinute, minute, 60)) return (minute + 1) * 60;
  return rule.frequency === 'MINUTELY' || allows(rule.bySecond, local, 60) ? local : local + 1;
}

export function isShorterThanDay({ frequency }: RecurrenceRule): boolean {
  return frequency === 'HOURLY' || isShorterThanHour(frequency);
}

function isShorterThanHour(frequency: RecurrenceRule['frequency']): boolean {
  return frequency === 'SECONDLY' || frequency === 'MINUTELY';
}

function orElse(given: readonly number[], fallback: number): readonly number[] {
  return given.length > 0 ? given : [fallback];
}

/** Whether a list, if there is one, has the number that a clock shows which starts again after so many. */
function allows(limit: readonly number[], counted: number, shown: number): boolean {
  return limit.length === 0 || limit.includes(modulo(counted, shown));
}
