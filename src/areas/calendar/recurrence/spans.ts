import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { intervalOf, longest, zoneFor } from '../availability/meeting-times.ts';
import type { EventDefinition, Override, Series } from '../events/definition.ts';
import type { Interval } from './intervals.ts';

const DAY_MS = DAY_SECONDS * 1000;
/** The end of what never ends: "years have four digits". */
const END_OF_TIME = Date.UTC(10_000, 0, 1);

/** From the beginning of the first instance to the end of the last, in milliseconds since the epoch. */
export interface Span extends Interval {
  spanClass: number;
}

/** The class of what has no end. */
export const ENDLESS_CLASS = 12;

/** The longest span of each class, in milliseconds: classes so apart keep their number, and what is read in vain, small. */
export const CLASS_LENGTHS = Array.from({ length: ENDLESS_CLASS }, (_, spanClass) => DAY_MS * 4 ** spanClass);

/** The span of an event in a calendar of this zone; a little larger than it is where it recurs. */
export function spanOf({ series, overrides }: EventDefinition, calendarZone: string): Span {
  const spans = overrides.map((override) => intervalOf(override, calendarZone));
  if (series) spans.push(seriesSpan(series, overrides, calendarZone));
  const start = spans.reduce((least, span) => Math.min(least, span.start), Number.POSITIVE_INFINITY);
  const end = spans.reduce((most, span) => Math.max(most, span.end), Number.NEGATIVE_INFINITY);
  if (end >= END_OF_TIME) return { start, end: END_OF_TIME, spanClass: ENDLESS_CLASS };
  // What takes no time has a span all the same, so that it is found where it starts.
  const span = { start, end: Math.max(end, start + 1) };
  const spanClass = CLASS_LENGTHS.findIndex((length) => length >= span.end - span.start);
  return { ...span, spanClass: spanClass < 0 ? ENDLESS_CLASS : spanClass };
}

function seriesSpan(series: Series, overrides: readonly Override[], calendarZone: string): Interval {
  const first = intervalOf(series, calendarZone);
  const { included, rules } = series;
  if (included.length + rules.length === 0) return first;
  if (rules.some(({ last }) => last === null)) return { start: earliest(), end: END_OF_TIME };
  const zone = zoneFor(series.zone, calendarZone);
  const lastStart = [...rules.map(({ last }) => last ?? 0), ...included.map(({ start }) => start)].reduce(
    (most, start) => Math.max(most, start),
    series.start,
  );
  const length = [...included, ...overrides].reduce(
    (most, one) => Math.max(most, longest(one)),
    longest(series),
  );
  return { start: earliest(), end: (zone.toUtc(lastStart) + length) * 1000 + slack() };

  function earliest(): number {
    const start = included.reduce((least, one) => Math.min(least, one.start), series.start);
    return zoneFor(series.zone, calendarZone).toUtc(start) * 1000 - slack();
  }

  /** How far clocks that are set, and changes that hold from an instance on, may move what is named. */
  function slack(): number {
    const future = overrides.filter(({ andFuture }) => andFuture);
    return future.reduce((most, override) => Math.max(most, shiftOf(override, calendarZone)), 0) + DAY_MS;
  }
}

/** By how many milliseconds an override moves an instance, at most. */
function shiftOf(override: Override, calendarZone: string): number {
  const { of } = override;
  const { start } = intervalOf(override, calendarZone);
  const from = of.kind === 'date' ? of.day * DAY_SECONDS : of.seconds;
  return Math.abs(start - from * 1000) + 2 * DAY_MS;
}
