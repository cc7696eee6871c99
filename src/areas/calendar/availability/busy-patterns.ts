import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { type DayRule, dayRuleOf } from '../../../formats/recurrence/named-days.ts';
import type { EventDefinition, Meeting, Series } from '../events/definition.ts';
import { type MomentNumbers, Moments } from '../recurrence/occurrences.ts';

/** A meeting: the IANA zone of its clock, its start on it in seconds, and how long it is in days and exact seconds. */
export type MeetingPattern = [zone: string, start: number, days: number, seconds: number];

/** What recurs: its first meeting, the days of its rule, the last local time that it may name, what it leaves out. */
export type SeriesPattern = [
  ...first: MeetingPattern,
  days: DayRule,
  last: number | null,
  ...left: [] | [MomentNumbers],
];

/** What keeps somebody busy; the id of an event says no more than to look into that event. */
export type BusyPattern = MeetingPattern | SeriesPattern | string;

/** What takes more room is looked for in the event: patterns are kept once for each whom it concerns. */
const MOST_CHARACTERS = 400;
const MOST_MEETINGS = 10;
/** Each takes two characters and more. */
const MOST_LEFT_OUT = 200;

/**
 * What of an event keeps somebody busy: elements of a JSON array, to be read much faster than the event. `isKept`
 * says which of its meetings do; undefined where that hangs on more than the event. Times are on the clock of
 * their zones, so that whatever becomes of these, the pattern stays right.
 */
export function busyPatterns(
  eventId: string,
  definition: EventDefinition,
  calendarZone: string,
  isKept: (meeting: Meeting) => boolean | undefined,
): string {
  const patterns = patternsOf(definition, calendarZone, isKept);
  const text = patterns?.map((pattern) => JSON.stringify(pattern)).join(',') ?? '';
  return patterns && text.length <= MOST_CHARACTERS ? text : JSON.stringify(eventId);
}

function patternsOf(
  { series, overrides }: EventDefinition,
  calendarZone: string,
  isKept: (meeting: Meeting) => boolean | undefined,
): BusyPattern[] | undefined {
  // Known before anything is looked at: many whom an event lists may each have a pattern of their own.
  if (overrides.length > MOST_MEETINGS || overrides.some(({ andFuture }) => andFuture)) return undefined;
  const meetings = series ? [series, ...overrides] : overrides;
  if (meetings.length > MOST_MEETINGS) return undefined;
  const kept = meetings.map(isKept);
  if (kept.includes(undefined)) return undefined;
  const left = overrides.map(({ of }) => of);
  const all = meetings.map((meeting, i) => {
    if (!kept[i]) return [];
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

/** One for each rule: that they share their first meeting makes nobody busier. */
function seriesPatterns(
  { start, included, excluded, rules }: Series,
  first: MeetingPattern,
): BusyPattern[] | undefined {
  if (included.length > 0 || excluded.length > MOST_LEFT_OUT) return undefined;
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
