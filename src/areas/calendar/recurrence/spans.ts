import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { intervalOf, longest, zoneFor } from '../availability/meeting-times.ts';
import type { EventDefinition, Override, Series } from '../events/definition.ts';
import type { Interval } from './intervals.ts';

export const DAY_MS = DAY_SECONDS * 1000;
/** The end of endless events: "years have four digits". */
const END_OF_TIME = Date.UTC(10_000, 0, 1);

/** From the start of the first instance to the end of the last, in milliseconds since the epoch. */
export interface Span extends Interval {
  spanClass: number;
}

/** The class of endless events. */
export const ENDLESS_CLASS = 12;

/**
 * The longest span of each class, in milliseconds. The factor of four keeps both the number of classes and of
 * unnecessary reads small.
 */
export const CLASS_LENGTHS = Array.from({ length: ENDLESS_CLASS }, (_, spanClass) => DAY_MS * 4 ** spanClass);

/** The span of an event in a calendar with this zone. For recurring events it is slightly too large. */
export function spanOf({ series, overrides }: EventDefinition, calendarZone: string): Span {
  const spans = overrides.map((override) => intervalOf(override, calendarZone));
  if (series) spans.push(seriesSpan(series, overrides, calendarZone));
  const start = spans.reduce((least, span) => Math.min(least, span.start), Number.POSITIVE_INFINITY);
  const end = spans.reduce((most, span) => Math.max(most, span.end), Number.NEGATIVE_INFINITY);
  if (end >= END_OF_TIME) return { start, end: END_OF_TIME, spanClass: ENDLESS_CLASS };
  // A span of an event of zero length is not empty, so that queries find it at its start.
  const span = { start, end: Math.max(end, start + 1) };
  const spanClass = CLASS_LENGTHS.findIndex((length) => length >= span.end - span.start);
  return { ...span, spanClass: spanClass < 0 ? ENDLESS_CLASS : spanClass };
}

/** The start of the earliest meeting that an event defines; a span may begin earlier. In milliseconds since the epoch. */
export function firstStart({ series, overrides }: EventDefinition, calendarZone: string): number {
  let first = Number.POSITIVE_INFINITY;
  for (const meeting of series ? [series, ...overrides] : overrides)
    first = Math.min(first, intervalOf(meeting, calendarZone).start);
  if (!series || series.included.length === 0) return first;
  const zone = zoneFor(series.zone, calendarZone);
  return series.included.reduce((least, { start }) => Math.min(least, zone.toUtc(start) * 1000), first);
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

  /** By how much clock changes and THISANDFUTURE overrides may move an instance. */
  function slack(): number {
    const future = overrides.filter(({ andFuture }) => andFuture);
    return future.reduce((most, override) => Math.max(most, shiftOf(override, calendarZone)), 0) + DAY_MS;
  }
}

/** The maximum shift of an instance by an override, in milliseconds. */
function shiftOf(override: Override, calendarZone: string): number {
  const { of } = override;
  const { start } = intervalOf(override, calendarZone);
  const from = of.kind === 'date' ? of.day * DAY_SECONDS : of.seconds;
  return Math.abs(start - from * 1000) + 2 * DAY_MS;
}
