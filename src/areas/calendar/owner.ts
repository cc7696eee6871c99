import type { WorkspaceLock } from '../../storage/database.ts';

/** The owner of calendars: each statement of this area is restricted to one. A Principal is one. */
export interface CalendarOwner {
  workspaceId: string;
  userId: string;
}

/** The lock for every change of a user's calendars. It keeps UIDs unique. */
export function calendarLock({ workspaceId, userId }: CalendarOwner): WorkspaceLock {
  return { workspaceId, scope: `calendar ${userId}` };
}
