import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { type CalendarDependencies, findersFor } from '../dependencies.ts';
import { type Attendee, type Meeting, meetingsOf } from '../events/definition.ts';
import { type EventRow, findEvent } from '../events/event-store.ts';
import { addressKey } from '../events/holders.ts';
import { definitionOf } from '../events/save-events.ts';
import { saveResponse } from '../events/save-response.ts';
import { sequenceOf } from '../notices/notices.ts';
import { type CalendarOwner, calendarLock } from '../owner.ts';
import type { Reply } from './reply.ts';

/** An answer to an event of one of the people whom its message reached. */
export interface FoundReply extends Reply {
  owner: CalendarOwner;
}

/** The answer with the owner of its event; undefined unless the event is of one of these people and lists who answers. */
export async function findReply(
  tx: ReadTransaction,
  recipients: readonly CalendarOwner[],
  reply: Reply,
): Promise<FoundReply | undefined> {
  for (const { workspaceId, userId } of recipients) {
    const row = await findEvent(tx, { workspaceId }, reply.eventId);
    if (row?.user_id === userId && takes(row, reply)) return { ...reply, owner: { workspaceId, userId } };
  }
  return undefined;
}

/** Called before the first write of the transaction that takes the answer, and before the locks of mailboxes. */
export function lockForReply(tx: WriteTransaction, { owner }: FoundReply): Promise<void> {
  return tx.lock(calendarLock(owner));
}

/** Stores an answer, under the lock of lockForReply. Changes nothing where the event no longer asks for it. */
export async function takeReply(
  tx: WriteTransaction,
  dependencies: CalendarDependencies,
  reply: FoundReply,
): Promise<void> {
  const before = await findEvent(tx, reply.owner, reply.eventId);
  if (before?.user_id !== reply.owner.userId || !takes(before, reply)) return;
  const isOf = (one: Attendee) => isAnsweredBy(one, reply);
  const { response, stamp: repliedAt } = reply;
  await saveResponse(tx, before, { isOf, response, repliedAt }, findersFor(dependencies, reply.owner).users);
}

/** Whether an event lists who answers, has not moved since, and has no later answer. */
function takes(row: EventRow, reply: Reply): boolean {
  if (reply.sequence < sequenceOf(row)) return false;
  const listed = meetingsOf(definitionOf(row)).flatMap(({ attendees }) =>
    attendees.filter((one) => isAnsweredBy(one, reply)),
  );
  return listed.length > 0 && listed.every(({ repliedAt = 0 }) => repliedAt <= reply.stamp);
}

function isAnsweredBy({ email }: Meeting['attendees'][number], { address }: Reply): boolean {
  return addressKey(email) === address;
}
