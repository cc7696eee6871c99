import { contentLines } from '../../../formats/icalendar/write.ts';
import type { Database } from '../../../storage/database.ts';
import { exportedRows } from '../../../storage/query/long-rows.ts';
import { getCalendarRow } from '../events/calendars.ts';
import { isBlocking } from '../events/definition.ts';
import { eventText } from '../events/event-lines.ts';
import { type EventRow, listEventSizes, listEvents } from '../events/event-store.ts';
import { keepsBusy, type Person } from '../events/holders.ts';
import { definitionOf } from '../events/save-events.ts';
import type { CalendarOwner } from '../owner.ts';

/**
 * A calendar as text/calendar, in order of UID, which never changes. Dates and floating times are exported as such:
 * they follow the zone of the calendar into which they are imported. Events that the owner has declined are
 * transparent. Rejects with ApiError not_found.
 */
export async function* calendarFile(
  database: Database,
  owner: CalendarOwner,
  person: Person,
  calendarId: string,
): AsyncGenerator<string> {
  const calendar = await database.read((tx) => getCalendarRow(tx, owner, calendarId));
  yield contentLines([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Atrium//EN',
    `X-WR-TIMEZONE:${calendar.time_zone}`,
  ]);
  const portions = exportedRows(database, {
    sizes: (tx, after, limit) => listEventSizes(tx, calendar, after, limit),
    rows: (tx, after, limit) => listEvents(tx, calendar, after, limit),
  });
  for await (const rows of portions) yield rows.map((row) => textOf(row, person)).join('');
  yield contentLines(['END:VCALENDAR']);
}

function textOf(row: EventRow, person: Person): string {
  return eventText(definitionOf(row), {
    uid: row.uid,
    updatedAt: row.updated_at,
    isOpaque: (meeting) =>
      meeting.transparency === 'busy' && (!isBlocking(meeting) || keepsBusy(meeting, row.user_id, person)),
  });
}
