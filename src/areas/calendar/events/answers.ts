import type { WriteTransaction } from '../../../storage/database.ts';
import { type Attendee, type AttendeeResponse, mapMeetings, meetingsOf } from './definition.ts';
import type { EventRow } from './event-store.ts';
import { emitEvent, type UserFinder } from './invited.ts';
import { definitionOf, saveEvents } from './save-events.ts';

/** The answer of one attendee to an event. */
export interface Answer {
  isOf: (attendee: Attendee) => boolean;
  response: AttendeeResponse;
  /** In UTC seconds. */
  repliedAt: number;
}

/**
 * Stores an answer, under the lock of the calendar. One that was given already renews its time only, which nobody is
 * shown: an earlier one that is still on its way by mail must not count.
 */
export async function saveAnswer(
  tx: WriteTransaction,
  before: EventRow,
  { isOf, response, repliedAt }: Answer,
  findUsers: UserFinder,
): Promise<void> {
  const definition = definitionOf(before);
  const answering = meetingsOf(definition).flatMap(({ attendees }) => attendees.filter(isOf));
  const isNew = answering.some((one) => one.response !== response);
  const answered = mapMeetings(definition, (meeting) => ({
    ...meeting,
    attendees: meeting.attendees.map((one) => (isOf(one) ? { ...one, response, repliedAt } : one)),
  }));
  const updated_at = isNew ? Date.now() : before.updated_at;
  const after = { ...before, definition: JSON.stringify(answered), updated_at };
  await saveEvents(tx, [{ before, after }]);
  if (isNew) await emitEvent(tx, 'event.responded', [after], findUsers);
}
