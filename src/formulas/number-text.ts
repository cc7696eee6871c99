import { withoutTrailing } from '../text/without-trailing.ts';
import { daysInMonth, toSerial } from './serial-date.ts';

/** Excel stores, displays and compares 15 significant digits. */
const DIGITS = 15;

/**
 * Splits a number into its sign, its significant digits without trailing zeros, and the power of ten of the first
 * digit.
 */
export function decimal(value: number): { sign: '' | '-'; digits: string; exponent: number } {
  const [mantissa = '0', exponent = '0'] = Math.abs(value)
    .toExponential(DIGITS - 1)
    .split('e');
  const digits = withoutTrailing(mantissa.replace('.', ''), '0');
  return { sign: value < 0 ? '-' : '', digits: digits === '' ? '0' : digits, exponent: Number(exponent) };
}

/** Rounds a number to the 15 significant digits that Excel compares. */
export function roundToSignificant(value: number): number {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value : Number(value.toPrecision(DIGITS));
}

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

/** The forms of dates and the fields that they capture, in US order as in English Excel. */
const DATE_FORMS: readonly [form: RegExp, fields: readonly ('year' | 'month' | 'day' | 'dayOrYear')[]][] = [
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
/** Excel parses "2024-01-10" only without surrounding blanks. */
const YEAR_FIRST = /^\d{4}-\d{1,2}-\d{1,2}$/;
const TIME = /^(\d{1,4})(?::(\d{1,2}))?(?::(\d{1,2}(?:\.\d*)?))?(?:( ?)([ap])(m?))?$/;
const MINUTES_AND_FRACTION = /^(\d{1,4}):(\d{1,2}\.\d*)$/;

/**
 * The serial number of a date, a time, or both, as typed into a cell.
 * @param thisYear the year of a date without one
 * @returns undefined for any other text
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
  for (const [form, fields] of DATE_FORMS) {
    const match = form.exec(text);
    if (match) return dateOf(match.slice(1).filter(isField), fields, thisYear);
  }
  return undefined;
}

/** A form captures date fields and the repeated separator. */
function isField(captured: string): boolean {
  return captured !== '-' && captured !== '/';
}

function dateOf(written: readonly string[], fields: readonly string[], thisYear: number): number | undefined {
  const given = new Map(fields.map((field, index) => [field, written[index] ?? '']));
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

/** Two digits mean a year from 1930 to 2029. */
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

const MAX_LENGTH = 255;
const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const DECORATED = /^([+-]?)([$€]?)([+-]?)(\d+(?:(?:,\d{3})+\d*)?(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const EURO_BEHIND = /^[^$€%]*€$/;
const FRACTION = /^([+-]?)(\d+) +(\d+)\/(\d+)$/;

/**
 * The number in a text, as typed into a cell: plain, with a currency, thousands separators or a percent sign, in
 * parentheses when negative, a fraction, a date or a time (as a serial number).
 * @param thisYear the year of a date without one; default: the current year
 * @returns undefined for any other text
 */
export function numberOfText(text: string, thisYear?: number): number | undefined {
  const written = text.trim();
  if (written.length > MAX_LENGTH || !/\d/.test(written)) return undefined;
  const number = PLAIN.test(written)
    ? Number(written)
    : (decoratedNumber(written) ?? fractionNumber(written));
  if (number === undefined) return dateOfText(text, thisYear);
  return Number.isFinite(number) ? number : undefined;
}

function decoratedNumber(text: string): number | undefined {
  const inside = /^\((.*)\)$/.exec(text)?.[1];
  const body = (inside ?? text).trim();
  const percent = /^%|%$/.test(body);
  const amount = EURO_BEHIND.test(body) ? body.slice(0, -1).trimEnd() : body;
  const match = DECORATED.exec(percent ? amount.replace(/^% ?| ?%$/, '') : amount);
  if (!match) return undefined;
  const [, before = '', , after = '', digits = '', exponent = ''] = match;
  const sign = before + after;
  // Parentheses already mean minus: "(-5)" is no number, nor is "+-5".
  if (sign.length > (inside === undefined ? 1 : 0)) return undefined;
  const value = Number(digits.replaceAll(',', '') + exponent) / (percent ? 100 : 1);
  return sign === '-' || inside !== undefined ? -value : value;
}

function fractionNumber(text: string): number | undefined {
  const match = FRACTION.exec(text);
  if (!match || Number(match[4]) === 0) return undefined;
  const size = Number(match[2]) + Number(match[3]) / Number(match[4]);
  return match[1] === '-' ? -size : size;
}
