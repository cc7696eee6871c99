import { dateOfText } from '../../number-text.ts';
import {
  type CalendarDay,
  dayOfWeek,
  daysInMonth,
  fromSerial,
  isSerial,
  LAST_SERIAL,
  toSerial,
} from '../../serial-date.ts';
import { type CellError, ERROR, type Value } from '../../values.ts';
import { define } from '../function.ts';

/** Computes a value from the day of a serial number; #NUM! for an invalid one. */
export function withDay(serial: number, make: (day: CalendarDay) => Value): Value {
  return isSerial(serial) ? make(fromSerial(serial)) : ERROR['#NUM!'];
}

/** A computed serial number; #NUM! when it is invalid. */
function serialOrError(serial: number): number | CellError {
  return isSerial(serial) ? serial : ERROR['#NUM!'];
}

/** Computes a value from the integer days of two serial numbers; #NUM! when either is invalid. */
export function withDays(
  first: number,
  second: number,
  make: (first: number, second: number) => Value,
): Value {
  if (!isSerial(first) || !isSerial(second)) return ERROR['#NUM!'];
  return make(Math.floor(first), Math.floor(second));
}

const SECONDS_A_DAY = 86_400;
const MOST_OF_A_PART = 32_767;

export const DATE = define('DATE', ['number', 'number', 'number'], ([year, month, day]) => {
  const whole = Math.trunc(year);
  if (whole < 0 || whole > 9999 || Math.abs(month) > LAST_SERIAL || Math.abs(day) > LAST_SERIAL) {
    return ERROR['#NUM!'];
  }
  return serialOrError(toSerial(whole < 1900 ? whole + 1900 : whole, Math.floor(month), Math.floor(day)));
});

export const TIME = define('TIME', ['number', 'number', 'number'], (parts) => {
  if (parts.some((part) => part > MOST_OF_A_PART)) return ERROR['#NUM!'];
  const [hours, minutes, seconds] = parts.map(Math.trunc) as [number, number, number];
  const total = hours * 3600 + minutes * 60 + seconds;
  return total < 0 ? ERROR['#NUM!'] : (total % SECONDS_A_DAY) / SECONDS_A_DAY;
});

export const DATEVALUE = define('DATEVALUE', ['text'], ([text]) => {
  const serial = dateOfText(text);
  return serial === undefined ? ERROR['#VALUE!'] : Math.floor(serial);
});

export const TIMEVALUE = define('TIMEVALUE', ['text'], ([text]) => {
  const serial = dateOfText(text);
  return serial === undefined ? ERROR['#VALUE!'] : serial - Math.floor(serial);
});

export const NOW = define('NOW', [], (_, { now }) => now, { volatile: true });

export const TODAY = define('TODAY', [], (_, { now }) => Math.floor(now), { volatile: true });

export const YEAR = define('YEAR', ['number'], ([serial]) => withDay(serial, ({ year }) => year));

export const MONTH = define('MONTH', ['number'], ([serial]) => withDay(serial, ({ month }) => month));

export const DAY = define('DAY', ['number'], ([serial]) => withDay(serial, ({ day }) => day));

export const HOUR = define('HOUR', ['number'], ([serial]) =>
  withSecond(serial, (second) => Math.floor(second / 3600)),
);

export const MINUTE = define('MINUTE', ['number'], ([serial]) =>
  withSecond(serial, (second) => Math.floor(second / 60) % 60),
);

export const SECOND = define('SECOND', ['number'], ([serial]) => withSecond(serial, (second) => second % 60));

/** Computes a value from the second of the day, rounded. */
function withSecond(serial: number, make: (second: number) => number): Value {
  if (!isSerial(serial)) return ERROR['#NUM!'];
  return make(Math.round((serial - Math.floor(serial)) * SECONDS_A_DAY) % SECONDS_A_DAY);
}

export const EDATE = define('EDATE', ['number', 'number'], ([serial, months]) =>
  monthsOn(serial, months, (year, month, day) =>
    toSerial(year, month, Math.min(day, daysInMonth(year, month))),
  ),
);

export const EOMONTH = define('EOMONTH', ['number', 'number'], ([serial, months]) =>
  monthsOn(serial, months, (year, month) => toSerial(year, month + 1, 0)),
);

function monthsOn(
  serial: number,
  months: number,
  make: (year: number, month: number, day: number) => number,
): Value {
  if (Math.abs(months) > LAST_SERIAL) return ERROR['#NUM!'];
  return withDay(serial, ({ year, month, day }) => {
    const count = year * 12 + month - 1 + Math.trunc(months);
    const target = Math.floor(count / 12);
    return target < 1900 ? ERROR['#NUM!'] : serialOrError(make(target, (count % 12) + 1, day));
  });
}

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

/** The first weekday of a week (0 for Sunday), by the type argument of WEEKDAY and WEEKNUM. */
function firstWeekday(type: number): number | undefined {
  if (type === 1) return 0;
  if (type === 2) return 1;
  return type >= 11 && type <= 17 ? (type - 10) % 7 : undefined;
}

/** The week of the year; week 1 contains 1 January. */
function weekOf(day: number, first: number): number {
  const newYear = toSerial(fromSerial(day).year, 1, 1);
  const before = (dayOfWeek(newYear) - first + 7) % 7;
  return Math.floor((day - newYear + before) / 7) + 1;
}

/** ISO 8601: weeks start on Monday and belong to the year of their Thursday. */
function isoWeek(day: number): number {
  const thursday = day - ((dayOfWeek(day) + 6) % 7) + 3;
  return Math.floor((thursday - toSerial(fromSerial(thursday).year, 1, 1)) / 7) + 1;
}
