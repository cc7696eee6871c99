import { dayOfWeek, fromSerial, toSerial } from '../../serial-date.ts';
import { ERROR } from '../../values.ts';
import { define } from '../define.ts';
import { withDays } from './day.ts';

const ISO_WEEKS = 21;

export const WEEKDAY = define(
  'WEEKDAY',
  ['number', 'number'],
  ([serial, kind = 1]) => {
    const type = Math.trunc(kind);
    const first = firstWeekday(type === 3 ? 2 : type);
    if (first === undefined) return ERROR['#NUM!'];
    return withDays(serial, serial, (day) => ((dayOfWeek(day) - first + 7) % 7) + (type === 3 ? 0 : 1));
  },
  { required: 1 },
);

export const WEEKNUM = define(
  'WEEKNUM',
  ['number', 'number'],
  ([serial, kind = 1]) => {
    const type = Math.trunc(kind);
    const first = firstWeekday(type);
    if (type === ISO_WEEKS) return withDays(serial, serial, isoWeek);
    return first === undefined ? ERROR['#NUM!'] : withDays(serial, serial, (day) => weekOf(day, first));
  },
  { required: 1, leftOutBy: 'emptyCell' },
);

export const ISOWEEKNUM = define('ISOWEEKNUM', ['number'], ([serial]) => withDays(serial, serial, isoWeek));

/** The weekday, 0 of Sunday, with which a week begins, by the number that WEEKDAY and WEEKNUM are given. */
function firstWeekday(type: number): number | undefined {
  if (type === 1) return 0;
  if (type === 2) return 1;
  return type >= 11 && type <= 17 ? (type - 10) % 7 : undefined;
}

/** Weeks of the year, of which the first has 1 January. */
function weekOf(day: number, first: number): number {
  const newYear = toSerial(fromSerial(day).year, 1, 1);
  const before = (dayOfWeek(newYear) - first + 7) % 7;
  return Math.floor((day - newYear + before) / 7) + 1;
}

/** ISO 8601: weeks begin on Monday, and belong to the year that has their Thursday. */
function isoWeek(day: number): number {
  const thursday = day - ((dayOfWeek(day) + 6) % 7) + 3;
  return Math.floor((thursday - toSerial(fromSerial(thursday).year, 1, 1)) / 7) + 1;
}
