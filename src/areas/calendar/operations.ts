import type { Operation } from '../../api/operation.ts';
import { availabilityOperations } from './availability-operations.ts';
import { ownCalendarOperations } from './calendar-operations.ts';
import { eventOperations } from './event-operations.ts';
import type { CalendarService } from './service.ts';

/** Calendars, the times of events, and when people are free. */
export function calendarOperations(calendar: CalendarService): Operation[] {
  return [
    ...ownCalendarOperations(calendar),
    ...eventOperations(calendar),
    ...availabilityOperations(calendar),
  ];
}
