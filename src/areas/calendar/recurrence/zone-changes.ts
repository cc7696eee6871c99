import type { WriteTransaction } from '../../../storage/database.ts';
import { inPortions } from '../../../storage/query/long-rows.ts';
import { askedAgain } from '../availability/answers.ts';
import { lockResources, refuseClashes } from '../events/bookings.ts';
import type { CalendarRow } from '../events/calendar-store.ts';
import { mapMeetings, meetingsOf } from '../events/definition.ts';
import { type EventRow, eachEvent, setTimeZone } from '../events/event-store.ts';
import { definitionOf, EVENTS_AT_ONCE, resourcesOf, saveEvents } from '../events/saving.ts';

/**
 * Lets the dates and floating times of a calendar's events follow its zone. Throws ApiError resource_busy, and
 * validation_failed where to see that their resources are free takes too long.
 */
export async function moveToZone(tx: WriteTransaction, calendar: CalendarRow): Promise<void> {
  let takesResources = false;
  const lengthOf = ({ definition }: EventRow) => 2 * definition.length;
  for await (const before of inPortions(followers(tx, calendar), lengthOf, EVENTS_AT_ONCE)) {
    const changes = before.map((row) => ({ before: row, after: moved(row, calendar) }));
    takesResources ||= before.some((row) => resourcesOf(row).length > 0);
    await lockResources(tx, before);
    await saveEvents(tx, changes);
  }
  await setTimeZone(tx, calendar.id, calendar.time_zone);
  // Only now: until all of them have moved, one would clash with where another was.
  if (takesResources) await refuseClashes(tx, followers(tx, calendar));
}

/** The events of a calendar that go by its clock. */
async function* followers(tx: WriteTransaction, { id }: CalendarRow): AsyncGenerator<EventRow> {
  for await (const row of eachEvent(tx, id)) if (isFollower(row)) yield row;
}

function isFollower(row: EventRow): boolean {
  return meetingsOf(definitionOf(row)).some(({ zone }) => zone === null);
}

/** A floating time is another then, of which nobody has been asked; a date stays that date. */
function moved(row: EventRow, { time_zone }: CalendarRow): EventRow {
  const definition = mapMeetings(definitionOf(row), (meeting) =>
    meeting.zone === null && !meeting.allDay ? askedAgain(meeting) : meeting,
  );
  return { ...row, definition: JSON.stringify(definition), time_zone, updated_at: Date.now() };
}
