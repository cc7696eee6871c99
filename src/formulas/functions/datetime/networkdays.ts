import { isSerial } from '../../serial-date.ts';
import type { Spend } from '../../spending.ts';
import { CellError, ERROR, type Scalar, type Value } from '../../values.ts';
import { define } from '../define.ts';
import { withDays } from './day.ts';
import { holidaysOf, MONDAY_TO_FRIDAY, type Week, Workdays, weekOf } from './workdays.ts';

export const NETWORKDAYS = define(
  'NETWORKDAYS',
  ['number', 'number', 'any'],
  ([start, end, holidays], { spend }) => between(start, end, MONDAY_TO_FRIDAY, holidays, spend),
  { required: 2 },
);

export const NETWORKDAYS_INTL = define(
  'NETWORKDAYS.INTL',
  ['number', 'number', 'scalar', 'any'],
  ([start, end, weekend = null, holidays], { spend }) =>
    withWeek(weekend, (week) => between(start, end, week, holidays, spend)),
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

function between(start: number, end: number, week: Week, holidays: Value | undefined, spend: Spend): Value {
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
