import { DAY_SECONDS, dayOf } from './civil.ts';
import { instances } from './expansion.ts';
import { Steps } from './periods.ts';
import {
  type ByDay,
  FREQUENCIES,
  type Frequency,
  InvalidRule,
  type RecurrenceRule,
  type Until,
} from './rule.ts';

/** From Monday on. */
export const WEEKDAYS: readonly string[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** Larger intervals and counts select no further instance before the year 10000. */
const MAX_NUMBER = 2 ** 31;

/** The rule parts with lists of numbers, and their ranges; signed ones may also be negative. */
const LISTS = {
  BYSECOND: { min: 0, max: 60, signed: false },
  BYMINUTE: { min: 0, max: 59, signed: false },
  BYHOUR: { min: 0, max: 23, signed: false },
  BYMONTHDAY: { min: 1, max: 31, signed: true },
  BYYEARDAY: { min: 1, max: 366, signed: true },
  BYWEEKNO: { min: 1, max: 53, signed: true },
  BYMONTH: { min: 1, max: 12, signed: false },
  BYSETPOS: { min: 1, max: 366, signed: true },
} as const;

type ListName = keyof typeof LISTS;

/** The other rule parts. RFC 7529 adds RSCALE and SKIP, of which only the default values are supported. */
const SINGLE = new Set(['FREQ', 'INTERVAL', 'UNTIL', 'COUNT', 'WKST', 'BYDAY', 'RSCALE', 'SKIP']);

/** Parses the value of an RRULE property. Throws InvalidRule with a message that quotes nothing of the text. */
export function parseRule(text: string): RecurrenceRule {
  const parts = partsOf(text);
  const frequency = frequencyOf(parts.get('FREQ'));
  refuseOtherCalendars(parts);
  if (parts.has('UNTIL') && parts.has('COUNT')) throw new InvalidRule('UNTIL and COUNT exclude each other');
  const list = (name: ListName) => numbersOf(name, parts.get(name));
  return {
    frequency,
    interval: positive('INTERVAL', parts.get('INTERVAL') ?? '1'),
    until: untilOf(parts.get('UNTIL')),
    count: parts.has('COUNT') ? positive('COUNT', parts.get('COUNT')) : undefined,
    weekStart: parts.has('WKST') ? weekdayNamed(parts.get('WKST')) : 0,
    bySecond: list('BYSECOND'),
    byMinute: list('BYMINUTE'),
    byHour: list('BYHOUR'),
    byDay: byDayOf(parts.get('BYDAY')),
    byMonthDay: list('BYMONTHDAY'),
    byYearDay: list('BYYEARDAY'),
    byWeekNo: list('BYWEEKNO'),
    byMonth: list('BYMONTH'),
    bySetPos: list('BYSETPOS'),
  };
}

function partsOf(text: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.trim().split(';')) {
    if (part === '') continue;
    const [, name = '', value = ''] = /^\s*([A-Za-z-]+)\s*=(.*)$/s.exec(part) ?? [];
    const key = name.toUpperCase();
    if (key.startsWith('X-')) continue;
    if (!SINGLE.has(key) && !(key in LISTS))
      throw new InvalidRule(`a part is none of ${[...SINGLE, ...Object.keys(LISTS)].join(', ')}`);
    if (parts.has(key)) throw new InvalidRule(`${key} is given twice`);
    parts.set(key, value.trim().toUpperCase());
  }
  return parts;
}

function frequencyOf(value: string | undefined): Frequency {
  const found = FREQUENCIES.find((frequency) => frequency === value);
  if (!found) throw new InvalidRule(`FREQ must be one of ${FREQUENCIES.join(', ')}`);
  return found;
}

/** RFC 7529 4.1: a rule in an unsupported calendar must not be read as Gregorian. */
function refuseOtherCalendars(parts: ReadonlyMap<string, string>): void {
  if ((parts.get('RSCALE') ?? 'GREGORIAN') !== 'GREGORIAN') throw new InvalidRule('RSCALE must be GREGORIAN');
  if ((parts.get('SKIP') ?? 'OMIT') !== 'OMIT') throw new InvalidRule('SKIP must be OMIT');
}

