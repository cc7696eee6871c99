/** A calendar day of the serial numbers. Months are 1 to 12; day 0 is the day before 1 January 1900. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** 31 December 9999, the last valid day. */
export const LAST_SERIAL = 2_958_465;

const MILLISECONDS_A_DAY = 86_400_000;
const DAYS_FROM_1900_TO_1970 = 25_569;
/** Serial 60 is 29 February 1900, which did not exist: Excel took it over from Lotus 1-2-3. */
const LEAP_DAY_OF_1900 = 60;

/**
 * The serial number of a day; months and days outside their range overflow.
 * @param year from 1900
 */
export function toSerial(year: number, month: number, day: number): number {
  const first = Date.UTC(year, month - 1, 1) / MILLISECONDS_A_DAY + DAYS_FROM_1900_TO_1970;
  return (first <= LEAP_DAY_OF_1900 ? first - 1 : first) + day - 1;
}

/** The day of a serial number; a fraction for the time of day is ignored. */
export function fromSerial(serial: number): CalendarDay {
  const count = Math.floor(serial);
  if (count === LEAP_DAY_OF_1900) return { year: 1900, month: 2, day: 29 };
  if (count === 0) return { year: 1900, month: 1, day: 0 };
  const days = count < LEAP_DAY_OF_1900 ? count + 1 : count;
  const date = new Date((days - DAYS_FROM_1900_TO_1970) * MILLISECONDS_A_DAY);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The number of days of a month; February 1900 has 29. */
export function daysInMonth(year: number, month: number): number {
  return toSerial(year, month + 1, 1) - toSerial(year, month, 1);
}

/** The day of the week, 0 (Sunday) to 6. Before March 1900 it has the same error as the serial numbers. */
export function dayOfWeek(serial: number): number {
  return (Math.floor(serial) + 6) % 7;
}

/** Whether a serial number is within the calendar. */
export function isSerial(serial: number): boolean {
  return serial >= 0 && serial < LAST_SERIAL + 1;
}
