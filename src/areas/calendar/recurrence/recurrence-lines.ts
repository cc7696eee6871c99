import { type Property, parameterValues } from '../../../formats/content-lines.ts';
import {
  type Duration,
  type Moment,
  momentText,
  readMoment,
  readPeriod,
} from '../../../formats/icalendar/values.ts';
import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { instances } from '../../../formats/recurrence/expansion.ts';
import { Steps } from '../../../formats/recurrence/periods.ts';
import { dateOnlyRule, InvalidRule, type RecurrenceRule } from '../../../formats/recurrence/rule.ts';
import { lastInstance, parseRule } from '../../../formats/recurrence/rule-text.ts';
import type { Zone } from '../../../formats/recurrence/zone.ts';
import { longest, MOST_RECURRING_SECONDS } from '../availability/meeting-times.ts';
import type { MeetingTime, Series, SeriesRule } from '../events/definition.ts';

/** "Denser than this within a year" nobody means, and it would make every question about the event slow. */
const MOST_INSTANCES_A_YEAR = 10_000;
const YEAR_SECONDS = 366 * DAY_SECONDS;
/** After so long the calendar begins again: a rule that names nothing until then never will. */
const CALENDAR_SECONDS = 400 * YEAR_SECONDS;
/** RFC 5545, 3.8.5.3: a rule "SHOULD NOT be specified more than once"; each costs time. */
const MOST_RULES = 5;
const MOST_DATES = 10_000;
/** What may be looked at to find what all rules of an event name: some hundredths of a second, in one turn. */
const MOST_STEPS = 110_000;
/** What it takes to read a date on another clock than that of the series, whose year may have to be worked out. */
const OTHER_CLOCK_STEPS = 20;

/** What the properties of a series are read against. */
export interface SeriesStart extends Duration {
  allDay: boolean;
  /** Local seconds, on the clock of the zone. */
  start: number;
  zone: Zone;
  /** What is left of the work that the rules of the event may take. */
  steps: Steps;
  /** The clock that a property names; undefined for one that is not known. */
  clockNamed: (name: string) => Clock | undefined;
}

export type SeriesParts = Pick<Series, 'rules' | 'included' | 'excluded' | 'lines'>;

/**
 * A property that says nothing that could be understood. The message says what is wrong with it and repeats none of it:
 * what is refused may say what the event is about, and refusals are kept.
 */
export class InvalidRecurrence extends Error {
  override readonly name = 'InvalidRecurrence';
}

/** What the rules of one event may take together. */
export function stepsOfEvent(): Steps {
  return new Steps(MOST_STEPS);
}

/** Adds what an RRULE, RDATE or EXDATE says to the parts of a series. Throws InvalidRecurrence. */
export function addProperty(parts: SeriesParts, property: Property, start: SeriesStart): void {
  if (/\p{Cc}/u.test(property.value.trim())) throw new InvalidRecurrence('It has control characters');
  if (property.name === 'RRULE') addRule(parts, property.value, start);
  else if (property.name === 'RDATE') addIncluded(parts, property, start);
  else if (property.name === 'EXDATE') addExcluded(parts, property, start);
  else throw new InvalidRecurrence('It is none of RRULE, RDATE and EXDATE');
}

function addRule(parts: SeriesParts, value: string, start: SeriesStart): void {
  if (parts.rules.length === MOST_RULES)
    throw new InvalidRecurrence(`There are more than ${MOST_RULES} rules`);
  const text = withoutExtensions(value);
  parts.rules.push(ruleOf(text, start));
  parts.lines.push(`RRULE:${text}`);
}

/** Extensions mean nothing here, and might tell what the event is about. */
function withoutExtensions(text: string): string {
  const parts = text.trim().split(';');
  return parts.filter((part) => part !== '' && !/^\s*X-/i.test(part)).join(';');
}

