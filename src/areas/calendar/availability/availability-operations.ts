import { type Operation, reads } from '../../../contract/operation.ts';
import type { CalendarService } from '../service.ts';
import { FoundTimes, FreeBusy, FreeBusyQuestion, TimeQuestion } from './availability-schema.ts';
import { timeProblems } from './find-time.ts';
import { freeBusyProblems } from './free-busy.ts';

const area = 'Calendar';

export function availabilityOperations(calendar: CalendarService): Operation[] {
  return [
    reads({
      id: 'queryFreeBusy',
      area,
      method: 'POST',
      path: '/v1/freebusy',
      summary: 'Query free/busy',
      description:
        'When people and resources are busy, never with what: at most 200 of them and 366 days. People who do not share ' +
        'their availability come back with an empty list. A window in which their events take place too often to be worked ' +
        'out is refused, not answered in part. It reads: an Idempotency-Key is accepted and ignored.',
      permissions: ['calendar.freebusy.read'],
      body: FreeBusyQuestion,
      answer: FreeBusy,
      check: ({ body }, sent) => freeBusyProblems(body, sent),
      prepare: ({ principal, body }) => calendar.freeBusy(principal, body),
    }),
    reads({
      id: 'findTime',
      area,
      method: 'POST',
      path: '/v1/freebusy/find',
      summary: 'Find a time that works',
      description:
        'Times at which everybody who is required can meet; at most 200 people and resources and 366 days. Meetings that ' +
        'touch do not clash. Unknown people are named and otherwise ignored; people who do not share their availability ' +
        'never influence the slots. Same question, same answer. A window in which events take place too often to be ' +
        'worked out is refused, not answered in part. It reads: an Idempotency-Key is accepted and ignored.',
      permissions: ['calendar.freebusy.read'],
      body: TimeQuestion,
      answer: FoundTimes,
      errors: ['not_found'],
      check: ({ body }) => timeProblems(body),
      prepare: ({ principal, body }) => calendar.findTime(principal, body),
    }),
  ];
}
