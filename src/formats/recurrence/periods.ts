import { DAY_SECONDS, dateOf, dayOf, weekStartOf } from './civil.ts';
import type { RecurrenceRule } from './rule.ts';

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
