import type { Duration, Moment } from '../../../formats/icalendar/values.ts';
import type { Transition } from '../../../formats/recurrence/zone.ts';

/** The times of an event and the people that it keeps busy: all that is stored of an event, and never its subject. */
export interface EventDefinition {
  /** Absent if an import contained single instances without their series. */
  series?: Series;
  /** Instances that differ from the series. */
  overrides: Override[];
}

/**
 * The clock of a meeting: the name of an IANA zone, or a zone that an import defined; null for the zone of the
 * calendar, which dates and floating times use.
 */
export type ZoneRef = string | { initial: number; transitions: Transition[] } | null;

export type Status = 'confirmed' | 'tentative' | 'cancelled';
export type Transparency = 'busy' | 'free';
export type AttendeeResponse = 'needs_action' | 'accepted' | 'tentative' | 'declined';

export interface Attendee {
  /** As given by the client or the file. */
  email: string;
  response: AttendeeResponse;
  /** When the attendee gave the answer, in UTC seconds: earlier ones that come later by mail do not count. */
  repliedAt?: number;
}

/** The time of one meeting: its length in days of its zone's clock, then exact seconds. */
export interface MeetingTime extends Duration {
  /** Local seconds on that clock. */
  start: number;
  /** The UTC second, if the clock shows the local start twice and the later one is meant. */
  exact?: number;
}

/** One meeting; for a series, its first instance. */
export interface Meeting extends MeetingTime {
  zone: ZoneRef;
  allDay: boolean;
  status: Status;
  transparency: Transparency;
  attendees: Attendee[];
  /** The version from an import; absent if the meeting was never imported, or was imported before versions were stored. */
  version?: Version;
}

/** Determines the later of two versions of a meeting (RFC 5546, section 2.1.5). */
export interface Version {
  sequence: number;
  /** The DTSTAMP, in UTC seconds. */
  stamp?: number;
}

export interface Series extends Meeting {
  rules: SeriesRule[];
  /** Additional instances that no rule generates, on the clock of the series. */
  included: MeetingTime[];
  excluded: Moment[];
  /** EXRULEs: what they generate from the start on is no instance. Absent if there are none. */
  excludingRules?: SeriesRule[];
  /** The rules and dates as properties of RFC 5545. */
  lines: string[];
}

export interface SeriesRule {
  /** The value of an RRULE or EXRULE. */
  text: string;
  /** The last local time that the rule can generate; null for a rule without an end. */
  last: number | null;
}

export interface Override extends Meeting {
  /** The time of the instance without the override. */
  of: Moment;
  /** Whether the change also applies to the instances after it. */
  andFuture: boolean;
}

/** All meetings that an event defines. */
export function meetingsOf({ series, overrides }: EventDefinition): Meeting[] {
  return series ? [series, ...overrides] : overrides;
}

/** Changes all meetings that an event defines. */
export function mapMeetings(
  { series, overrides }: EventDefinition,
  change: <M extends Meeting>(meeting: M) => M,
): EventDefinition {
  return { ...(series && { series: change(series) }), overrides: overrides.map((one) => change(one)) };
}

/** Whether the meeting keeps its participants busy. */
export function isBlocking({ status, transparency }: Meeting): boolean {
  return status !== 'cancelled' && transparency === 'busy';
}
