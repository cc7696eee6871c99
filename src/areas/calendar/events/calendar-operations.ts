import { Type } from 'typebox';
import { type Operation, reads, writes } from '../../../contract/operation.ts';
import type { CalendarService } from '../service.ts';
import { Calendar, CalendarChanges, NewCalendar } from './calendar-schema.ts';
import { calendarProblems } from './calendars.ts';

const area = 'Calendar';
const ByCalendar = Type.Object({
  id: Type.String({ description: 'The calendar.', examples: ['cal_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

export function ownCalendarOperations(calendar: CalendarService): Operation[] {
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
      handle: (tx, { principal }) => calendar.listCalendars(tx, principal),
    }),
    writes({
      id: 'createCalendar',
      area,
      method: 'POST',
      path: '/v1/calendars',
      summary: 'Create a calendar',
      description: 'The user owns it.',
      permissions: ['calendar.events.write'],
      body: NewCalendar,
      status: 201,
      answer: Calendar,
      check: ({ body }) => calendarProblems(body),
      handle: (tx, { principal, body }) => calendar.createCalendar(tx, principal, body),
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
      params: ByCalendar,
      body: CalendarChanges,
      answer: Calendar,
      errors: ['not_found', 'resource_busy'],
      check: ({ body }) => calendarProblems(body),
      handle: (tx, { principal, params, body }) => calendar.updateCalendar(tx, principal, params.id, body),
    }),
  ];
}
