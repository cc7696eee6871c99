import { DAY_SECONDS, dateOf, dayOf } from './civil.ts';

/** A change of a zone's UTC offset. */
export interface Transition {
  /** Seconds since the epoch. */
  at: number;
  /** The offset from then on, in seconds ahead of UTC. */
  offset: number;
}

/** A span of constant offset: inclusive start, exclusive end. */
interface Stretch {
  from: number;
  to: number;
  /** In seconds. */
  offset: number;
}

const NEVER: Stretch = { from: 0, to: 0, offset: 0 };

/** A time zone. Times are integer seconds: UTC since the epoch, local as in civil.ts. */
export class Zone {
  readonly #stretchAt: (utc: number) => Stretch;
  /** Consecutive queries are mostly close to each other. */
  #last = NEVER;

  constructor(stretchAt: (utc: number) => Stretch) {
    this.#stretchAt = stretchAt;
  }

  toLocal(utc: number): number {
    return utc + this.#at(utc).offset;
  }

  /**
   * RFC 5545 3.3.5: a local time that occurs twice is "the first occurrence"; one that does not occur "is
   * interpreted using the UTC offset before the gap".
   */
  toUtc(local: number): number {
    const throughout = this.offsetThroughout(local, local);
    if (throughout !== undefined) return local - throughout;
    const before = this.#at(local - DAY_SECONDS).offset;
    const after = this.#at(local + DAY_SECONDS).offset;
    if (before === after || this.#at(local - before).offset === before) return local - before;
    return this.#at(local - after).offset === after ? local - after : local - before;
  }

  /** The constant offset between two local times, in seconds; undefined when it may change within a day of them. */
  offsetThroughout(from: number, to: number): number | undefined {
    const { offset, to: end } = this.#at(from - DAY_SECONDS);
    return to + DAY_SECONDS < end ? offset : undefined;
  }

  /** The offset at a time, and its changes from then up to another; in UTC seconds. */
  changesBetween(from: number, to: number): { initial: number; transitions: Transition[] } {
    const { offset: initial, to: firstEnd } = this.#at(from);
    const transitions: Transition[] = [];
    let offset = initial;
    for (let at = firstEnd; at < to; ) {
      const next = this.#at(at);
      if (next.offset !== offset) transitions.push({ at, offset: next.offset });
      offset = next.offset;
      at = next.to;
    }
    return { initial, transitions };
  }

  #at(utc: number): Stretch {
    if (utc < this.#last.from || utc >= this.#last.to) this.#last = this.#stretchAt(utc);
    return this.#last;
  }
}

const EVER = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

export const UTC = new Zone(() => ({ ...EVER, offset: 0 }));

/** The zone with these transitions, in order, and the offset `initial` (seconds) before the first. */
export function zoneOf(initial: number, transitions: readonly Transition[]): Zone {
  const stretches = stretchesOf([{ at: EVER.from, offset: initial }, ...transitions], EVER.to);
  return new Zone((utc) => stretchAt(stretches, utc));
}

function stretchesOf(transitions: readonly Transition[], end: number): Stretch[] {
  return transitions.map(({ at, offset }, i) => ({ from: at, to: transitions[i + 1]?.at ?? end, offset }));
}

function stretchAt(stretches: readonly Stretch[], utc: number): Stretch {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle]?.from ?? 0) <= utc) low = middle + 1;
    else high = middle;
  }
  return stretches[low - 1] ?? NEVER;
}

/** Zones in use, by name; each caches the offsets of its years. */
const zones = new Map<string, Zone>();

/** The IANA zone of this name. The caller has checked that it exists. */
export function ianaZone(name: string): Zone {
  let zone = zones.get(name);
  if (!zone) {
    zone = new Zone(stretchesByYear(name));
    zones.set(name, zone);
  }
  return zone;
}

/** No zone had a transition before this year. Rules without an end repeat with the calendar, every 400 years. */
const FIRST_YEAR = 1800;
const FIRST_REPEATED_YEAR = 2100;
const REPEATED_YEARS = 400;
const REPEATED_SECONDS = (dayOf(2500, 1, 1) - dayOf(2100, 1, 1)) * DAY_SECONDS;

/** Most cached years of all zones; more than the dates of one event need. */
const MOST_YEARS = 16_384;

/** The cached years as a ring: a new year evicts the oldest. */
const cachedYears: { years: Map<number, Stretch[]>; year: number }[] = [];
let nextSlot = 0;

function cacheYear(years: Map<number, Stretch[]>, year: number, stretches: Stretch[]): void {
  const oldest = cachedYears[nextSlot];
  oldest?.years.delete(oldest.year);
  cachedYears[nextSlot] = { years, year };
  nextSlot = (nextSlot + 1) % MOST_YEARS;
  years.set(year, stretches);
}

/** Computes each year once while it is cached. */
function stretchesByYear(name: string): (utc: number) => Stretch {
  const years = new Map<number, Stretch[]>();
  const stretchesOfYear = (year: number) => {
    let stretches = years.get(year);
    if (!stretches) {
      stretches = stretchesWithin(name, year);
      cacheYear(years, year, stretches);
    }
    return stretches;
  };
  return (utc) => {
    const { year } = dateOf(Math.floor(utc / DAY_SECONDS));
    if (year < FIRST_YEAR) {
      const [first = NEVER] = stretchesOfYear(FIRST_YEAR);
      return { from: EVER.from, to: first.from, offset: first.offset };
    }
    const times = Math.max(0, Math.floor((year - FIRST_REPEATED_YEAR) / REPEATED_YEARS));
    const shift = times * REPEATED_SECONDS;
    const { from, to, offset } = stretchAt(stretchesOfYear(year - times * REPEATED_YEARS), utc - shift);
    return { from: from + shift, to: to + shift, offset };
  };
}

/** The offsets from the start of a year to its end. */
function stretchesWithin(name: string, year: number): Stretch[] {
  const end = dayOf(year + 1, 1, 1) * DAY_SECONDS;
  const found: Transition[] = [];
  let next: Temporal.ZonedDateTime | null = instant(dayOf(year, 1, 1) * DAY_SECONDS).toZonedDateTimeISO(name);
  while (next && next.epochMilliseconds < end * 1000) {
    found.push({ at: next.epochMilliseconds / 1000, offset: next.offsetNanoseconds / 1e9 });
    next = next.getTimeZoneTransition('next');
  }
  return stretchesOf(found, end);
}

function instant(utc: number): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds(utc * 1000);
}