function positive(name: string, value = ''): number {
  const number = /^\+?\d{1,10}$/.test(value) ? Number(value) : 0;
  if (number < 1) throw new InvalidRule(`${name} must be a whole number from 1`);
  return Math.min(number, MAX_NUMBER);
}

function numbersOf(name: ListName, value: string | undefined): number[] {
  if (value === undefined) return [];
  const numbers = value.split(',').map((item) => numberOf(name, item.trim()));
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function numberOf(name: ListName, text: string): number {
  const { min, max, signed } = LISTS[name];
  const number = /^[+-]?\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  const size = signed ? Math.abs(number) : number;
  if (!(size >= min && size <= max))
    throw new InvalidRule(`${name} takes numbers from ${min} to ${max}${signed ? ', or negative ones' : ''}`);
  return number;
}

function byDayOf(value: string | undefined): ByDay[] {
  if (value === undefined) return [];
  return value.split(',').map((item) => {
    const [, nth = '', name] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(item.trim()) ?? [];
    if (name === undefined || (nth !== '' && !inNthRange(Number(nth))))
      throw new InvalidRule('BYDAY takes weekdays such as MO, 2TU or -1FR');
    return { weekday: weekdayNamed(name), nth: Number(nth) };
  });
}

function inNthRange(nth: number): boolean {
  return nth !== 0 && Math.abs(nth) <= 53;
}

function weekdayNamed(name = ''): number {
  const weekday = WEEKDAYS.indexOf(name);
  if (weekday < 0) throw new InvalidRule(`A weekday is one of ${WEEKDAYS.join(', ')}`);
  return weekday;
}

function untilOf(value: string | undefined): Until | undefined {
  if (value === undefined) return undefined;
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(value);
  if (!match) throw new InvalidRule('UNTIL must be a date or a date and time');
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (month < 1 || month > 12 || date < 1 || date > 31) throw new InvalidRule('UNTIL names no date');
  const day = dayOf(year, month, date);
  if (match[4] === undefined) return { kind: 'date', day };
  const seconds = day * DAY_SECONDS + hour * 3600 + minute * 60 + second;
  return { kind: match[7] === 'Z' ? 'utc' : 'local', seconds };
}

/** Larger counts are refused: no real rule has one, and computing its end would take seconds. */
const MAX_COUNT = 100_000;

/** COUNT counts instances within so many years only: a longer search would be slow and serve no use. */
const COUNTED_SECONDS = 1_000 * 366 * DAY_SECONDS;

/**
 * The last possible local time of a rule's instances, inclusive; undefined for a rule without an end. `toLocal`
 * converts a UTC time to the clock of the start. Computed once, when a rule is stored: for COUNT it generates all
 * instances. Throws InvalidRule for a COUNT over MAX_COUNT, and when `steps` are used up.
 */
export function lastInstance(
  rule: RecurrenceRule,
  start: number,
  toLocal: (utc: number) => number,
  steps = Steps.unlimited(),
): number | undefined {
  if (rule.count !== undefined) return lastCounted(rule, start, rule.count, steps);
  const { until } = rule;
  if (!until) return undefined;
  if (until.kind === 'date') return until.day * DAY_SECONDS + DAY_SECONDS - 1;
  return until.kind === 'utc' ? toLocal(until.seconds) : until.seconds;
}

function lastCounted(rule: RecurrenceRule, start: number, count: number, steps: Steps): number {
  if (count > MAX_COUNT) throw new InvalidRule(`COUNT must be at most ${MAX_COUNT}`);
  let last = start;
  let counted = 0;
  for (const time of instances(rule, start, start, start + COUNTED_SECONDS, steps)) {
    last = time;
    if (++counted === count) break;
  }
  return last;
}
