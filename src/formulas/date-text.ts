import { daysInMonth, toSerial } from './serial-date.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const LONG_MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const SECONDS_A_DAY = 86_400;

const MONTH = '([a-z]{3,9})';
const YEAR = '(\\d{4}|\\d{2})';
const GAP = '(?:[-/ ]| ?, ?)';

/** How a date may be written, and which part of it is what; the American order, as in Excel in English. */
const FORMS: readonly [form: RegExp, parts: readonly ('year' | 'month' | 'day' | 'dayOrYear')[]][] = [
  [/^(\d{4})([-/])(\d{1,2})\2(\d{1,2})$/, ['year', 'month', 'day']],
  [/^(\d{1,2})([-/])(\d{1,2})\2(\d{4}|\d{2})$/, ['month', 'day', 'year']],
  [/^(\d{1,2})[-/](\d{1,2})$/, ['month', 'dayOrYear']],
  [/^(\d{1,2})[-/](\d{4})$/, ['month', 'year']],
  [new RegExp(`^(\\d{1,2})${GAP}${MONTH}${GAP}${YEAR}$`), ['day', 'month', 'year']],
  [new RegExp(`^(\\d{1,2})${GAP}${MONTH}$`), ['day', 'month']],
  [new RegExp(`^${MONTH}${GAP}(\\d{1,2})${GAP}${YEAR}$`), ['month', 'day', 'year']],
  [new RegExp(`^(\\d{4})${GAP}${MONTH}${GAP}(\\d{1,2})$`), ['year', 'month', 'day']],
  [new RegExp(`^${MONTH}${GAP}(\\d{4})$`), ['month', 'year']],
  [new RegExp(`^${MONTH}${GAP}(\\d{1,2})$`), ['month', 'dayOrYear']],
];
/** Excel reads "2024-01-10", but not between blanks. */
const YEAR_FIRST = /^\d{4}-\d{1,2}-\d{1,2}$/;
const TIME = /^(\d{1,4})(?::(\d{1,2}))?(?::(\d{1,2}(?:\.\d*)?))?(?:( ?)([ap])(m?))?$/;
const MINUTES_AND_FRACTION = /^(\d{1,4}):(\d{1,2}\.\d*)$/;

/**
 * The serial number of a date, a time, or both, as they may be typed into a cell.
 * @param thisYear the year of a date that names none
 * @returns undefined when the text is none of them
 */
export function dateOfText(text: string, thisYear = new Date().getUTCFullYear()): number | undefined {
  const written = text.trim().toLowerCase().replace(/ +/g, ' ');
  if (written.length > 64 || (YEAR_FIRST.test(written) && text.trim() !== text)) return undefined;
  const alone = parseDate(written, thisYear) ?? parseTime(written);
  if (alone !== undefined) return alone;
  for (let gap = written.indexOf(' '); gap > 0; gap = written.indexOf(' ', gap + 1)) {
    const [head, tail] = [written.slice(0, gap), written.slice(gap + 1)];
    const date = parseDate(head, thisYear) ?? parseDate(tail, thisYear);
    const time = parseTime(tail) ?? parseTime(head);
    if (date !== undefined && time !== undefined) return date + time;
  }
  return undefined;
}

function parseDate(text: string, thisYear: number): number | undefined {
  for (const [form, parts] of FORMS) {
    const match = form.exec(text);
    if (match) return dateOf(match.slice(1).filter(isPart), parts, thisYear);
  }
  return undefined;
}

/** What a form captures is a part of the date, or the separator that must come back. */
function isPart(captured: string): boolean {
  return captured !== '-' && captured !== '/';
}

function dateOf(written: readonly string[], parts: readonly string[], thisYear: number): number | undefined {
  const given = new Map(parts.map((part, index) => [part, written[index] ?? '']));
  const month = monthOf(given.get('month') ?? '');
  if (month === undefined) return undefined;
  const either = given.get('dayOrYear');
  if (either !== undefined && Number(either) > daysInMonth(thisYear, month)) {
    return serialOf(fullYear(either), month, 1);
  }
  const year = given.get('year');
  return serialOf(
    year === undefined ? thisYear : fullYear(year),
    month,
    Number(either ?? given.get('day') ?? 1),
  );
}

function serialOf(year: number, month: number, day: number): number | undefined {
  return year >= 1900 && day >= 1 && day <= daysInMonth(year, month) ? toSerial(year, month, day) : undefined;
}

function monthOf(written: string): number | undefined {
  const index = MONTHS.indexOf(written) + 1 || LONG_MONTHS.indexOf(written) + 1 || Number(written);
  return index >= 1 && index <= 12 ? index : undefined;
}

/** Two digits are a year from 1930 to 2029. */
function fullYear(written: string): number {
  const year = Number(written);
  if (written.length > 2) return year;
  return year < 30 ? 2000 + year : 1900 + year;
}

function parseTime(text: string): number | undefined {
  const short = MINUTES_AND_FRACTION.exec(text);
  if (short) return timeOf(0, Number(short[1]), Number(short[2]));
  const [, hours, minutes, seconds, space, half, m] = TIME.exec(text) ?? [];
  if (hours === undefined || (minutes === undefined && half === undefined)) return undefined;
  // "3a" and "3am" are no times, "3 a" and "3:00am" are.
  if (space === '' && (minutes === undefined || m === '')) return undefined;
  const hour = half === undefined ? Number(hours) : hourOfDay(Number(hours), half);
  return hour === undefined ? undefined : timeOf(hour, Number(minutes ?? 0), Number(seconds ?? 0));
}

function hourOfDay(hour: number, half: string): number | undefined {
  return hour <= 12 ? (hour % 12) + (half === 'p' ? 12 : 0) : undefined;
}

function timeOf(hours: number, minutes: number, seconds: number): number | undefined {
  return minutes < 60 && seconds < 60 ? (hours * 3600 + minutes * 60 + seconds) / SECONDS_A_DAY : undefined;
}
