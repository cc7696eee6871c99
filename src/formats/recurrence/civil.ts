/**
 * The Gregorian calendar in integers: a day is the number of days since 1970-01-01; a local time is the number of
 * seconds since that day's midnight on the wall clock of any zone, without an offset.
 */

export const DAY_SECONDS = 86_400;

export interface CivilDate {
  year: number;
  /** 1 to 12. */
  month: number;
  /** 1 to 31. */
  day: number;
}

/** Days of an era of 400 years; days from 0000-03-01 to 1970-01-01. */
const ERA_DAYS = 146_097;
const EPOCH_SHIFT = 719_468;

/**
 * The day of a date; a day or month beyond its range overflows. Years start in March here, so that leap days come
 * last.
 */
export function dayOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * ERA_DAYS + dayOfEra - EPOCH_SHIFT;
}

/** The date of a day. */
export function dateOf(day: number): CivilDate {
  const shifted = day + EPOCH_SHIFT;
  const era = Math.floor(shifted / ERA_DAYS);
  const dayOfEra = shifted - era * ERA_DAYS;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

/** By month; February without its leap day. */
const MONTH_DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function daysInMonth(year: number, month: number): number {
  const days = MONTH_DAYS[month] ?? 0;
  return month === 2 && isLeapYear(year) ? days + 1 : days;
}

export function daysInYear(year: number): number {
  return isLeapYear(year) ? 366 : 365;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** The first day of the week of `day`, when weeks start on `weekStart`. */
export function weekStartOf(day: number, weekStart: number): number {
  return day - ((weekdayOf(day) - weekStart + 7) % 7);
}

/**
 * The week number of a day, from the start of its week-year and from its end (-1 for the last). RFC 5545 3.3.10:
 * "Week number one of the calendar year is the first week that contains at least four (4) days in that calendar
 * year."
 */
export function weekNumbersOf(day: number, weekStart: number): [fromStart: number, fromEnd: number] {
  const start = weekStartOf(day, weekStart);
  const { year } = dateOf(start + 3);
  const first = weekStartOf(dayOf(year, 1, 4), weekStart);
  const next = weekStartOf(dayOf(year + 1, 1, 4), weekStart);
  return [(start - first) / 7 + 1, (start - next) / 7];
}
