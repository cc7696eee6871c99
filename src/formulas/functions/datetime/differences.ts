import { type CalendarDay, daysInMonth, fromSerial, toSerial } from '../../serial-date.ts';
import { ERROR, type Value } from '../../values.ts';
import { define } from '../function.ts';
import { withDay, withDays } from './dates.ts';

/** Days between two days with months of 30 days, by the US (NASD) or the European rule. */
export function days360(start: CalendarDay, end: CalendarDay, rule: 'american' | 'european'): number {
  const first = rule === 'american' && isLastOfFebruary(start) ? 30 : Math.min(start.day, 30);
  const last = rule === 'european' || first === 30 ? Math.min(end.day, 30) : end.day;
  return (end.year - start.year) * 360 + (end.month - start.month) * 30 + last - first;
}

/** Like `days360` by the US rule, but also exact for two ends of February. */
export function days360OfYears(start: CalendarDay, end: CalendarDay): number {
  const both = isLastOfFebruary(start) && isLastOfFebruary(end);
  return days360(start, both ? { ...end, day: 30 } : end, 'american');
}

/** The year length by which Excel divides actual days: the length of one year, or the mean of all years involved. */
export function yearLength(start: CalendarDay, end: CalendarDay): number {
  const withinOne =
    end.year === start.year ||
    (end.year === start.year + 1 &&
      (end.month < start.month || (end.month === start.month && end.day <= start.day)));
  if (!withinOne) {
    return (toSerial(end.year + 1, 1, 1) - toSerial(start.year, 1, 1)) / (end.year - start.year + 1);
  }
  return touchesLeapDay(start, end) ? 366 : 365;
}

function touchesLeapDay(start: CalendarDay, end: CalendarDay): boolean {
  if (start.year === end.year) return isLeap(start.year);
  return (
    (isLeap(start.year) && start.month <= 2) ||
    (isLeap(end.year) && (end.month > 2 || (end.day === 29 && end.month === 2)))
  );
}

function isLeap(year: number): boolean {
  return daysInMonth(year, 2) === 29;
}

function isLastOfFebruary({ year, month, day }: CalendarDay): boolean {
  return month === 2 && day === daysInMonth(year, 2);
}

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

/** Days since the last anniversary of the start; the year of the anniversary may lack a 29 February. */
function daysBeyondYears(start: CalendarDay, end: CalendarDay): number {
  const last = toSerial(end.year, end.month, end.day);
  const thisYear = toSerial(end.year, start.month, start.day);
  return last - (thisYear > last ? toSerial(end.year - 1, start.month, start.day) : thisYear);
}

/** The day count conventions by their number. */
const BASES: readonly ((start: CalendarDay, end: CalendarDay, days: number) => number)[] = [
  (start, end) => days360OfYears(start, end) / 360,
  (start, end, days) => days / yearLength(start, end),
  (_start, _end, days) => days / 360,
  (_start, _end, days) => days / 365,
  (start, end) => days360(start, end, 'european') / 360,
];

export const YEARFRAC = define(
  'YEARFRAC',
  ['number', 'number', 'number'],
  ([start, end, basis = 0]) => {
    const fraction = BASES[Math.trunc(basis)];
    if (fraction === undefined) return ERROR['#NUM!'];
    return withDays(Math.min(start, end), Math.max(start, end), (first, last) =>
      fraction(fromSerial(first), fromSerial(last), last - first),
    );
  },
  { required: 2 },
);

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
  // Serial 2 is a Monday, on which calendar weeks start.
  byCalendar ? Math.floor((last - 2) / 7) - Math.floor((first - 2) / 7) : Math.trunc((last - first) / 7),
);

export const MONTHS = spans('MONTHS', monthsBetween);

export const YEARS = spans('YEARS', (first, last, byCalendar) =>
  byCalendar
    ? fromSerial(last).year - fromSerial(first).year
    : Math.trunc(monthsBetween(first, last, false) / 12),
);

/** Defines a LibreOffice function that counts complete periods, or calendar boundaries, between two days. */
function spans(name: string, count: (first: number, last: number, byCalendar: boolean) => number) {
  return define(name, ['number', 'number', 'number'], ([start, end, kind]): Value => {
    if (kind !== 0 && kind !== 1) return ERROR['#VALUE!'];
    return withDays(start, end, (first, last) => count(first, last, kind === 1));
  });
}

function monthsBetween(first: number, last: number, byCalendar: boolean): number {
  const [start, end] = [fromSerial(first), fromSerial(last)];
  const months = (end.year - start.year) * 12 + end.month - start.month;
  if (byCalendar || months === 0) return months;
  if (months > 0) return end.day < start.day ? months - 1 : months;
  return end.day > start.day ? months + 1 : months;
}

/** The Gregorian Easter algorithm of Meeus, Jones and Butcher. */
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
