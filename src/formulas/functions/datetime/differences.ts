import { type CalendarDay, daysInMonth, fromSerial, toSerial } from '../../serial-date.ts';
import { ERROR } from '../../values.ts';
import { define } from '../define.ts';
import { withDays } from './day.ts';
import { days360 } from './day-count.ts';

export const DAYS = define('DAYS', ['number', 'number'], ([end, start]) =>
  withDays(start, end, (first, last) => last - first),
);

export const DAYS360 = define(
  'DAYS360',
  ['number', 'number', 'logical'],
  ([start, end, european = false]) =>
    withDays(start, end, (first, last) =>
      days360(fromSerial(first), fromSerial(last), european ? 'european' : 'american'),
    ),
  { required: 2 },
);

export const DATEDIF = define('DATEDIF', ['number', 'number', 'text'], ([start, end, unit]) =>
  withDays(start, end, (first, last) => {
    const count = UNITS[unit.toUpperCase()];
    return count === undefined || first > last ? ERROR['#NUM!'] : count(first, last);
  }),
);

const UNITS: Readonly<Record<string, (first: number, last: number) => number>> = {
  Y: (first, last) => Math.floor(wholeMonths(fromSerial(first), fromSerial(last)) / 12),
  M: (first, last) => wholeMonths(fromSerial(first), fromSerial(last)),
  D: (first, last) => last - first,
  YM: (first, last) => wholeMonths(fromSerial(first), fromSerial(last)) % 12,
  MD: (first, last) => daysBeyondMonths(fromSerial(first), fromSerial(last)),
  YD: (first, last) => daysBeyondYears(fromSerial(first), fromSerial(last)),
};

function wholeMonths(start: CalendarDay, end: CalendarDay): number {
  return (end.year - start.year) * 12 + end.month - start.month - (end.day < start.day ? 1 : 0);
}

function daysBeyondMonths(start: CalendarDay, end: CalendarDay): number {
  if (end.day >= start.day) return end.day - start.day;
  const [year, month] = end.month === 1 ? [end.year - 1, 12] : [end.year, end.month - 1];
  return daysInMonth(year, month) - start.day + end.day;
}

/** From the last time that the day of the start came round, in a year that may have a 29 February or not. */
function daysBeyondYears(start: CalendarDay, end: CalendarDay): number {
  const last = toSerial(end.year, end.month, end.day);
  const thisYear = toSerial(end.year, start.month, start.day);
  return last - (thisYear > last ? toSerial(end.year - 1, start.month, start.day) : thisYear);
}
