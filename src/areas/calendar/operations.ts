import { Type } from 'typebox';
import { type Operation, reads, receives, writes } from '../../contract/operation.ts';
import { availabilityOperations } from './availability/operations.ts';
import { windowOf, windowProblems } from './availability/window-work.ts';
import * as calendars from './events/calendars.ts';
import { changeProblems, eventProblems } from './events/event-fields.ts';
import {
  Calendar,
  CalendarChanges,
  CalendarEvent,
  CalendarImportReport,
  EventChanges,
  EventDetails,
  EventInstance,
  EventRemoval,
  EventResponse,
  EventWindow,
  Invitation,
  InvitationWindow,
  NewCalendar,
  NewEvent,
  NewResponse,
} from './events/event-schema.ts';
import * as events from './events/events.ts';
import { listInvitations } from './events/invitations.ts';
import type { PreparedNotices } from './notices/notification.ts';
import { listInstances } from './recurrence/instance-listing.ts';
import type { CalendarService } from './service.ts';
import { importEvents } from './transfer/import-events.ts';

/** Operations on calendars, the times of events, and availability. */
export function calendarOperations(calendar: CalendarService): Operation[] {
  return [
    ...ownCalendarOperations(calendar),
    ...eventOperations(calendar),
    ...availabilityOperations(calendar),
  ];
}

const area = 'Calendar';

