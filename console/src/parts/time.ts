import { type Language, localeOf } from '../app/texts.ts';

const DAY_MS = 86_400_000;

/** As short as it stays clear: the time for today, the day within a year, else the date. `at` is RFC 3339. */
export function shortTime(at: string, language: Language, now = new Date()): string {
  const date = new Date(at);
  if (date.toDateString() === now.toDateString()) return format(date, language, { timeStyle: 'short' });
  const isNear = Math.abs(now.getTime() - date.getTime()) < 300 * DAY_MS;
  return format(date, language, isNear ? { day: 'numeric', month: 'short' } : { dateStyle: 'short' });
}

/** The full date and time, such as for a tooltip. */
export function fullTime(at: string, language: Language): string {
  return format(new Date(at), language, { dateStyle: 'full', timeStyle: 'short' });
}

/** A formatter takes a hundred times as long to make as to use. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function format(date: Date, language: Language, options: Intl.DateTimeFormatOptions): string {
  if (Number.isNaN(date.getTime())) return '';
  const key = language + JSON.stringify(options);
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(localeOf(language), options);
  formatters.set(key, formatter);
  return formatter.format(date);
}
