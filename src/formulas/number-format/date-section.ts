import { dayOfWeek, fromSerial, isSerial } from '../serial-date.ts';
import type { Token } from './tokens.ts';

const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

const SECONDS_A_DAY = 86_400;
const BUDDHIST_YEARS = 543;

/** The fields of a point in time. */
interface Moment {
  readonly serial: number;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** The second of the day, and the total seconds. */
  readonly second: number;
  readonly elapsed: number;
  /** The digits of the fraction of a second. */
  readonly fraction: string;
}

/**
 * Formats a serial number in a section with dates or times; undefined for an invalid date, unless the section
 * shows elapsed time.
 */
export function formatDate(given: readonly Token[], serial: number): string | undefined {
  const tokens = withMinutes(given);
  const units = new Set(tokens.filter(({ kind }) => kind === 'elapsed').map((token) => unitOf(token)));
  if (!isSerial(serial) && (units.size === 0 || serial < 0)) return undefined;
  const moment = momentOf(serial, longestFraction(tokens));
  const twelve = tokens.some(({ kind }) => kind === 'half');
  let inFraction = false;
  let shown = '';
  for (const token of tokens) {
    if (token.kind === 'point') shown += '.';
    else if (token.kind === 'digit') shown += inFraction ? '' : moment.fraction;
    else shown += show(token, moment, units, twelve);
    inFraction = token.kind === 'digit';
  }
  return shown;
}

/** Distinguishes minutes (as `n`) from months: minutes follow hours or adjoin seconds. */
function withMinutes(tokens: readonly Token[]): Token[] {
  const times = tokens.filter(({ kind }) => kind === 'date' || kind === 'elapsed');
  return tokens.map((token) => {
    if (token.kind !== 'date' || !/^mm?$/.test(token.text)) return token;
    const place = times.indexOf(token);
    const isMinute = /[hs]/.test(unitOf(times[place - 1]) ?? '') || unitOf(times[place + 1]) === 's';
    return isMinute ? { kind: 'date', text: token.text.replaceAll('m', 'n') } : token;
  });
}

function unitOf(token: Token | undefined): string | undefined {
  const first = token && 'text' in token ? token.text.charAt(0) : undefined;
  return token?.kind === 'elapsed' && first === 'm' ? 'n' : first;
}

function longestFraction(tokens: readonly Token[]): number {
  let [longest, length] = [0, 0];
  for (const { kind } of tokens) {
    length = kind === 'digit' ? length + 1 : 0;
    longest = Math.max(longest, length);
  }
  return Math.min(longest, 9);
}

function momentOf(serial: number, places: number): Moment {
  const scale = 10 ** places;
  const day = Math.floor(serial);
  // Subtracts the day before rounding: it would cost digits of the fraction.
  const parts = Math.round(Number(((serial - day) * SECONDS_A_DAY).toFixed(places + 3)) * scale);
  const carried = Math.floor(parts / (SECONDS_A_DAY * scale));
  const second = Math.floor(parts / scale) % SECONDS_A_DAY;
  const fraction = String(parts % scale).padStart(places, '0');
  return {
    ...fromSerial(day + carried),
    serial: day + carried,
    second,
    elapsed: (day + carried) * SECONDS_A_DAY + second,
    fraction: places === 0 ? '' : fraction,
  };
}

function show(token: Token, moment: Moment, units: ReadonlySet<string | undefined>, twelve: boolean): string {
  if (token.kind === 'literal') return token.text;
  if (token.kind === 'slash') return '/';
  if (token.kind === 'comma') return ',';
  if (token.kind === 'half') return halfOf(token.text, moment.second < SECONDS_A_DAY / 2);
  if (token.kind !== 'date' && token.kind !== 'elapsed') return '';
  const unit = unitOf(token) ?? '';
  return units.has(unit)
    ? elapsedText(unit, token.text.length, moment)
    : (FIELDS[unit]?.(token.text.length, moment, twelve) ?? '');
}

function halfOf(form: string, isMorning: boolean): string {
  const [morning = '', afternoon = ''] = form.split('/');
  const word = isMorning ? morning : afternoon;
  return word.length > 1 ? word.toUpperCase() : word;
}

function elapsedText(unit: string, width: number, { elapsed }: Moment): string {
  const seconds = unit === 'h' ? 3600 : unit === 'n' ? 60 : 1;
  return String(Math.floor(elapsed / seconds)).padStart(width, '0');
}

/** The fields by letter and number of letters. */
const FIELDS: Readonly<Record<string, (width: number, moment: Moment, twelve: boolean) => string>> = {
  y: (width, { year }) => (width > 2 ? String(year).padStart(4, '0') : String(year % 100).padStart(2, '0')),
  e: (_, { year }) => String(year),
  b: (width, { year }) => (width > 2 ? String(year + BUDDHIST_YEARS) : String((year + BUDDHIST_YEARS) % 100)),
  m: (width, { month }) =>
    dateName(MONTH_NAMES[month - 1] ?? '', width) ?? String(month).padStart(width, '0'),
  d: (width, { day, serial }) =>
    dateName(DAY_NAMES[dayOfWeek(serial)] ?? '', Math.min(width, 4)) ?? String(day).padStart(width, '0'),
  h: (width, { second }, twelve) => {
    const hour = Math.floor(second / 3600);
    return String(twelve ? hour % 12 || 12 : hour).padStart(Math.min(width, 2), '0');
  },
  n: (width, { second }) => String(Math.floor(second / 60) % 60).padStart(width, '0'),
  s: (width, { second }) => String(second % 60).padStart(Math.min(width, 2), '0'),
};

/** Three letters mean a short name, four the full name, five the initial. */
function dateName(name: string, width: number): string | undefined {
  if (width < 3) return undefined;
  if (width === 5) return name.charAt(0);
  return width === 3 ? name.slice(0, 3) : name;
}
