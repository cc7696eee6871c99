import type { Property } from '../content-lines.ts';
import { DAY_SECONDS, dateOf, dayOf } from '../recurrence/civil.ts';

/** Bytes of the properties of one component that are needed. */
export const MAX_COMPONENT = 1024 * 1024;

/** STANDARD and DAYLIGHT parts of one time zone that are looked at, and the changes of its clock that are kept. */
export const MAX_OBSERVANCES = 200;
export const MAX_TRANSITIONS = 2_000;

/** RFC 5545, 3.6.5 shows one rule an observance; further ones are passed over. */
export const MAX_OBSERVANCE_RULES = 2;

/**
 * What may be looked at to find the changes of one clock (see Steps): two hundred years of two rules, day by day, take
 * 150,000.
 */
export const MAX_ZONE_STEPS = 160_000;

/** An event of a file: of its properties, those that say when it is, whom it lists, who organizes it and what blocks. */
export interface EventComponent {
  properties: Property[];
  /** The zones that its calendar defines; complete once the file is read. */
  zones: ReadonlyMap<string, ZoneComponent>;
}

/** A VTIMEZONE: each list is one STANDARD or DAYLIGHT. */
export interface ZoneComponent {
  observances: Property[][];
}

/** What one component of a file came to; `index` counts from 0, time zones do not count. */
export type ReadComponent = { index: number } & ({ event: EventComponent } | { problem: string });

/** A point in time as iCalendar writes it: a date, or seconds on the clock of a zone to be known, or of UTC. */
export type Moment =
  | { kind: 'date'; day: number }
  | { kind: 'local'; seconds: number }
  | { kind: 'utc'; seconds: number };

/** A span as RFC 5545, 3.3.6 has it: days by the calendar, then exact seconds. */
export interface Duration {
  days: number;
  seconds: number;
}

/** A period: where it begins, and how long it is or where it ends. */
interface Period {
  start: Moment;
  end: Moment | Duration;
}

const MOMENT = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/;

/** RFC 5545, 3.3.4 and 3.3.5; undefined for what names no point in time. */
export function readMoment(text: string): Moment | undefined {
  const match = MOMENT.exec(text.trim().toUpperCase());
  if (!match) return undefined;
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const day = dayOf(year, month, date);
  if (year === 0 || dateOf(day).day !== date || dateOf(day).month !== month) return undefined;
  if (match[4] === undefined) return { kind: 'date', day };
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  // A leap second is read as the second before it, which no clock here tells apart.
  const seconds = day * DAY_SECONDS + hour * 3600 + minute * 60 + Math.min(second, 59);
  return { kind: match[7] === 'Z' ? 'utc' : 'local', seconds };
}

const DURATION =
  /^([+-]?)P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,8})H)?(?:(\d{1,8})M)?(?:(\d{1,10})S)?)?$/;

/** RFC 5545, 3.3.6; undefined for what is none, or is negative. */
export function readDuration(text: string): Duration | undefined {
  const match = DURATION.exec(text.trim().toUpperCase());
  if (!match || match[1] === '-' || !/\d/.test(text)) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(2)
    .map((number) => Number(number ?? 0));
  return { days: weeks * 7 + days, seconds: hours * 3600 + minutes * 60 + seconds };
}

/** RFC 5545, 3.3.9; undefined for what is none. */
export function readPeriod(text: string): Period | undefined {
  const [from = '', to = '', ...more] = text.split('/');
  const start = readMoment(from);
  const end = readMoment(to) ?? readDuration(to);
  return start && end && more.length === 0 ? { start, end } : undefined;
}

/** `±HHMM` or `±HHMMSS` (RFC 5545, 3.3.14) in seconds; undefined for what is none. */
export function readOffset(text: string): number | undefined {
  const match = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text.trim());
  if (!match) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(2).map((number) => Number(number ?? 0));
  return (match[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}

/** A moment as RFC 5545 writes it. */
export function momentText(moment: Moment): string {
  if (moment.kind === 'date') return digits(moment.day * DAY_SECONDS).slice(0, 8);
  return `${digits(moment.seconds)}${moment.kind === 'utc' ? 'Z' : ''}`;
}

function digits(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace(/[-:]/g, '');
}

/** A duration as RFC 5545, 3.3.6 writes it. */
export function durationText({ days, seconds }: Duration): string {
  if (seconds === 0 && days > 0) return `P${days}D`;
  return `P${days > 0 ? `${days}D` : ''}T${seconds}S`;
}

/** What a clock is ahead of UTC as RFC 5545, 3.3.14 writes it. */
export function offsetText(offset: number): string {
  const parts = [Math.abs(offset) / 3600, (Math.abs(offset) / 60) % 60, Math.abs(offset) % 60];
  const [hours = '', minutes = '', seconds = ''] = parts.map((part) =>
    `${Math.floor(part)}`.padStart(2, '0'),
  );
  return `${offset < 0 ? '-' : '+'}${hours}${minutes}${seconds === '00' ? '' : seconds}`;
}