const ByCalendar = Type.Object({
  id: Type.String({ description: 'The calendar.', examples: ['cal_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

function ownCalendarOperations(calendar: CalendarService): Operation[] {
  return [
    reads({
      id: 'listCalendars',
      area,
      method: 'GET',
      path: '/v1/calendars',
      summary: 'List calendars',
      description: 'Every calendar of the user in one answer, in order of creation.',
      permissions: ['calendar.events.read', 'calendar.freebusy.read'],
      answer: Type.Array(Calendar),
      handle: (tx, { principal }) => calendars.listCalendars(tx, principal),
    }),
    writes({
      id: 'createCalendar',
      area,
      method: 'POST',
      path: '/v1/calendars',
      summary: 'Create a calendar',
      description: 'The user owns it.',
      permissions: ['calendar.events.write'],
      emits: ['calendar.created'],
      body: NewCalendar,
      status: 201,
      answer: Calendar,
      check: ({ body }) => calendars.calendarProblems(body),
      handle: (tx, { principal, body }) =>
        calendars.createCalendar(tx, calendar.dependencies, principal, body),
    }),
    writes({
      id: 'updateCalendar',
      area,
      method: 'PUT',
      path: '/v1/calendars/:id',
      summary: 'Change a calendar',
      description:
        'Replaces the fields that are sent. All-day events and floating times follow a change of the time zone.',
      permissions: ['calendar.events.write'],
      emits: ['calendar.changed', 'event.changed'],
      params: ByCalendar,
      body: CalendarChanges,
      answer: Calendar,
      errors: ['not_found', 'resource_busy'],
      check: ({ body }) => calendars.calendarProblems(body),
      handle: (tx, { principal, params, body }) =>
        calendars.updateCalendar(tx, calendar.dependencies, principal, params.id, body),
    }),
  ];
}

const ByCalendarAndEvent = Type.Object({
  id: Type.String({ description: 'The calendar.', examples: ['cal_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  event_id: Type.String({ description: 'The event.', examples: ['evt_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
const ByEvent = Type.Object({
  id: Type.String({ description: 'The event.', examples: ['evt_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
const MAX_IMPORT_BYTES = 64 * 1024 * 1024;
const TOLD =
  'With notify "all", attendees get a message with an iCalendar part in the name of the owner, who finds a copy in Sent; ' +
  'answers that come back by mail are taken. Where a new attendee of this server is nobody, or somebody outside can only ' +
  'be reached by a relay and none is set, the request is refused.';
/** What sending emits, and why it is refused. */
const MAILED = ['message.created', 'folder.created'] as const;
const UNSENT = ['unknown_recipient', 'no_relay'] as const;
const NOTHING_ABOUT = 'The service never holds what a meeting is about: a field for it is refused.';

function eventOperations(calendar: CalendarService): Operation[] {
  return [
    ...eventReads(calendar),
    ...changes(calendar),
    removal(calendar),
    ...invitations(calendar),
    ...imports(calendar),
  ];
}

function keyOf({ id, event_id }: { id: string; event_id: string }): events.EventKey {
  return { calendarId: id, eventId: event_id };
}

function eventReads(calendar: CalendarService): Operation[] {
  return [
    reads({
      id: 'listEventInstances',
      area,
      method: 'GET',
      path: '/v1/calendars/:id/events',
      summary: 'List the instances of events',
      agent: {
        tool: 'list_events',
        title: 'List events',
        hint: 'Events of a calendar (id) between two times, at most 366 days.',
      },
      description:
        'What of the events of a calendar lies in a window: ids and times, in order of start. A series has the same id ' +
        'for each of its instances. A window in which events take place too often to be worked out is refused.',
      permissions: ['calendar.events.read'],
      params: ByCalendar,
      query: EventWindow,
      paging: { default: 25, cap: 100 },
      answer: Type.Array(EventInstance),
      errors: ['not_found'],
      check: ({ query }) => windowProblems(query, (parameter) => ({ parameter })),
      prepare: ({ principal, params, query, page }) =>
        listInstances(calendar.dependencies, principal, params.id, windowOf(query), page),
    }),
    reads({
      id: 'getEvent',
      area,
      method: 'GET',
      path: '/v1/calendars/:id/events/:event_id',
      summary: 'Get an event',
      agent: {
        tool: 'get_event',
        title: 'Read an event',
        hint: 'Times, attendees and their answers.',
        hasTextOfOthers: true,
      },
      description:
        'An event on a calendar of the caller: when it is, whom it concerns and what they have answered, and what it takes. ' +
        'Of a series this is what holds for its instances, except for those that differ.',
      permissions: ['calendar.events.read'],
      params: ByCalendarAndEvent,
      answer: EventDetails,
      errors: ['not_found'],
      handle: (tx, { principal, params }) =>
        events.getEventDetails(tx, calendar.dependencies, principal, keyOf(params)),
    }),
  ];
}

function changes(calendar: CalendarService): Operation[] {
  return [
    writes({
      id: 'createEvent',
      area,
      method: 'POST',
      path: '/v1/calendars/:id/events',
      summary: 'Create an event',
      agent: {
        tool: 'save_event',
        title: 'Save an event',
        hint: 'Without event_id, a new event on the calendar id.',
        isOpen: true,
      },
      description: `${NOTHING_ABOUT} Times count to the second. A resource must be free at each instance; of two series that go on for longer, at those of two years from when both run. ${TOLD}`,
      permissions: ['calendar.events.write'],
      emits: ['event.created', ...MAILED],
      params: ByCalendar,
      body: NewEvent,
      status: 201,
      answer: CalendarEvent,
      errors: ['not_found', 'resource_busy', ...UNSENT],
      check: ({ body }) => eventProblems(body),
      handle: (tx, { principal, params, body, mayMail }, prepared: PreparedNotices | undefined) =>
        events.createEvent(tx, calendar.dependencies, principal, params.id, body, {
          prepared,
          mayMail,
        }),
    }),
    writes({
      id: 'updateEvent',
      area,
      method: 'PUT',
      path: '/v1/calendars/:id/events/:event_id',
      summary: 'Change an event',
      agent: {
        tool: 'save_event',
        title: 'Save an event',
        hint: 'With event_id, replaces the given fields.',
        isDestructive: true,
        isOpen: true,
        hasTextOfOthers: true,
      },
      description: `Replaces the fields that are sent. Where the event comes to other times, another zone or another recurrence, everybody is asked again: their responses are needs_action. With notify alone, everybody is told of it as it stands. ${TOLD} ${NOTHING_ABOUT}`,
      permissions: ['calendar.events.write'],
      emits: ['event.changed', ...MAILED],
      params: ByCalendarAndEvent,
      body: EventChanges,
      answer: CalendarEvent,
      errors: ['not_found', 'resource_busy', ...UNSENT],
      check: ({ body }) => changeProblems(body),
      handle: (tx, { principal, params, body, mayMail }, prepared: PreparedNotices | undefined) =>
        events.updateEvent(tx, calendar.dependencies, principal, keyOf(params), body, {
          prepared,
          mayMail,
        }),
    }),
  ];
}

function removal(calendar: CalendarService): Operation {
  return writes({
    id: 'deleteEvent',
    area,
    method: 'DELETE',
    path: '/v1/calendars/:id/events/:event_id',
    summary: 'Remove an event',
    agent: {
      tool: 'trash_item',
      title: 'Move to the trash',
      hint: 'An event: id of its calendar and event_id.',
      isDestructive: true,
      isOpen: true,
      ids: ['cal'],
    },
    description: `With all of its instances. ${TOLD}`,
    permissions: ['calendar.events.write'],
    emits: ['event.deleted', ...MAILED],
    params: ByCalendarAndEvent,
    query: EventRemoval,
    status: 204,
    errors: ['not_found', ...UNSENT],
    handle: (tx, { principal, params, query, mayMail }, prepared: PreparedNotices | undefined) =>
      events.deleteEvent(tx, calendar.dependencies, principal, keyOf(params), query.notify, {
        prepared,
        mayMail,
      }),
  });
}

function invitations(calendar: CalendarService): Operation[] {
  return [
    reads({
      id: 'listInvitations',
      area,
      method: 'GET',
      path: '/v1/invitations',
      summary: 'List invitations',
      agent: {
        tool: 'list_events',
        title: 'List invitations',
        hint: 'Without id, invitations by others, with response: needs_action waits for an answer.',
      },
      description:
        'Events of others that list the caller by any address, with what the caller has answered: those with an instance ' +
        'in a window, once each, in order of their start, a series by its first. Who else is listed is not told. ' +
        'Cancelled and declined events are listed too. A window in which events take place too often to be worked out is refused.',
      permissions: ['calendar.events.read'],
      query: InvitationWindow,
      paging: { default: 25, cap: 100 },
      answer: Type.Array(Invitation),
      check: ({ query }) => windowProblems(query, (parameter) => ({ parameter })),
      prepare: ({ principal, query, page }) =>
        listInvitations(calendar.dependencies, principal, windowOf(query), page),
    }),
    writes({
      id: 'respondToEvent',
      area,
      method: 'POST',
      path: '/v1/events/:id/response',
      summary: 'Answer an invitation',
      agent: {
        tool: 'respond_to_event',
        title: 'Answer an invitation',
        hint: 'Accepts or declines for the user an invitation that list_events names.',
        isDestructive: true,
      },
      description: 'For those whom the event lists. Who declines is not kept busy by it.',
      permissions: ['calendar.events.write'],
      emits: ['event.responded'],
      params: ByEvent,
      body: NewResponse,
      answer: EventResponse,
      errors: ['not_found'],
      handle: (tx, { principal, params, body }) =>
        events.respond(tx, calendar.dependencies, principal, { id: params.id, response: body.response }),
    }),
  ];
}

function imports(calendar: CalendarService): Operation[] {
  return [
    receives({
      id: 'importEvents',
      area,
      method: 'POST',
      path: '/v1/calendars/:id/import',
      summary: 'Import events',
      description:
        'Takes iCalendar (RFC 5545), up to 64 MiB and 100,000 components in one body, all or none of them stored. Of an ' +
        'event only its times, its attendees and whether it blocks are read; what it is about is dropped at the door. An ' +
        'event whose UID the calendar has already is replaced; one with a RECURRENCE-ID changes an instance of its series, ' +
        'or stands alone. An earlier version than what the calendar has, by SEQUENCE and then by DTSTAMP, is skipped. What ' +
        'people have answered here holds on where the file has no answer of theirs, the same times and the same SEQUENCE. ' +
        'A component that is no event or has no times that can be read is skipped, and an event that is ' +
        'more than 4 MB with its instances, or has more than 10,000 that differ. Of more than 200 ' +
        'attendees those of the user, the organizer and the first are kept, and the event is told of under skipped. ' +
        'Nothing is stored where an event that has a room or equipment comes to a time at which another has it.',
      permissions: ['calendar.events.write'],
      emits: ['event.created', 'event.changed'],
      params: ByCalendar,
      rawBody: { mediaType: 'text/calendar', maxSize: MAX_IMPORT_BYTES },
      answer: CalendarImportReport,
      errors: ['not_found', 'resource_busy'],
      receive: ({ principal }, content) => calendar.receiveEvents(principal, content),
      handle: (tx, { principal, params }, received) =>
        importEvents(tx, calendar.dependencies, principal, params.id, received),
    }),
  ];
}
