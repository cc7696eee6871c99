import { type DefinedZone, definedZone } from '../../../formats/icalendar/time-zone.ts';
import type { ZoneComponent } from '../../../formats/icalendar/values.ts';
import { ianaNameOf } from '../../../formats/icalendar/zone-names.ts';
import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { ianaZone, type Zone, zoneOf } from '../../../formats/recurrence/zone.ts';
import type { ZoneRef } from '../events/definition.ts';
import type { Clock } from '../recurrence/recurrence-lines.ts';

/** The clock that a TZID of a file refers to. */
export interface ImportClock extends Clock {
  ref: Exclude<ZoneRef, null>;
}

/** Clocks of the zones that files define, computed once each. */
const defined = new WeakMap<ZoneComponent, ImportClock | undefined>();

/** Clocks by name for each file, resolved once: a file may name a zone with every date. */
const named = new WeakMap<ReadonlyMap<string, ZoneComponent>, Map<string, ImportClock | undefined>>();

/**
 * "IANA names first": the definition of a well-known name in a file may be outdated. Undefined for a name that is
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

/** Margin around a time; a clock is consulted up to a day before and after it. */
const AROUND = 2 * DAY_SECONDS;

/** For a zone that a file defined, its transitions between two local times; for a known zone, its name. */
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
 * For a zone that a file defined, its transitions around two local times. A single meeting needs none of those in
 * between, of which there may be thousands.
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

/** The clock of times in UTC. */
export function utcClock(): ImportClock {
  return { zone: ianaZone('UTC'), name: 'UTC', ref: 'UTC' };
}

/** The clock for reading dates and floating times before the calendar they go into is known. */
export const FLOATING: Zone = ianaZone('UTC');
