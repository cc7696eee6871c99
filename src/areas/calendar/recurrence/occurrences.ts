import type { Moment } from '../../../formats/icalendar/values.ts';
import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { instances } from '../../../formats/recurrence/expansion.ts';
import { Steps } from '../../../formats/recurrence/periods.ts';
import { dateOnlyRule } from '../../../formats/recurrence/rule.ts';
import { parseRule } from '../../../formats/recurrence/rule-text.ts';
import type { Zone } from '../../../formats/recurrence/zone.ts';
import { intervalAt, intervalOf, longest, zoneFor } from '../availability/meeting-times.ts';
import type {
  EventDefinition,
  Meeting,
  MeetingTime,
  Override,
  Series,
  SeriesRule,
} from '../events/definition.ts';
import type { Interval } from './intervals.ts';

/** A set of instances, each identified by its local time, its UTC time or its day. */
export class Moments {
  readonly #named: Record<Moment['kind'], Set<number>> = {
    date: new Set(),
    local: new Set(),
    utc: new Set(),
  };

  constructor(moments: readonly Moment[]) {
    for (const moment of moments) this.#named[moment.kind].add(numberOf(moment));
  }

  static ofNumbers([dates, locals, utcs]: MomentNumbers): Moments {
    const moments = new Moments([]);
    const { date, local, utc } = moments.#named;
    for (const day of dates) date.add(day);
    for (const seconds of locals) local.add(seconds);
    for (const seconds of utcs) utc.add(seconds);
    return moments;
  }

  get isEmpty(): boolean {
    const { date, local, utc } = this.#named;
    return date.size + local.size + utc.size === 0;
  }

  get numbers(): MomentNumbers {
    const { date, local, utc } = this.#named;
    return [[...date], [...local], [...utc]];
  }

  /** Whether the set contains the instance that starts at a local time and the corresponding UTC time (both in seconds). */
  holds(local: number, utc: number): boolean {
    const { date, local: locals, utc: utcs } = this.#named;
    return locals.has(local) || utcs.has(utc) || date.has(Math.floor(local / DAY_SECONDS));
  }
}

/** Days since the epoch, local seconds, and seconds since the epoch. */
export type MomentNumbers = [dates: number[], locals: number[], utcs: number[]];

/** For a date the days since the epoch, for a time the seconds. */
export function numberOf(moment: Moment): number {
  return moment.kind === 'date' ? moment.day : moment.seconds;
}

/** One occurrence of an event, in milliseconds since the epoch, and its meeting. */
export interface Occurrence extends Interval {
  meeting: Meeting;
}

/**
 * The occurrences of an event in a window (milliseconds since the epoch), in no order. An occurrence of zero length
 * belongs to the window that it starts in. The cost depends on the occurrences in the window, not on the age of the
 * series. Throws InvalidRule when `steps` are used up.
 */
export function* occurrences(
  definition: EventDefinition,
  calendarZone: string,
  window: Interval,
  steps = Steps.unlimited(),
): Generator<Occurrence> {
  for (const occurrence of everyOccurrence(definition, calendarZone, window, steps)) {
    steps.take(1);
    const { start, end } = occurrence;
    const isWithin = start < window.end && (end > window.start || (start === end && start >= window.start));
    if (isWithin) yield occurrence;
  }
}

/** May also yield occurrences outside of the window. */
function* everyOccurrence(
  { series, overrides }: EventDefinition,
  calendarZone: string,
  window: Interval,
  steps: Steps,
): Generator<Occurrence> {
  for (const override of overrides) {
    yield { meeting: override, ...intervalOf(override, calendarZone) };
  }
  if (!series) return;
  const expansion = new Expansion(series, overrides, zoneFor(series.zone, calendarZone), calendarZone);
  yield* expansion.within(window, steps);
}

/** The instances of a series that have no override of their own. */
class Expansion {
  readonly #series: Series;
  readonly #zone: Zone;
  readonly #gone: Moments;
  readonly #futureChanges: FutureChange[];

  constructor(series: Series, overrides: readonly Override[], zone: Zone, calendarZone: string) {
    this.#series = series;
    this.#zone = zone;
    this.#gone = new Moments([...series.excluded, ...overrides.map(({ of }) => of)]);
    this.#futureChanges = overrides
      .filter(({ andFuture }) => andFuture)
      .map((override) => futureChangeOf(override, zone, calendarZone))
      .sort((a, b) => a.from - b.from);
  }

