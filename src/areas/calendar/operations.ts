import type { Operation } from '../../contract/operation.ts';
import { availabilityOperations } from './availability/availability-operations.ts';
import { ownCalendarOperations } from './events/calendar-operations.ts';
import { eventOperations } from './events/event-operations.ts';
import type { CalendarService } from './service.ts';

/** Calendars, the times of events, and when people are free. */
export function calendarOperations(calendar: CalendarService): Operation[] {
  return [
    ...ownCalendarOperations(calendar),
    ...eventOperations(calendar),
    ...availabilityOperations(calendar),
  ];
}
