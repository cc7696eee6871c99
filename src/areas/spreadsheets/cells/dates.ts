import { LAST_SERIAL, toSerial } from '../../../formulas/serial-date.ts';

/** What a cell with a date shows: a day, or a point in time. */
export type DateKind = 'date' | 'datetime';

/** The number format of a cell that gets a date and has no format that shows it. */
export const DATE_FORMATS: Readonly<Record<DateKind, string>> = {
  date: 'yyyy-mm-dd',
  datetime: 'yyyy-mm-dd hh:mm:ss',
};

/** What a text has to be, as a sentence. */
export const WANTED_DATES: Readonly<Record<DateKind, string>> = {
  date: 'Give a day from 1900-01-01 to 9999-12-31, such as "2026-11-23".',
  datetime:
    'Give a day from 1900-01-01 to 9999-12-31 and a time, such as "2026-11-23T14:30:00" or, with an offset, "2026-11-23T14:30:00+01:00".',
};

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const MOMENT =
  /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:\.\d{1,9})?))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;

const MINUTE = 60;
const DAY_IN_SECONDS = 86_400;
const FIRST_SERIAL = 1;

/**
 * The serial number of a day or of a point in time; undefined for a text that is none, or one outside of the calendar of
 * spreadsheets. A time without an offset is taken as it is; one with an offset becomes that in UTC, because a cell has no
 * time zone.
 */
export function serialOf(kind: DateKind, text: string): number | undefined {
  const serial = kind === 'date' ? serialOfDay(text) : serialOfMoment(text);
  const isWithin = serial !== undefined && serial >= FIRST_SERIAL && serial < LAST_SERIAL + 1;
  return isWithin ? serial : undefined;
}

function serialOfDay(text: string): number | undefined {
  const [, year = '', month = '', day = ''] = DAY.exec(text) ?? [];
  const time = new Date(`${text}T00:00:00Z`);
  // A day that the month does not have would become one of the next month.
  if (year < '1900' || Number.isNaN(time.getTime()) || time.getUTCDate() !== Number(day)) return undefined;
  return toSerial(Number(year), Number(month), Number(day));
}

function serialOfMoment(text: string): number | undefined {
  const [, day = '', hour, minute, second = '0', offset = ''] = MOMENT.exec(text) ?? [];
  const serial = serialOfDay(day);
  if (serial === undefined) return undefined;
  const seconds = (Number(hour) * MINUTE + Number(minute)) * MINUTE + Number(second) - secondsOf(offset);
  if (offset === '') return serial + seconds / DAY_IN_SECONDS;
  const days = Math.floor(seconds / DAY_IN_SECONDS);
  return neighbour(serial, days) + (seconds - days * DAY_IN_SECONDS) / DAY_IN_SECONDS;
}

/** The seconds of an offset such as +01:00; 0 for Z and without one. */
function secondsOf(offset: string): number {
  if (offset.length < 6) return 0;
  const minutes = Number(offset.slice(1, 3)) * MINUTE + Number(offset.slice(4));
  return (offset.startsWith('-') ? -minutes : minutes) * MINUTE;
}

/** 29 February 1900, which serial numbers have, did not exist. */
const LEAP_DAY_OF_1900 = 60;

/** The serial number of the day before or after. */
function neighbour(serial: number, days: number): number {
  const next = serial + days;
  return next === LEAP_DAY_OF_1900 ? next + days : next;
}