  *within(window: Interval, steps: Steps): Generator<Occurrence> {
    const { from, to } = this.#localWindow(window);
    const seen = this.#excludedStarts({ from, to }, steps);
    for (const instance of startsWithin(this.#series, { from, to }, steps)) {
      if (seen.has(instance.start)) continue;
      seen.add(instance.start);
      if (!this.#isGone(instance.start)) yield this.#at(instance);
    }
  }

  /** Of most series nothing is gone: then no time is converted for it. */
  #isGone(start: number): boolean {
    return !this.#gone.isEmpty && this.#gone.holds(start, this.#zone.toUtc(start));
  }

  /** The local starts that rules exclude; changed instances are excluded by what replaces them, whatever rules say. */
  #excludedStarts(local: { from: number; to: number }, steps: Steps): Set<number> {
    const { excludingRules = [] } = this.#series;
    return new Set(excludingRules.flatMap((rule) => [...ruleStarts(this.#series, rule, local, steps)]));
  }

  #at(instance: MeetingTime): Occurrence {
    const change = this.#futureChangeAt(instance.start);
    if (!change) return { meeting: this.#series, ...intervalAt(this.#zone, instance) };
    const { meeting, shift } = change;
    const { days, seconds } = meeting;
    return { meeting, ...intervalAt(this.#zone, { start: instance.start + shift, days, seconds }) };
  }

  /** The last change at or before a local time, by binary search: there may be thousands. */
  #futureChangeAt(local: number): FutureChange | undefined {
    let low = 0;
    let high = this.#futureChanges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#futureChanges[middle]?.from ?? local) <= local) low = middle + 1;
      else high = middle;
    }
    return this.#futureChanges[low - 1];
  }

  /** The range of local starts whose meetings may lie in the window. One day is added because of clock changes. */
  #localWindow({ start, end }: Interval): { from: number; to: number } {
    const shifts = this.#futureChanges.map(({ shift }) => Math.abs(shift));
    const reach =
      Math.max(longestOf(this.#series, this.#futureChanges), 0) + Math.max(0, ...shifts) + DAY_SECONDS;
    const shifted = Math.max(0, ...shifts) + DAY_SECONDS;
    return {
      from: this.#zone.toLocal(Math.floor(start / 1000)) - reach,
      to: this.#zone.toLocal(Math.ceil(end / 1000)) + shifted,
    };
  }
}

/** A change for all instances from a time on (RANGE=THISANDFUTURE), and by how much it moves them. */
interface FutureChange {
  /** Local seconds on the clock of the series. */
  from: number;
  /** Seconds. */
  shift: number;
  meeting: Meeting;
}

/** An override may use the clock of another zone; its shift is measured on the clock of the series. */
function futureChangeOf(meeting: Override, zone: Zone, calendarZone: string): FutureChange {
  const from = localOf(meeting.of, zone);
  const start = zone.toLocal(zoneFor(meeting.zone, calendarZone).toUtc(meeting.start));
  return { from, shift: start - from, meeting };
}

function localOf(moment: Moment, zone: Zone): number {
  if (moment.kind === 'date') return moment.day * DAY_SECONDS;
  return moment.kind === 'utc' ? zone.toLocal(moment.seconds) : moment.seconds;
}

/** Local starts from `from` up to, but not including, `to`, with the length of each; possibly with duplicates. */
function* startsWithin(
  series: Series,
  { from, to }: { from: number; to: number },
  steps: Steps,
): Generator<MeetingTime> {
  const { days, seconds, included, rules } = series;
  yield* [series, ...included].filter((one) => one.start >= from && one.start < to);
  for (const rule of rules) {
    for (const start of ruleStarts(series, rule, { from, to }, steps)) yield { start, days, seconds };
  }
}

/** The local starts that a rule of a series generates from `from` up to, but not including, `to`. */
function ruleStarts(
  { start, allDay }: Series,
  { text, last }: SeriesRule,
  { from, to }: { from: number; to: number },
  steps: Steps,
): Iterable<number> {
  const rule = allDay ? dateOnlyRule(parseRule(text)) : parseRule(text);
  return instances(rule, start, from, last === null ? to : Math.min(to, last + 1), steps);
}

function longestOf(series: Series, futureChanges: readonly FutureChange[]): number {
  const all = [series, ...series.included, ...futureChanges.map(({ meeting }) => meeting)];
  return all.reduce((most, one) => Math.max(most, longest(one)), 0);
}
