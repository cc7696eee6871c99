import type { Moment } from '../../../formats/icalendar/values.ts';
import { contentLines, zoneComponent } from '../../../formats/icalendar/write.ts';
import { DAY_SECONDS, dayOf } from '../../../formats/recurrence/civil.ts';
import { ianaZone } from '../../../formats/recurrence/zone.ts';
import { intervalOf, zoneFor } from '../availability/meeting-times.ts';
import {
  type Attendee,
  type EventDefinition,
  type Meeting,
  mapMeetings,
  meetingsOf,
  type Override,
  type Series,
} from '../events/definition.ts';
import { eventText } from '../events/event-lines.ts';
import type { EventRow } from '../events/event-store.ts';
import { definitionOf } from '../events/save-events.ts';

/** Who invites: what attendees see of the owner of an event. */
export interface Organizer {
  name: string;
  email: string;
}

/** What an iTIP message (RFC 5546) tells, and of whom. */
export interface Told {
  method: 'REQUEST' | 'CANCEL';
  organizer: Organizer;
  attendees: readonly Attendee[];
  sequence: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** The time of a series is given in its zone up to here: its clock may be set until then as it is known today. */
const END_OF_ZONES = dayOf(2101, 1, 1) * DAY_SECONDS;

/** The title that every program shows: what a meeting is about is not known here. */
const SUMMARY = 'Meeting';

const PARTSTAT = {
  needs_action: 'NEEDS-ACTION',
  accepted: 'ACCEPTED',
  tentative: 'TENTATIVE',
  declined: 'DECLINED',
} as const;

/** An event as an iTIP message: its times and its people. */
export function invitationText(row: EventRow, told: Told): string {
  const { method, organizer, attendees, sequence, at } = told;
  const definition = toldDefinition(row, method);
  const people = [
    `SEQUENCE:${sequence}`,
    `SUMMARY:${SUMMARY}`,
    `ORGANIZER;CN=${quoted(organizer.name)}:mailto:${organizer.email}`,
    ...attendees.map((attendee) => attendeeLine(attendee, method)),
  ];
  return [
    contentLines(['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Atrium//EN', `METHOD:${method}`]),
    ...zoneTexts(definition),
    eventText(definition, {
      uid: row.id,
      updatedAt: at,
      isOpaque: ({ transparency }) => transparency === 'busy',
      further: () => people,
    }),
    contentLines(['END:VCALENDAR']),
  ].join('');
}

function attendeeLine({ email, response }: Attendee, method: Told['method']): string {
  const asks = method === 'REQUEST' ? `;PARTSTAT=${PARTSTAT[response]};RSVP=TRUE` : '';
  return `ATTENDEE;ROLE=REQ-PARTICIPANT${asks}:mailto:${email}`;
}

/** RFC 5545, section 3.2: a quoted value has no quotes and no control characters. */
function quoted(text: string): string {
  return `"${text.replace(/"/g, "'").replace(/\p{Cc}+/gu, ' ')}"`;
}

/** The event as others can read it: no clock depends on the calendar, and instances that are cancelled are left out. */
function toldDefinition(row: EventRow, method: Told['method']): EventDefinition {
  const { series, overrides } = onOwnClocks(definitionOf(row), row.time_zone);
  const cancelled = overrides.filter(({ status }) => status === 'cancelled').map(({ of }) => of);
  const told: EventDefinition = {
    ...(series && { series: { ...series, excluded: [...series.excluded, ...cancelled] } }),
    overrides: series ? overrides.filter(({ status }) => status !== 'cancelled') : overrides,
  };
  if (method === 'REQUEST') return told;
  return mapMeetings(told, (meeting) => ({ ...meeting, status: 'cancelled' as const }));
}

function onOwnClocks({ series, overrides }: EventDefinition, calendarZone: string): EventDefinition {
  const own = series && onOwnClock(series, calendarZone);
  return {
    ...(own && { series: recurs(own) ? own : inUtc(own, calendarZone) }),
    overrides: overrides.map((override) => ({
      ...inUtc(onOwnClock(override, calendarZone), calendarZone),
      of: own ? namedInUtc(override.of, own, calendarZone) : override.of,
    })),
  };
}

function onOwnClock<M extends Meeting>(meeting: M, calendarZone: string): M {
  return meeting.allDay ? meeting : { ...meeting, zone: meeting.zone ?? calendarZone };
}

function recurs({ rules, included }: Series): boolean {
  return rules.length + included.length > 0;
}

/** A single meeting needs no zone. */
function inUtc<M extends Series | Override>(meeting: M, calendarZone: string): M {
  if (meeting.allDay) return meeting;
  const { start, end } = intervalOf(meeting, calendarZone);
  const { exact: _, ...rest } = meeting;
  return { ...(rest as M), zone: 'UTC', start: start / 1000, days: 0, seconds: (end - start) / 1000 };
}

function namedInUtc(of: Moment, { zone, allDay }: Series, calendarZone: string): Moment {
  if (of.kind !== 'local' || allDay) return of;
  return { kind: 'utc', seconds: zoneFor(zone, calendarZone).toUtc(of.seconds) };
}

/** RFC 5545, section 3.6.5: a VTIMEZONE for each zone that is named. Zones that a file defined are written with the event. */
function zoneTexts(definition: EventDefinition): string[] {
  const { series } = definition;
  const names = new Set(meetingsOf(definition).flatMap(({ zone }) => (typeof zone === 'string' ? zone : [])));
  const from = Math.min(...meetingsOf(definition).map(({ start }) => start)) - 366 * DAY_SECONDS;
  const lasts = series?.rules.map(({ last }) => last ?? END_OF_ZONES) ?? [];
  const added = series?.included.map(({ start }) => start) ?? [];
  const last = [...lasts, ...added].reduce((most, one) => Math.max(most, one), from) + 366 * DAY_SECONDS;
  return [...names]
    .filter((name) => name !== 'UTC')
    .map((name) => zoneComponent(name, ianaZone(name).changesBetween(from, Math.min(last, END_OF_ZONES))));
}
