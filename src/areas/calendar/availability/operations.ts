import { type Operation, reads } from '../../../contract/operation.ts';
import type { CalendarService } from '../service.ts';
import { FoundTimes, FreeBusy, FreeBusyQuestion, TimeQuestion } from './availability-schema.ts';
import { findTime, timeProblems } from './find-time.ts';
import { freeBusy, freeBusyProblems } from './free-busy.ts';

const area = 'Calendar';

/** When people and rooms are busy, and when all can meet. */
export function availabilityOperations(calendar: CalendarService): Operation[] {
  return [
    reads({
      id: 'queryFreeBusy',
      area,
      method: 'POST',
      path: '/v1/freebusy',
      summary: 'Query free/busy',
      agent: {
        tool: 'query_free_busy',
        title: 'See who is busy',
        hint: 'When people (by address) and rooms (by id) are busy.',
      },
      description:
        'When people and resources are busy, never with what: at most 200 of them and 366 days. People who do not share ' +
        'their availability come back with an empty list. A window in which their events take place too often to be worked ' +
        'out is refused, not answered in part. It reads: an Idempotency-Key is accepted and ignored.',
      permissions: ['calendar.freebusy.read'],
      body: FreeBusyQuestion,
      answer: FreeBusy,
      check: ({ body }, sent) => freeBusyProblems(body, sent),
      prepare: ({ principal, body }) => freeBusy(calendar.dependencies, principal, body),
    }),
    reads({
      id: 'findTime',
      area,
      method: 'POST',
      path: '/v1/freebusy/find',
      summary: 'Find a time that works',
      agent: {
        tool: 'find_time',
        title: 'Find a time to meet',
        hint: 'Times at which people and rooms are free.',
        lists: [
          'attendees',
          'optional_attendees',
          'resources',
          'any_of_resources',
          'start',
          'end',
          'duration_minutes',
          'time_zone',
          'max_results',
        ],
      },
      description:
        'Times at which everybody who is required can meet; at most 200 people and resources and 366 days. Meetings that ' +
        'touch do not clash. Unknown people are named and otherwise ignored, or refused where strict is true; people who do not share their availability ' +
        'never influence the slots. Same question, same answer. A window in which events take place too often to be ' +
        'worked out is refused, not answered in part. It reads: an Idempotency-Key is accepted and ignored.',
      permissions: ['calendar.freebusy.read'],
      body: TimeQuestion,
      answer: FoundTimes,
      errors: ['not_found'],
      check: ({ body }) => timeProblems(body),
      prepare: ({ principal, body }) => findTime(calendar.dependencies, principal, body),
    }),
  ];
}
