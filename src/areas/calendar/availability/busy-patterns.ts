import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { type DayRule, dayRuleOf } from '../../../formats/recurrence/named-days.ts';
import type { EventDefinition, Meeting, Series } from '../events/definition.ts';
import { type MomentNumbers, Moments } from '../recurrence/occurrences.ts';

/** A single meeting: the IANA zone of its clock, the local start in seconds, and its length in days and exact seconds. */
export type MeetingPattern = [zone: string, start: number, days: number, seconds: number];

/** A recurring meeting: the first meeting, the days of its rule, the latest local time, and the excluded instances. */
export type SeriesPattern = [
  ...first: MeetingPattern,
  days: DayRule,
  last: number | null,
  ...left: [] | [MomentNumbers],
];

/** A pattern of busy times. A string is the id of an event that has to be read instead. */
export type BusyPattern = MeetingPattern | SeriesPattern | string;

/** A larger pattern is replaced by the event id, because a pattern is stored once for each holder. */
const MOST_CHARACTERS = 400;
const MOST_MEETINGS = 10;
/** Each excluded instance takes at least two characters. */
const MOST_LEFT_OUT = 200;

/**
 * The patterns of the busy times of an event, as elements of a JSON array; they are read much faster than the event.
 * `isBusy` tells which meetings count; it returns undefined if that depends on more than the event. Times are local
 * times in their zones, so that patterns stay valid when zone rules change.
 */
export function busyPatterns(
  eventId: string,
  definition: EventDefinition,
  calendarZone: string,
  isBusy: (meeting: Meeting) => boolean | undefined,
): string {
  const patterns = patternsOf(definition, calendarZone, isBusy);
  const text = patterns?.map((pattern) => JSON.stringify(pattern)).join(',') ?? '';
  return patterns && text.length <= MOST_CHARACTERS ? text : JSON.stringify(eventId);
}

function patternsOf(
  { series, overrides }: EventDefinition,
  calendarZone: string,
  isBusy: (meeting: Meeting) => boolean | undefined,
): BusyPattern[] | undefined {
  // Checked before any meeting is examined: each of many attendees of an event may need a pattern of their own.
  if (overrides.length > MOST_MEETINGS || overrides.some(({ andFuture }) => andFuture)) return undefined;
  const meetings = series ? [series, ...overrides] : overrides;
  if (meetings.length > MOST_MEETINGS) return undefined;
  const busy = meetings.map(isBusy);
  if (busy.includes(undefined)) return undefined;
  const left = overrides.map(({ of }) => of);
  const all = meetings.map((meeting, i) => {
    if (!busy[i]) return [];
    const single = meetingPattern(meeting, calendarZone);
    if (meeting !== series || !single) return single && [single];
    return seriesPatterns({ ...series, excluded: [...series.excluded, ...left] }, single);
  });
  return all.includes(undefined) ? undefined : all.flatMap((patterns) => patterns ?? []);
}

function meetingPattern(
  { zone, start, exact, days, seconds }: Meeting,
  calendarZone: string,
): MeetingPattern | undefined {
  if (exact !== undefined || (zone !== null && typeof zone !== 'string')) return undefined;
  return [zone ?? calendarZone, start, days, seconds];
}

/** One pattern for each rule. All of them contain the first meeting, which does not change the union. */
function seriesPatterns(
  { start, included, excluded, excludingRules = [], rules }: Series,
  first: MeetingPattern,
): BusyPattern[] | undefined {
  if (included.length > 0 || excludingRules.length > 0) return undefined;
  if (excluded.length > MOST_LEFT_OUT) return undefined;
  if (rules.some(({ text }) => text.length > MOST_CHARACTERS)) return undefined;
  if (rules.length === 0) return excluded.length > 0 ? undefined : [first];
  const left: [] | [MomentNumbers] = excluded.length > 0 ? [new Moments(excluded).numbers] : [];
  const patterns = rules.map(({ text, last }): SeriesPattern | undefined => {
    const days = dayRuleOf(text, Math.floor(start / DAY_SECONDS));
    return days && [...first, days, last, ...left];
  });
  return patterns.some((pattern) => !pattern)
    ? undefined
    : patterns.filter((pattern) => pattern !== undefined);
}
