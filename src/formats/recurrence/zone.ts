import { DAY_SECONDS, dateOf, dayOf } from './civil.ts';

/** A change of a zone's clock. */
export interface Transition {
  /** Seconds since the epoch. */
  at: number;
  /** What the clock is ahead of UTC from then on, in seconds. */
  offset: number;
}

/** The clock of a place. Times are whole seconds: UTC since the epoch, local as in civil.ts. */
export class Zone {
  readonly #offsetAt: (utc: number) => number;

  constructor(offsetAt: (utc: number) => number) {
    this.#offsetAt = offsetAt;
  }

  toLocal(utc: number): number {
    return utc + this.#offsetAt(utc);
  }

  /**
   * RFC 5545, 3.3.5: a local time that occurs twice is "the first occurrence"; one that does not occur "is interpreted
   * using the UTC offset before the gap".
   */
  toUtc(local: number): number {
    const before = this.#offsetAt(local - DAY_SECONDS);
    const after = this.#offsetAt(local + DAY_SECONDS);
    if (before === after || this.#offsetAt(local - before) === before) return local - before;
    return this.#offsetAt(local - after) === after ? local - after : local - before;
  }
}

export const UTC = new Zone(() => 0);

/** The zone whose clock changes so; before the first change it is ahead by `initial` seconds. `transitions` in order. */
export function zoneOf(initial: number, transitions: readonly Transition[]): Zone {
  return new Zone((utc) => lastUpTo(transitions, utc)?.offset ?? initial);
}

function lastUpTo(transitions: readonly Transition[], utc: number): Transition | undefined {
  let low = 0;
  let high = transitions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((transitions[middle]?.at ?? 0) <= utc) low = middle + 1;
    else high = middle;
  }
  return transitions[low - 1];
}

/** Zones that were needed, by name: what a year's clock shows is worked out once. */
const zones = new Map<string, Zone>();

/** The IANA zone of this name, which is known to exist. */
export function ianaZone(name: string): Zone {
  let zone = zones.get(name);
  if (!zone) {
    zone = new Zone(offsetsByYear(name));
    zones.set(name, zone);
  }
  return zone;
}

function offsetsByYear(name: string): (utc: number) => number {
  const years = new Map<number, Transition[]>();
  return (utc) => {
    const { year } = dateOf(Math.floor(utc / DAY_SECONDS));
    let transitions = years.get(year);
    if (!transitions) {
      transitions = transitionsOf(name, year);
      years.set(year, transitions);
    }
    return lastUpTo(transitions, utc)?.offset ?? 0;
  };
}

/** What the clock shows at the start of a year, and its changes within the year. */
function transitionsOf(name: string, year: number): Transition[] {
  const end = dayOf(year + 1, 1, 1) * DAY_SECONDS;
  const found: Transition[] = [];
  let next: Temporal.ZonedDateTime | null = instant(dayOf(year, 1, 1) * DAY_SECONDS).toZonedDateTimeISO(name);
  while (next && next.epochMilliseconds < end * 1000) {
    found.push({ at: next.epochMilliseconds / 1000, offset: next.offsetNanoseconds / 1e9 });
    next = next.getTimeZoneTransition('next');
  }
  return found;
}

function instant(utc: number): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds(utc * 1000);
}
