import { numberOf } from '../../conversions.ts';
import { isGrid } from '../../grids.ts';
import { ascending } from '../../numerics/quantiles.ts';
import { isSerial, LAST_SERIAL } from '../../serial-date.ts';
import { filterWithTicks, type Spend } from '../../steps.ts';
import { CellError, ERROR, type Scalar, type Value } from '../../values.ts';
import { define } from '../function.ts';
import { withDays } from './dates.ts';

/** For each weekday from Monday on, whether it is a working day. */
type Week = readonly boolean[];

const MONDAY_TO_FRIDAY: Week = [true, true, true, true, true, false, false];

/** Parses the weekend argument of NETWORKDAYS.INTL and WORKDAY.INTL: a number, or seven characters 0 and 1. */
function weekOf(given: Scalar): Week | CellError {
  if (given instanceof CellError) return given;
  if (given === null) return MONDAY_TO_FRIDAY;
  if (typeof given === 'string') {
    return /^[01]{7}$/.test(given) ? [...given].map((off) => off === '0') : ERROR['#VALUE!'];
  }
  const number = Math.trunc(Number(given));
  const alone = number >= 11 && number <= 17;
  if (!alone && (number < 1 || number > 7)) return ERROR['#NUM!'];
  // 1 is Saturday and Sunday, 2 Sunday and Monday …; 11 is only Sunday, 12 only Monday …
  const off = alone ? [(number - 5) % 7] : [(number + 4) % 7, (number + 5) % 7];
  return MONDAY_TO_FRIDAY.map((_, weekday) => !off.includes(weekday));
}

/** Counts working days: those of the week without holidays. */
class Workdays {
  readonly #week: Week;
  readonly #inWeek: number;
  /** Holidays on working days, ascending. */
  readonly #holidays: Float64Array;

  constructor(week: Week, holidays: ReadonlySet<number>, spend: Spend) {
    this.#week = week;
    this.#inWeek = week.filter(Boolean).length;
    const free = filterWithTicks([...holidays], (day) => this.#week[weekdayOf(day)] === true, spend);
    this.#holidays = ascending(free, spend);
  }

  /** The number of working days from day 0 to `day`, inclusive. */
  upTo(day: number): number {
    const weeks = Math.floor((day + 1) / 7);
    let count = weeks * this.#inWeek - this.#holidaysUpTo(day);
    for (let rest = weeks * 7; rest <= day; rest++) if (this.#week[weekdayOf(rest)]) count++;
    return count;
  }

  /** The n-th working day; #NUM! outside the calendar. */
  nth(count: number): number | CellError {
    if (count < 1 || count > this.upTo(LAST_SERIAL)) return ERROR['#NUM!'];
    let [low, high] = [0, LAST_SERIAL];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.upTo(middle) >= count) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #holidaysUpTo(day: number): number {
    let [low, high] = [0, this.#holidays.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#holidays[middle] ?? 0) <= day) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** 0 for Monday; serial 0 is a Saturday. */
function weekdayOf(day: number): number {
  return (day + 5) % 7;
}

/** The days of a single value or a grid; an error when one is invalid. */
function holidaysOf(given: Value | undefined): ReadonlySet<number> | CellError {
  const days = new Set<number>();
  let wrong: CellError | undefined;
  const take = (value: Scalar): void => {
    const day = typeof value === 'boolean' ? ERROR['#VALUE!'] : numberOf(value);
    if (day instanceof CellError) wrong ??= day;
    else if (!isSerial(day)) wrong ??= ERROR['#NUM!'];
    else days.add(Math.floor(day));
  };
  if (isGrid(given)) given.each(take);
  else if (typeof given !== 'object' || given instanceof CellError) given !== undefined && take(given);
  return wrong ?? days;
}

export const NETWORKDAYS = define(
  'NETWORKDAYS',
  ['number', 'number', 'any'],
  ([start, end, holidays], { spend }) => networkDays(start, end, MONDAY_TO_FRIDAY, holidays, spend),
  { required: 2 },
);

export const NETWORKDAYS_INTL = define(
  'NETWORKDAYS.INTL',
  ['number', 'number', 'scalar', 'any'],
  ([start, end, weekend = null, holidays], { spend }) =>
    withWeek(weekend, (week) => networkDays(start, end, week, holidays, spend)),
  { required: 2 },
);

export const WORKDAY = define(
  'WORKDAY',
  ['number', 'number', 'any'],
  ([start, days, holidays], { spend }) => after(start, days, MONDAY_TO_FRIDAY, holidays, spend),
  { required: 2 },
);

export const WORKDAY_INTL = define(
  'WORKDAY.INTL',
  ['number', 'number', 'scalar', 'any'],
  ([start, days, weekend = null, holidays], { spend }) =>
    withWeek(weekend, (week) =>
      week.includes(true) ? after(start, days, week, holidays, spend) : ERROR['#VALUE!'],
    ),
  { required: 2 },
);

function withWeek(given: Scalar, make: (week: Week) => Value): Value {
  const week = weekOf(given);
  return week instanceof CellError ? week : make(week);
}

function networkDays(
  start: number,
  end: number,
  week: Week,
  holidays: Value | undefined,
  spend: Spend,
): Value {
  const free = holidaysOf(holidays);
  if (free instanceof CellError) return free;
  const workdays = new Workdays(week, free, spend);
  return withDays(start, end, (first, last) =>
    first <= last
      ? workdays.upTo(last) - workdays.upTo(first - 1)
      : workdays.upTo(last - 1) - workdays.upTo(first),
  );
}

function after(start: number, days: number, week: Week, holidays: Value | undefined, spend: Spend): Value {
  const free = holidaysOf(holidays);
  if (free instanceof CellError) return free;
  if (!isSerial(start)) return ERROR['#NUM!'];
  const [from, count] = [Math.floor(start), Math.trunc(days)];
  if (count === 0) return from;
  const workdays = new Workdays(week, free, spend);
  return count > 0
    ? workdays.nth(workdays.upTo(from) + count)
    : workdays.nth(workdays.upTo(from - 1) + count + 1);
}
