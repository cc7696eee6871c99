import { stripComments } from './parameters.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** RFC 5322 4.3; any other zone name means an unknown offset, read as UTC. */
const ZONE_HOURS: Record<string, number> = {
  edt: -4,
  est: -5,
  cdt: -5,
  cst: -6,
  mdt: -6,
  mst: -7,
  pdt: -7,
  pst: -8,
};

/** The parser reads no more characters; no date is longer. */
const MAX_LENGTH = 200;

const DAY_MONTH_YEAR = /\b(\d{1,2})[\s-]{1,5}([a-z]{3,9})\.?[\s-]{1,5}(\d{2,4})\b/i;
const MONTH_DAY_YEAR = /\b([a-z]{3,9})\.?\s{1,5}(\d{1,2})\s{1,5}(\d{4})\b/i;
const YEAR_MONTH_DAY = /\b(\d{4})-(\d{1,2})-(\d{1,2})(?=$|[T\s])/i;
/** ctime: the time precedes the year. */
const MONTH_DAY_TIME_YEAR = /\b([a-z]{3,9})\s{1,5}(\d{1,2})\s{1,5}([\d:]{5,8}.{0,12}?)\s(\d{4})\b/i;
const TIME = /\b(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?!\d)\s*([ap]\.?m\b)?/i;
/** After white space. */
const ZONE = /^(?:(?:gmt|utc?)\s*)?([+-]?)(\d{1,2}?):?(\d{2})(?!\d)|^([a-z]{1,5})\b/i;

/** The form of nearly all mail: "Mon, 5 Jan 2026 10:00:00 +0100". */
const USUAL =
  /^ ?(?:[A-Z][a-z]{2}, )?(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d) (?:GMT|([+-])([01]\d)([0-5]\d))$/;

interface Day {
  year: number;
  /** From 0. */
  month: number;
  day: number;
  /** The rest of the text, which contains the time. */
  rest: string;
}

/**
 * Milliseconds since the epoch of a Date header; null without a readable date, or with a year outside 1970–9999.
 * Reads RFC 5322 with its obsolete forms, ctime, ISO 8601 and American order. A missing time means midnight.
 */
export function parseDate(raw: string): number | null {
  const usual = USUAL.exec(raw);
  if (usual && MONTHS.includes(usual[2]?.toLowerCase() ?? '')) return usualDate(usual);
  const words = stripComments(raw).slice(0, MAX_LENGTH).replace(/[,"']/g, ' ');
  // RFC 5322 4.3 allows white space and comments around the colons of the time.
  const text = words
    .split(':')
    .map((part) => part.trim())
    .join(':');
  const day = findDay(text);
  if (!day) return null;
  const time = TIME.exec(day.rest);
  if (!time) return day.rest.includes(':') ? null : instant(day, 0, 0);
  const sinceMidnight = millisecondsOf(time);
  if (sinceMidnight === null) return null;
  return instant(day, sinceMidnight, zoneMinutes(day.rest.slice(time.index + time[0].length)));
}

function usualDate(match: RegExpExecArray): number | null {
  const [, day, month, year, hours, minutes, seconds, sign, east = '0', half = '0'] = match;
  const sinceMidnight = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  const zone = (sign === '-' ? -1 : 1) * (Number(east) * 60 + Number(half));
  const date = { year: Number(year), month: monthNumber(month), day: Number(day) };
  return instant(date, sinceMidnight, zone);
}

/**
 * The date of a Received header, which follows its last semicolon (RFC 5321 4.4). Comments do not count, unless that leaves
 * no date: some servers write a comment and do not close it.
 */
export function parseReceivedDate(raw: string): number | null {
  return dateAtTheEnd(stripComments(raw)) ?? dateAtTheEnd(raw);
}

function dateAtTheEnd(text: string): number | null {
  return parseDate(text.slice(text.lastIndexOf(';') + 1).slice(-MAX_LENGTH));
}

function findDay(text: string): Day | null {
  return dayMonthYear(text) ?? yearMonthDay(text) ?? monthTimeYear(text) ?? monthDayYear(text);
}

function dayMonthYear(text: string): Day | null {
  const match = DAY_MONTH_YEAR.exec(text);
  if (!match) return null;
  const [whole, day, month, year] = match;
  return dayOf(year, monthNumber(month), day, text.replace(whole, ' '));
}

function yearMonthDay(text: string): Day | null {
  const match = YEAR_MONTH_DAY.exec(text);
  if (!match) return null;
  const [whole, year, month, day] = match;
  return dayOf(year, Number(month) - 1, day, text.slice(match.index + whole.length).replace(/^T/i, ' '));
}

function monthTimeYear(text: string): Day | null {
  const match = MONTH_DAY_TIME_YEAR.exec(text);
  if (!match) return null;
  const [whole, month, day, time, year] = match;
  return dayOf(year, monthNumber(month), day, `${time}${text.slice(match.index + whole.length)}`);
}

function monthDayYear(text: string): Day | null {
  const match = MONTH_DAY_YEAR.exec(text);
  if (!match) return null;
  const [whole, month, day, year] = match;
  return dayOf(year, monthNumber(month), day, text.slice(match.index + whole.length));
}

function dayOf(year = '', month: number, day = '', rest: string): Day | null {
  return month < 0 || month > 11 ? null : { year: fullYear(year), month, day: Number(day), rest };
}

function monthNumber(name = ''): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase());
}

/** RFC 5322 4.3: years of two and three digits. */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 2) return year < 50 ? 2000 + year : 1900 + year;
  return digits.length === 3 ? 1900 + year : year;
}

/** Milliseconds since midnight; null for an invalid time. 23:59:60 is a leap second. */
function millisecondsOf([, hours, minutes, seconds = '0', part = '0', half]: RegExpExecArray): number | null {
  const hour = half ? (Number(hours) % 12) + (/^p/i.test(half) ? 12 : 0) : Number(hours);
  const legal = hour < 24 && Number(minutes) < 60 && Number(seconds) <= 60 && !(half && Number(hours) > 12);
  if (!legal) return null;
  return (
    (hour * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 + Math.floor(Number(`0.${part}`) * 1000)
  );
}

/** Minutes east of UTC named at the start of the text; 0 for an unknown or missing zone. */
function zoneMinutes(text: string): number {
  const [, sign, hours, minutes, name] = ZONE.exec(text.trimStart()) ?? [];
  if (name !== undefined) return (ZONE_HOURS[name.toLowerCase()] ?? 0) * 60;
  if (hours === undefined || Number(hours) > 24 || Number(minutes) > 59) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function instant(
  { year, month, day }: Omit<Day, 'rest'>,
  sinceMidnight: number,
  zone: number,
): number | null {
  if (year < 1970 || year > 9999) return null;
  const midnight = Date.UTC(year, month, day);
  if (new Date(midnight).getUTCDate() !== day || day === 0) return null;
  const at = midnight + sinceMidnight - zone * 60_000;
  // The zone offset can move the date out of the valid years.
  return at < 0 || at > LAST ? null : at;
}

const LAST = Date.UTC(9999, 11, 31, 23, 59, 59);
