import { type Property, parameterValues } from '../content-lines/property.ts';
import { DAY_SECONDS, dayOf } from '../recurrence/civil.ts';
import { lastInstance } from '../recurrence/ends.ts';
import { instances } from '../recurrence/expansion.ts';
import { InvalidRule } from '../recurrence/rule.ts';
import { parseRule } from '../recurrence/rule-text.ts';
import type { Transition } from '../recurrence/zone.ts';
import type { ZoneComponent } from './component.ts';
import { MAX_TRANSITIONS } from './limits.ts';
import { type Moment, readMoment, readOffset, readPeriod } from './values.ts';

/** A clock as a VTIMEZONE defines it; what `zoneOf` takes. */
export interface DefinedZone {
  /** What it is ahead of UTC before the first change, in seconds. */
  initial: number;
  transitions: Transition[];
}

/** The years whose changes are worked out: before and after them the clock stays as it is. */
const FROM = dayOf(1900, 1, 1) * DAY_SECONDS;
const TO = dayOf(2101, 1, 1) * DAY_SECONDS;

/** The clock of a VTIMEZONE; undefined where it defines none that could be read. */
export function definedZone({ observances }: ZoneComponent): DefinedZone | undefined {
  const changes = observances.flatMap(changesOf).sort((a, b) => a.at - b.at);
  const [first] = changes;
  if (!first) return undefined;
  const transitions = changes.slice(0, MAX_TRANSITIONS).map(({ at, offset }) => ({ at, offset }));
  return { initial: first.before, transitions };
}

interface Change extends Transition {
  before: number;
}

/** RFC 5545, 3.6.5: the onset is a local time by the offset that was in use before it. */
function changesOf(properties: readonly Property[]): Change[] {
  const value = (name: string) => properties.find((property) => property.name === name)?.value;
  const before = readOffset(value('TZOFFSETFROM') ?? '');
  const offset = readOffset(value('TZOFFSETTO') ?? '');
  const start = localOf(readMoment(value('DTSTART') ?? ''), before ?? 0);
  if (before === undefined || offset === undefined || start === undefined) return [];
  const onsets = new Set([start, ...properties.flatMap((property) => onsetsOf(property, start, before))]);
  return [...onsets].slice(0, MAX_TRANSITIONS).map((local) => ({ at: local - before, offset, before }));
}

function onsetsOf(property: Property, start: number, offset: number): number[] {
  if (property.name === 'RRULE') return ruleOnsets(property.value, start, offset);
  if (property.name !== 'RDATE') return [];
  const isPeriod = parameterValues(property, 'VALUE').some((type) => type.toUpperCase() === 'PERIOD');
  return property.value.split(',').flatMap((text) => {
    const moment = isPeriod ? readPeriod(text)?.start : readMoment(text);
    return localOf(moment, offset) ?? [];
  });
}

function ruleOnsets(text: string, start: number, offset: number): number[] {
  try {
    const rule = parseRule(text);
    const last = lastInstance(rule, start, (utc) => utc + offset) ?? TO;
    return instances(rule, start, FROM, Math.min(TO, last + 1))
      .take(MAX_TRANSITIONS)
      .toArray();
  } catch (error) {
    if (error instanceof InvalidRule) return [];
    throw error;
  }
}

function localOf(moment: Moment | undefined, offset: number): number | undefined {
  if (!moment) return undefined;
  if (moment.kind === 'date') return moment.day * DAY_SECONDS;
  return moment.kind === 'utc' ? moment.seconds + offset : moment.seconds;
}
