import type { Duration, Moment } from '../../../formats/icalendar/values.ts';
import type { Transition } from '../../../formats/recurrence/zone.ts';

/** When an event is and whom it keeps busy: everything that is stored of it, and never what it is about. */
export interface EventDefinition {
  /** Absent where an import brought single instances without their series. */
  series?: Series;
  /** Instances that differ from what the series says of them. */
  overrides: Override[];
}

/**
 * The clock that a meeting is on: an IANA zone by its name, or one that an import defined itself; null for that of the
 * calendar, by which dates and floating times go.
 */
export type ZoneRef = string | { initial: number; transitions: Transition[] } | null;

export type Status = 'confirmed' | 'tentative' | 'cancelled';
export type Transparency = 'busy' | 'free';
export type AttendeeResponse = 'needs_action' | 'accepted' | 'tentative' | 'declined';

export interface Attendee {
  /** As it was given. */
  email: string;
  response: AttendeeResponse;
}

/** When one meeting is: how long, in days by the clock of its zone and then exact seconds. */
export interface MeetingTime extends Duration {
  /** Seconds on that clock. */
  start: number;
  /** The second UTC, where the clock shows the start twice and the later one is meant. */
  exact?: number;
}

/** One meeting; of a series, the first. */
export interface Meeting extends MeetingTime {
  zone: ZoneRef;
  allDay: boolean;
  status: Status;
  transparency: Transparency;
  attendees: Attendee[];
  /** Which version of it an import has brought; absent where none has, or before it was kept. */
  version?: Version;
}

/** By which of two versions of a meeting the later one is told (RFC 5546, 2.1.5). */
export interface Version {
  sequence: number;
  /** The DTSTAMP, in seconds UTC. */
  stamp?: number;
}

export interface Series extends Meeting {
  rules: SeriesRule[];
  /** Instances that no rule names, on the clock of the series. */
  included: MeetingTime[];
  excluded: Moment[];
  /** The rules and dates as properties of RFC 5545. */
  lines: string[];
}

export interface SeriesRule {
  /** The value of an RRULE. */
  text: string;
  /** The last local time that it may name; null for a rule without end. */
  last: number | null;
}

export interface Override extends Meeting {
  /** Where the instance would be without it. */
  of: Moment;
  /** Whether what it changes holds for the instances after it too. */
  andFuture: boolean;
}

/** Every meeting that an event defines. */
export function meetingsOf({ series, overrides }: EventDefinition): Meeting[] {
  return series ? [series, ...overrides] : overrides;
}

/** Changes every meeting that an event defines. */
export function mapMeetings(
  { series, overrides }: EventDefinition,
  change: <M extends Meeting>(meeting: M) => M,
): EventDefinition {
  return { ...(series && { series: change(series) }), overrides: overrides.map((one) => change(one)) };
}

/** Whether it takes the time of those whom it concerns. */
export function isBlocking({ status, transparency }: Meeting): boolean {
  return status !== 'cancelled' && transparency === 'busy';
}
