/** Whose calendars: the scope of every statement of this area. A Principal is one. */
export interface CalendarOwner {
  workspaceId: string;
  userId: string;
}

/** The lock under which everything that changes the calendars of a user runs, so that UIDs stay unique. */
export function calendarLock({ userId }: CalendarOwner): string {
  return `calendar ${userId}`;
}
