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

/** Limit for instances within a year. A denser rule is certainly a mistake, and would make every query of the event slow. */
const MOST_INSTANCES_A_YEAR = 10_000;
const YEAR_SECONDS = 366 * DAY_SECONDS;
/** After 400 years the calendar repeats: a rule without an instance until then never has one. */
const CALENDAR_SECONDS = 400 * YEAR_SECONDS;
/** RFC 5545, section 3.8.5.3: a rule "SHOULD NOT be specified more than once"; each costs time, also one that excludes. */
const MOST_RULES = 5;
const MOST_DATES = 10_000;
/** Limit of steps to find the instances of all rules of an event: some hundredths of a second, in one turn. */
const MOST_STEPS = 110_000;
/** Cost of a date on another clock than that of the series; its transitions for that year may have to be computed. */
const OTHER_CLOCK_STEPS = 20;

/** The context in which the properties of a series are read. */
export interface SeriesStart extends Duration {
  allDay: boolean;
  /** Local seconds on the clock of the zone. */
  start: number;
  zone: Zone;
  /** The remaining steps for the rules of the event. */
  steps: Steps;
  /** Resolves the clock that a property names; undefined if it is not known. */
  clockNamed: (name: string) => Clock | undefined;
}

export type Recurrence = Pick<Series, 'rules' | 'included' | 'excluded' | 'excludingRules' | 'lines'>;

/**
 * A property that could not be understood. The message explains the error without quoting the property: the property
 * may contain the subject of the event, and error messages are stored.
 */
export class InvalidRecurrence extends Error {
  override readonly name = 'InvalidRecurrence';
}

/** The steps for all rules of one event together. */
export function stepsOfEvent(): Steps {
  return new Steps(MOST_STEPS);
}

/** Adds an RRULE, RDATE, EXDATE or EXRULE (RFC 2445, section 4.8.5.2) to a recurrence. Throws InvalidRecurrence. */
export function addProperty(recurrence: Recurrence, property: Property, start: SeriesStart): void {
  if (/\p{Cc}/u.test(property.value.trim())) throw new InvalidRecurrence('It has control characters');
  if (property.name === 'RRULE' || property.name === 'EXRULE') addRule(recurrence, property, start);
  else if (property.name === 'RDATE') addIncluded(recurrence, property, start);
  else if (property.name === 'EXDATE') addExcluded(recurrence, property, start);
  else throw new InvalidRecurrence('It is none of RRULE, RDATE, EXDATE and EXRULE');
}

function addRule(recurrence: Recurrence, { name, value }: Property, start: SeriesStart): void {
  const { rules, excludingRules = [] } = recurrence;
  if (rules.length + excludingRules.length === MOST_RULES)
    throw new InvalidRecurrence(`There are more than ${MOST_RULES} rules`);
  const text = withoutExtensions(value);
  const rule = ruleOf(name, text, start);
  if (name === 'RRULE') rules.push(rule);
  else recurrence.excludingRules = [...excludingRules, rule];
  recurrence.lines.push(`${name}:${text}`);
}

/** Extensions have no effect here, and might contain the subject of the event. */
function withoutExtensions(text: string): string {
  const fields = text.trim().split(';');
  return fields.filter((field) => field !== '' && !/^\s*X-/i.test(field)).join(';');
}

function ruleOf(name: string, text: string, series: SeriesStart): SeriesRule {
  const { allDay, start, steps } = series;
  try {
    const rule = allDay ? dateOnlyRule(parseRule(text)) : parseRule(text);
    const last = lastTime(rule, series) ?? null;
    // A rule without any instance would repeat the full search for each query; it is stored as a rule that has ended.
    if (!namesAny(rule, start, last ?? Number.POSITIVE_INFINITY, steps)) return { text, last: start - 1 };
    return { text, last };
  } catch (error) {
    if (error instanceof InvalidRule)
      throw new InvalidRecurrence(`${name}: ${error.message}`, { cause: error });
    throw error;
  }
}

/**
 * The last local time that a rule can generate, as lastInstance. Where the clock is changed near an UNTIL in UTC, local times
 * do not tell which instances it takes in: an hour is shown twice, and an instance in an hour that is left out comes later.
 */
function lastTime(rule: RecurrenceRule, { start, zone, steps }: SeriesStart): number | undefined {
  const last = lastInstance(rule, start, (utc) => zone.toLocal(utc), steps);
  const { until } = rule;
  if (last === undefined || until?.kind !== 'utc') return last;
  if (zone.offsetThroughout(last, last) !== undefined) return last;
  let latest = last - DAY_SECONDS;
  for (const time of instances(rule, start, latest, last + DAY_SECONDS, steps))
    if (zone.toUtc(time) <= until.seconds) latest = time;
  return latest;
}

/** Whether a rule has an instance. Throws InvalidRule if it has too many. */
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

function addIncluded(recurrence: Recurrence, property: Property, start: SeriesStart): void {
  const clock = clockOf(property, start);
  const included = valuesOf(property, recurrence).map((value) => inclusion(value, clock, start));
  for (const one of included) recurrence.included.push(one);
  recurrence.lines.push(lineOf(property, clock, included.map(inclusionText)));
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

/** Used only if the text of the line cannot be stored. */
function inclusionText({ start, days, seconds }: MeetingTime): string {
  return `${momentText({ kind: 'local', seconds: start })}/P${days}DT${seconds}S`;
}

function addExcluded(recurrence: Recurrence, property: Property, start: SeriesStart): void {
  const clock = clockOf(property, start);
  const moments = valuesOf(property, recurrence).map((value) => exclusion(value, clock, start));
  for (const one of moments) recurrence.excluded.push(one);
  recurrence.lines.push(lineOf(property, clock, moments.map(momentText)));
}

/** The values of a property, if the total number of dates stays within the limit. */
function valuesOf({ value }: Property, { included, excluded }: Recurrence): string[] {
  const values = value.split(',');
  if (included.length + excluded.length + values.length > MOST_DATES)
    throw new InvalidRecurrence(`There are more than ${MOST_DATES} dates`);
  return values;
}

/** The UTC time of a local time on another clock. */
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

/** The clock that a property uses. */
export interface Clock {
  zone: Zone;
  /** The IANA name; undefined if the clock has none. */
  name: string | undefined;
}

function clockOf(property: Property, start: SeriesStart): Clock & { isOwn: boolean } {
  const [name] = parameterValues(property, 'TZID');
  if (name === undefined) return { zone: start.zone, name: undefined, isOwn: true };
  const clock = start.clockNamed(name);
  if (!clock) throw new InvalidRecurrence(`${property.name} names a time zone that is not known`);
  return { ...clock, isOwn: false };
}

/** Rebuilds a property from its understood fields. If its clock has no name, `values` are written instead of its own text. */
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
  return `${name}${parameters.filter((parameter) => parameter !== false).join('')}:${property.value.trim().toUpperCase()}`;
}

function unreadable(name: string): InvalidRecurrence {
  return new InvalidRecurrence(`${name} has a value that is no point in time, such as 20260302T090000Z`);
}
