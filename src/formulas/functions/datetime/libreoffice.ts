import { daysInMonth, fromSerial, toSerial } from '../../serial-date.ts';
import { ERROR, type Value } from '../../values.ts';
import { define } from '../define.ts';
import { withDay, withDays } from './day.ts';
import { isLeap } from './day-count.ts';

export const DAYSINMONTH = define('DAYSINMONTH', ['number'], ([serial]) =>
  withDay(serial, ({ year, month }) => daysInMonth(year, month)),
);

export const DAYSINYEAR = define('DAYSINYEAR', ['number'], ([serial]) =>
  withDay(serial, ({ year }) => (isLeap(year) ? 366 : 365)),
);

export const ISLEAPYEAR = define('ISLEAPYEAR', ['number'], ([serial]) =>
  withDay(serial, ({ year }) => Number(isLeap(year))),
);

export const WEEKS = spans('WEEKS', (first, last, byCalendar) =>
  // Serial 2 is a Monday: weeks of the calendar change there.
  byCalendar ? Math.floor((last - 2) / 7) - Math.floor((first - 2) / 7) : Math.trunc((last - first) / 7),
);

export const MONTHS = spans('MONTHS', wholeMonths);

export const YEARS = spans('YEARS', (first, last, byCalendar) =>
  byCalendar
    ? fromSerial(last).year - fromSerial(first).year
    : Math.trunc(wholeMonths(first, last, false) / 12),
);

/** A function of LibreOffice that counts spans between two days: whole ones, or changes of the calendar. */
function spans(name: string, count: (first: number, last: number, byCalendar: boolean) => number) {
  return define(name, ['number', 'number', 'number'], ([start, end, kind]): Value => {
    if (kind !== 0 && kind !== 1) return ERROR['#VALUE!'];
    return withDays(start, end, (first, last) => count(first, last, kind === 1));
  });
}

function wholeMonths(first: number, last: number, byCalendar: boolean): number {
  const [start, end] = [fromSerial(first), fromSerial(last)];
  const months = (end.year - start.year) * 12 + end.month - start.month;
  if (byCalendar || months === 0) return months;
  if (months > 0) return end.day < start.day ? months - 1 : months;
  return end.day > start.day ? months + 1 : months;
}

/** The Gregorian rule in the form of Meeus, Jones and Butcher. */
export const EASTERSUNDAY = define('EASTERSUNDAY', ['number'], ([given]) => {
  const whole = Math.trunc(given);
  const year = whole < 30 ? whole + 2000 : whole < 100 ? whole + 1900 : whole;
  if (whole < 0 || year < 1900 || year > 9999) return ERROR['#NUM!'];
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const inCentury = year % 100;
  const correction = Math.floor((8 * century + 13) / 25);
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(inCentury / 4) - epact - (inCentury % 4)) % 7;
  const shift = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  return toSerial(year, 3, 22 + epact + weekday - 7 * shift);
});
