import type { Property } from '../content-lines.ts';
import { DAY_SECONDS, dateOf, dayOf } from '../recurrence/civil.ts';

/** Most bytes of the needed properties of one component. */
export const MAX_COMPONENT = 1024 * 1024;

/** Most STANDARD and DAYLIGHT components read of one time zone, and most of its transitions. */
export const MAX_OBSERVANCES = 200;
export const MAX_TRANSITIONS = 2_000;

/** RFC 5545 3.6.5 shows one rule for each observance; further ones are skipped. */
export const MAX_OBSERVANCE_RULES = 2;

/**
 * The budget for the transitions of one zone (see Steps): two rules, day by day, over two hundred years take
 * 150,000 steps.
 */
export const MAX_ZONE_STEPS = 160_000;

/** An event of a file: the properties for its times, attendees, organizer and busy status. */
export interface EventComponent {
  properties: Property[];
  /** The zones defined in its calendar; complete after the end of the file. */
  zones: ReadonlyMap<string, ZoneComponent>;
}

/** A VTIMEZONE: each list holds the properties of one STANDARD or DAYLIGHT. */
export interface ZoneComponent {
  observances: Property[][];
}

/**
 * The result of one component of a file; `index` counts from 0 without time zones, `line` is where it begins in the file,
 * from 1.
 */
export type ReadComponent = { index: number; line: number } & (
  | { event: EventComponent }
  | { problem: string }
);

/** A time as written in iCalendar: a date, or seconds on the clock of an unnamed zone or of UTC. */
export type Moment =
  | { kind: 'date'; day: number }
  | { kind: 'local'; seconds: number }
  | { kind: 'utc'; seconds: number };

/** A duration (RFC 5545 3.3.6): calendar days plus exact seconds. */
export interface Duration {
  days: number;
  seconds: number;
}

/** A period: its start, and its duration or end. */
interface Period {
  start: Moment;
  end: Moment | Duration;
}

const MOMENT = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/;

/** RFC 5545 3.3.4 and 3.3.5; undefined for an invalid date or time. */
export function readMoment(text: string): Moment | undefined {
  const match = MOMENT.exec(text.trim().toUpperCase());
  if (!match) return undefined;
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const day = dayOf(year, month, date);
  if (year === 0 || dateOf(day).day !== date || dateOf(day).month !== month) return undefined;
  if (match[4] === undefined) return { kind: 'date', day };
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  // A leap second becomes the second before it: these clocks have no leap seconds.
  const seconds = day * DAY_SECONDS + hour * 3600 + minute * 60 + Math.min(second, 59);
  return { kind: match[7] === 'Z' ? 'utc' : 'local', seconds };
}

const DURATION =
  /^([+-]?)P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,8})H)?(?:(\d{1,8})M)?(?:(\d{1,10})S)?)?$/;

/** RFC 5545 3.3.6; undefined for an invalid or negative duration. */
export function readDuration(text: string): Duration | undefined {
  const match = DURATION.exec(text.trim().toUpperCase());
  if (!match || match[1] === '-' || !/\d/.test(text)) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(2)
    .map((number) => Number(number ?? 0));
  return { days: weeks * 7 + days, seconds: hours * 3600 + minutes * 60 + seconds };
}

/** RFC 5545 3.3.9; undefined for an invalid period. */
export function readPeriod(text: string): Period | undefined {
  const [from = '', to = '', ...more] = text.split('/');
  const start = readMoment(from);
  const end = readMoment(to) ?? readDuration(to);
  return start && end && more.length === 0 ? { start, end } : undefined;
}

/** `±HHMM` or `±HHMMSS` (RFC 5545 3.3.14) in seconds; undefined for an invalid offset. */
export function readOffset(text: string): number | undefined {
  const match = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text.trim());
  if (!match) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(2).map((number) => Number(number ?? 0));
  return (match[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}

/** A moment in the format of RFC 5545. */
export function momentText(moment: Moment): string {
  if (moment.kind === 'date') return digits(moment.day * DAY_SECONDS).slice(0, 8);
  return `${digits(moment.seconds)}${moment.kind === 'utc' ? 'Z' : ''}`;
}

function digits(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace(/[-:]/g, '');
}

/** A duration in the format of RFC 5545 3.3.6. */
export function durationText({ days, seconds }: Duration): string {
  if (seconds === 0 && days > 0) return `P${days}D`;
  return `P${days > 0 ? `${days}D` : ''}T${seconds}S`;
}

/** A UTC offset in the format of RFC 5545 3.3.14. */
export function offsetText(offset: number): string {
  const parts = [Math.abs(offset) / 3600, (Math.abs(offset) / 60) % 60, Math.abs(offset) % 60];
  const [hours = '', minutes = '', seconds = ''] = parts.map((part) =>
    `${Math.floor(part)}`.padStart(2, '0'),
  );
  return `${offset < 0 ? '-' : '+'}${hours}${minutes}${seconds === '00' ? '' : seconds}`;
}
