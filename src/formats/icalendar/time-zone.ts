import { type Property, parameterValues } from '../content-lines.ts';
import { DAY_SECONDS, dayOf } from '../recurrence/civil.ts';
import { instances } from '../recurrence/expansion.ts';
import { Steps } from '../recurrence/periods.ts';
import { InvalidRule } from '../recurrence/rule.ts';
import { lastInstance, parseRule } from '../recurrence/rule-text.ts';
import type { Transition } from '../recurrence/zone.ts';
import {
  MAX_OBSERVANCE_RULES,
  MAX_TRANSITIONS,
  MAX_ZONE_STEPS,
  type Moment,
  readMoment,
  readOffset,
  readPeriod,
  type ZoneComponent,
} from './values.ts';

/** A zone as defined by a VTIMEZONE; the arguments of `zoneOf`. */
export interface DefinedZone {
  /** The offset before the first transition, in seconds. */
  initial: number;
  transitions: Transition[];
}

/** The range of computed transitions: before and after it the offset is constant. */
const FROM = dayOf(1900, 1, 1) * DAY_SECONDS;
const TO = dayOf(2101, 1, 1) * DAY_SECONDS;

/** The zone of a VTIMEZONE; undefined without a readable definition. */
export function definedZone({ observances }: ZoneComponent): DefinedZone | undefined {
  const steps = new Steps(MAX_ZONE_STEPS);
  const changes = observances
    .flatMap((observance) => changesOf(observance, steps))
    .sort((a, b) => a.at - b.at);
  const [first] = changes;
  if (!first) return undefined;
  const transitions = changes.slice(0, MAX_TRANSITIONS).map(({ at, offset }) => ({ at, offset }));
  return { initial: first.before, transitions };
}

interface Change extends Transition {
  before: number;
}

/** RFC 5545 3.6.5: the onset is a local time in the offset before it. */
function changesOf(properties: readonly Property[], steps: Steps): Change[] {
  const value = (name: string) => properties.find((property) => property.name === name)?.value;
  const before = readOffset(value('TZOFFSETFROM') ?? '');
  const offset = readOffset(value('TZOFFSETTO') ?? '');
  const start = localOf(readMoment(value('DTSTART') ?? ''), before ?? 0);
  if (before === undefined || offset === undefined || start === undefined) return [];
  const dates = properties.filter(({ name }) => name === 'RDATE');
  const rules = properties.filter(({ name }) => name === 'RRULE').slice(0, MAX_OBSERVANCE_RULES);
  const onsets = new Set([
    start,
    ...rules.flatMap(({ value: text }) => ruleOnsets(text, start, before, steps)),
    ...dates.flatMap((property) => dateOnsets(property, before)),
  ]);
  return [...onsets].slice(0, MAX_TRANSITIONS).map((local) => ({ at: local - before, offset, before }));
}

function dateOnsets(property: Property, offset: number): number[] {
  const isPeriod = parameterValues(property, 'VALUE').some((type) => type.toUpperCase() === 'PERIOD');
  return property.value.split(',').flatMap((text) => {
    const moment = isPeriod ? readPeriod(text)?.start : readMoment(text);
    return localOf(moment, offset) ?? [];
  });
}

/** A rule that is invalid or too expensive has no onsets. */
function ruleOnsets(text: string, start: number, offset: number, steps: Steps): number[] {
  try {
    const rule = parseRule(text);
    // Counts the instances during generation; `lastInstance` would generate them all for COUNT.
    const { count = MAX_TRANSITIONS, ...uncounted } = rule;
    const last = lastInstance({ ...uncounted, count: undefined }, start, (utc) => utc + offset) ?? TO;
    const from = rule.count === undefined ? FROM : start;
    return instances(rule, start, from, Math.min(TO, last + 1), steps)
      .take(Math.min(count, MAX_TRANSITIONS))
      .filter((local) => local >= FROM)
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
