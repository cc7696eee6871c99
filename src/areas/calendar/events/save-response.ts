import type { WriteTransaction } from '../../../storage/database.ts';
import { type Attendee, type AttendeeResponse, mapMeetings, meetingsOf } from './definition.ts';
import type { EventRow } from './event-store.ts';
import { emitEvent, type UserFinder } from './invited.ts';
import { definitionOf, saveEvents } from './save-events.ts';

/** What one attendee responds to an event. */
export interface GivenResponse {
  isOf: (attendee: Attendee) => boolean;
  response: AttendeeResponse;
  /** In UTC seconds. */
  repliedAt: number;
}

/**
 * Stores a response, under the lock of the calendar. One that was given already renews its time only, which nobody is
 * shown: an earlier one that is still on its way by mail must not count.
 */
export async function saveResponse(
  tx: WriteTransaction,
  before: EventRow,
  { isOf, response, repliedAt }: GivenResponse,
  findUsers: UserFinder,
): Promise<void> {
  const definition = definitionOf(before);
  const responding = meetingsOf(definition).flatMap(({ attendees }) => attendees.filter(isOf));
  const isNew = responding.some((one) => one.response !== response);
  const responded = mapMeetings(definition, (meeting) => ({
    ...meeting,
    attendees: meeting.attendees.map((one) => (isOf(one) ? { ...one, response, repliedAt } : one)),
  }));
  const updated_at = isNew ? Date.now() : before.updated_at;
  const after = { ...before, definition: JSON.stringify(responded), updated_at };
  await saveEvents(tx, [{ before, after }]);
  if (isNew) await emitEvent(tx, 'event.responded', [after], findUsers);
}
