import type { Moment } from '../../../formats/icalendar/values.ts';
import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { intervalOf } from '../availability/meeting-times.ts';
import type { Meeting, Series } from './definition.ts';
import type { CalendarEvent, NewEvent } from './event-schema.ts';
import type { EventRow } from './event-store.ts';
import { momentAsTime } from './event-times.ts';
import { definitionOf, resourcesOf } from './saving.ts';
import { shownTime } from './shown-time.ts';

/** The event as the API shows it. */
export function eventRecord(row: EventRow): CalendarEvent {
  const meeting = mainMeeting(row);
  const { start, end } = intervalOf(meeting, row.time_zone);
  const { allDay, attendees } = meeting;
  const dates = allDay ? datesOf(meeting) : undefined;
  return {
    id: row.id,
    calendar_id: row.calendar_id,
    starts_at: dates?.starts_at ?? shownTime(start),
    ends_at: dates?.ends_at ?? shownTime(end),
    time_zone: zoneName(meeting, row.time_zone),
    all_day: allDay,
    recurrence: meeting.lines,
    status: meeting.status,
    transparency: meeting.transparency,
    attendees: attendees.map(({ email }) => email),
    responses: attendees,
    resources: resourcesOf(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

/** The fields that would make this event again, for a change that sends some of them. */
export function fieldsOf(row: EventRow): NewEvent {
  const meeting = mainMeeting(row);
  const { zone, allDay, lines } = meeting;
  const isFloating = zone === null && !allDay;
  return {
    ...(isFloating ? floatingTimes(meeting) : times(row)),
    all_day: allDay,
    ...(typeof zone === 'string' && { time_zone: zone }),
    recurrence: lines,
    status: meeting.status,
    transparency: meeting.transparency,
  };
}

function times(row: EventRow): Pick<NewEvent, 'starts_at' | 'ends_at'> {
  const { starts_at, ends_at } = eventRecord(row);
  return { starts_at, ends_at };
}

function floatingTimes({ start, days, seconds }: Meeting): Pick<NewEvent, 'starts_at' | 'ends_at'> {
  const local = (at: number): Moment => ({ kind: 'local', seconds: at });
  return {
    starts_at: momentAsTime(local(start)),
    ends_at: momentAsTime(local(start + days * DAY_SECONDS + seconds)),
  };
}

function datesOf({ start, days, seconds }: Meeting): Pick<NewEvent, 'starts_at' | 'ends_at'> {
  const day = Math.floor(start / DAY_SECONDS);
  const length = Math.max(1, days + Math.ceil(seconds / DAY_SECONDS));
  return {
    starts_at: momentAsTime({ kind: 'date', day }),
    ends_at: momentAsTime({ kind: 'date', day: day + length }),
  };
}

/** A clock that an import defined itself has no name that others would know. */
function zoneName({ zone }: Meeting, calendarZone: string): string {
  if (zone === null) return calendarZone;
  return typeof zone === 'string' ? zone : 'UTC';
}

/** The series, or the first of the instances that have none. */
function mainMeeting(row: EventRow): Meeting & Pick<Series, 'lines'> {
  const { series, overrides } = definitionOf(row);
  const [first] = overrides;
  if (series) return series;
  if (!first) throw new TypeError(`${row.id} defines no meeting`);
  return { ...first, lines: [] };
}
