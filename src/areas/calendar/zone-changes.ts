import type { WriteTransaction } from '../../storage/database.ts';
import { askedAgain } from './answers.ts';
import { lockResources, refuseClashes } from './bookings.ts';
import type { CalendarRow } from './calendar-store.ts';
import { mapMeetings, meetingsOf } from './definition.ts';
import { type EventRow, listEvents, setTimeZone } from './event-store.ts';
import { definitionOf, resourcesOf, saveEvents } from './saving.ts';

/** Events that are read and stored together: bounds what is in memory, however many a calendar has. */
const AT_ONCE = 500;

/**
 * Lets the dates and floating times of a calendar's events follow its zone. Throws ApiError resource_busy, and
 * validation_failed where to see that their resources are free takes too long.
 */
export async function moveToZone(tx: WriteTransaction, calendar: CalendarRow): Promise<void> {
  let takesResources = false;
  for await (const before of followers(tx, calendar)) {
    const changes = before.map((row) => ({ before: row, after: moved(row, calendar) }));
    takesResources ||= before.some((row) => resourcesOf(row).length > 0);
    await lockResources(tx, before);
    await saveEvents(tx, changes);
  }
  await setTimeZone(tx, calendar.id, calendar.time_zone);
  // Only now: until all of them have moved, one would clash with where another was.
  if (takesResources) await refuseClashes(tx, eachFollower(tx, calendar));
}

async function* eachFollower(tx: WriteTransaction, calendar: CalendarRow): AsyncGenerator<EventRow> {
  for await (const rows of followers(tx, calendar)) yield* rows;
}

/** The events of a calendar that go by its clock, some at a time. */
async function* followers(tx: WriteTransaction, { id }: CalendarRow): AsyncGenerator<EventRow[]> {
  let after = '';
  for (;;) {
    const rows = await listEvents(tx, id, after, AT_ONCE);
    yield rows.filter(isFollower);
    const last = rows.at(-1);
    if (!last || rows.length < AT_ONCE) return;
    after = last.uid;
  }
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
