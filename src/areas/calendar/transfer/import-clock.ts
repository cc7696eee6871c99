import { type DefinedZone, definedZone } from '../../../formats/icalendar/time-zone.ts';
import type { ZoneComponent } from '../../../formats/icalendar/values.ts';
import { ianaNameOf } from '../../../formats/icalendar/zone-names.ts';
import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { ianaZone, type Zone, zoneOf } from '../../../formats/recurrence/zone.ts';
import type { ZoneRef } from '../events/definition.ts';
import type { Clock } from '../recurrence/recurrence-lines.ts';

/** The clock that a TZID of a file means. */
export interface ImportClock extends Clock {
  ref: Exclude<ZoneRef, null>;
}

/** Clocks of the zones that files define, worked out once each. */
const defined = new WeakMap<ZoneComponent, ImportClock | undefined>();

/** What the names in a calendar mean, worked out once each: a file may name one of them with every date. */
const named = new WeakMap<ReadonlyMap<string, ZoneComponent>, Map<string, ImportClock | undefined>>();

/**
 * "IANA names first": what a file defines under a name that everybody knows may be old. Undefined for a name that is
 * neither known nor defined.
 */
export function importClock(
  tzid: string,
  zones: ReadonlyMap<string, ZoneComponent>,
): ImportClock | undefined {
  const known = named.getOrInsertComputed(zones, () => new Map());
  if (!known.has(tzid)) known.set(tzid, clockNamed(tzid, zones));
  return known.get(tzid);
}

function clockNamed(tzid: string, zones: ReadonlyMap<string, ZoneComponent>): ImportClock | undefined {
  const name = ianaNameOf(tzid);
  if (name !== undefined) return { zone: ianaZone(name), name, ref: name };
  const component = zones.get(tzid.trim());
  if (!component) return undefined;
  if (!defined.has(component)) defined.set(component, clockOf(definedZone(component)));
  return defined.get(component);
}

function clockOf(zone: DefinedZone | undefined): ImportClock | undefined {
  return zone && { zone: zoneOf(zone.initial, zone.transitions), name: undefined, ref: zone };
}

/** Clocks are looked at a day before and after a time. */
const AROUND = 2 * DAY_SECONDS;

/** Of a clock that a file defined, what matters between two local times; of one that is known, its name. */
export function refBetween({ ref, zone }: ImportClock, start: number, end: number): Exclude<ZoneRef, null> {
  if (typeof ref === 'string') return ref;
  const from = zone.toUtc(start) - AROUND;
  const to = zone.toUtc(end) + AROUND;
  const before = ref.transitions.findLast(({ at }) => at <= from);
  return {
    initial: before?.offset ?? ref.initial,
    transitions: ref.transitions.filter(({ at }) => at > from && at < to),
  };
}

/**
 * Of a clock that a file defined, what matters at two local times: between them it may be set thousands of times, which
 * a meeting that lasts so long never shows.
 */
export function refAt(clock: ImportClock, start: number, end: number): Exclude<ZoneRef, null> {
  const ref = refBetween(clock, start, end);
  if (typeof ref === 'string') return ref;
  const afterStart = clock.zone.toUtc(start) + AROUND;
  const beforeEnd = clock.zone.toUtc(end) - AROUND;
  const { initial, transitions } = ref;
  const lastBetween = transitions.findLast(({ at }) => at <= beforeEnd);
  const near = transitions.filter((one) => one.at < afterStart || one.at > beforeEnd || one === lastBetween);
  return { initial, transitions: near };
}

/** The clock of times that are given in UTC. */
export function utcClock(): ImportClock {
  return { zone: ianaZone('UTC'), name: 'UTC', ref: 'UTC' };
}

/** The clock on which dates and floating times are read before it is known which calendar they go into. */
export const FLOATING: Zone = ianaZone('UTC');