function ruleOf(text: string, { allDay, start, zone, steps }: SeriesStart): SeriesRule {
  try {
    const rule = allDay ? dateOnlyRule(parseRule(text)) : parseRule(text);
    const last = lastInstance(rule, start, (utc) => zone.toLocal(utc), steps) ?? null;
    // What a rule that names nothing looks for in vain, it would look for each time that somebody asks.
    if (!namesAny(rule, start, last ?? Number.POSITIVE_INFINITY, steps)) return { text, last: start - 1 };
    return { text, last };
  } catch (error) {
    if (error instanceof InvalidRule)
      throw new InvalidRecurrence(`RRULE: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Whether a rule names an instance. Throws InvalidRule for one that names too many. */
function namesAny(rule: RecurrenceRule, start: number, last: number, steps: Steps): boolean {
  let first: number | undefined;
  let counted = 0;
  for (const time of instances(rule, start, start, Math.min(last + 1, start + CALENDAR_SECONDS), steps)) {
    first ??= time;
    if (time >= first + YEAR_SECONDS) break;
    if (++counted > MOST_INSTANCES_A_YEAR)
      throw new InvalidRule(`the rule names more than ${MOST_INSTANCES_A_YEAR} instances within a year`);
  }
  return first !== undefined;
}

function addIncluded(parts: SeriesParts, property: Property, start: SeriesStart): void {
  const clock = clockOf(property, start);
  const included = valuesOf(property, parts).map((value) => inclusion(value, clock, start));
  for (const one of included) parts.included.push(one);
  parts.lines.push(lineOf(property, clock, included.map(inclusionText)));
}

function inclusion(value: string, clock: Clock, start: SeriesStart): MeetingTime {
  const period = value.includes('/') ? readPeriod(value) : undefined;
  const moment = value.includes('/') ? period?.start : readMoment(value);
  if (!moment) throw unreadable('RDATE');
  const from = localIn(moment, clock, start);
  const length = period ? lengthOf(period.end, from, clock, start) : lengthOfAll(start);
  if (longest(length) > MOST_RECURRING_SECONDS)
    throw new InvalidRecurrence('RDATE has a period of over 366 days');
  return { start: from, ...length };
}

function lengthOfAll({ days, seconds }: SeriesStart): Duration {
  return { days, seconds };
}

function lengthOf(end: Moment | Duration, from: number, clock: Clock, start: SeriesStart): Duration {
  if (!('kind' in end)) return end;
  const seconds = localIn(end, clock, start) - from;
  if (seconds < 0) throw new InvalidRecurrence('RDATE has a period that ends before it begins');
  return { days: 0, seconds };
}

/** Only where a line's own text cannot be kept. */
function inclusionText({ start, days, seconds }: MeetingTime): string {
  return `${momentText({ kind: 'local', seconds: start })}/P${days}DT${seconds}S`;
}

function addExcluded(parts: SeriesParts, property: Property, start: SeriesStart): void {
  const clock = clockOf(property, start);
  const moments = valuesOf(property, parts).map((value) => exclusion(value, clock, start));
  for (const one of moments) parts.excluded.push(one);
  parts.lines.push(lineOf(property, clock, moments.map(momentText)));
}

/** What a property names, where that is not too much beside what others have named. */
function valuesOf({ value }: Property, { included, excluded }: SeriesParts): string[] {
  const values = value.split(',');
  if (included.length + excluded.length + values.length > MOST_DATES)
    throw new InvalidRecurrence(`There are more than ${MOST_DATES} dates`);
  return values;
}

/** The UTC time that another clock shows so. */
function utcOnOther(clock: Clock, local: number, { steps }: SeriesStart): number {
  try {
    steps.take(OTHER_CLOCK_STEPS);
  } catch (error) {
    if (!(error instanceof InvalidRule)) throw error;
    throw new InvalidRecurrence('Too many dates are on other clocks than DTSTART', { cause: error });
  }
  return clock.zone.toUtc(local);
}

function exclusion(value: string, clock: Clock, start: SeriesStart): Moment {
  const moment = readMoment(value);
  if (!moment) throw unreadable('EXDATE');
  if (moment.kind !== 'local' || clock.zone === start.zone) return moment;
  return { kind: 'utc', seconds: utcOnOther(clock, moment.seconds, start) };
}

/** A moment of a property on the clock of the series. */
function localIn(moment: Moment, clock: Clock, start: SeriesStart): number {
  if (moment.kind === 'date') {
    const midnight = moment.day * DAY_SECONDS;
    return start.allDay ? midnight : midnight + (((start.start % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS);
  }
  if (moment.kind === 'utc') return start.zone.toLocal(moment.seconds);
  if (clock.zone === start.zone) return moment.seconds;
  return start.zone.toLocal(utcOnOther(clock, moment.seconds, start));
}

/** The clock that a property is on. */
export interface Clock {
  zone: Zone;
  /** The IANA name; undefined for a clock that has none. */
  name: string | undefined;
}

function clockOf(property: Property, start: SeriesStart): Clock & { isOwn: boolean } {
  const [name] = parameterValues(property, 'TZID');
  if (name === undefined) return { zone: start.zone, name: undefined, isOwn: true };
  const clock = start.clockNamed(name);
  if (!clock) throw new InvalidRecurrence(`${property.name} names a time zone that is not known`);
  return { ...clock, isOwn: false };
}

/** A property again, of what is understood of it; with these values where its clock has no name to be told by. */
function lineOf(property: Property, clock: Clock & { isOwn: boolean }, values: readonly string[]): string {
  const { name } = property;
  if (!clock.isOwn && clock.name === undefined)
    return `${name}${name === 'RDATE' ? ';VALUE=PERIOD' : ''}:${values.join(',')}`;
  const [type] = parameterValues(property, 'VALUE');
  const isType = type !== undefined && /^(?:DATE|DATE-TIME|PERIOD)$/i.test(type);
  const parameters = [
    isType && `;VALUE=${type.toUpperCase()}`,
    clock.name !== undefined && `;TZID=${clock.name}`,
  ];
  return `${name}${parameters.filter((part) => part !== false).join('')}:${property.value.trim().toUpperCase()}`;
}

function unreadable(name: string): InvalidRecurrence {
  return new InvalidRecurrence(`${name} has a value that is no point in time, such as 20260302T090000Z`);
}
