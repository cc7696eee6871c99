import { fold } from '../../text/fold.ts';
import { type Attendee, type EventDefinition, isBlocking, type Meeting, meetingsOf } from './definition.ts';

/** Whom an event may keep busy: its owner by id, those whom it lists by address, and what it takes. */
export function busyHolders(
  definition: EventDefinition,
  ownerId: string,
  resources: readonly string[],
): Set<string> {
  const blocking = meetingsOf(definition).filter(isBlocking);
  if (blocking.length === 0) return new Set();
  const coming = blocking
    .flatMap(({ attendees }) => attendees)
    .filter(({ response }) => response !== 'declined');
  return new Set([ownerId, ...coming.map(({ email }) => fold(email)), ...resources]);
}

/** Somebody whose time is asked for. */
export interface Person {
  userId: string;
  /** Every address, case folded. */
  addresses: readonly string[];
}

/**
 * "Events on their calendars and events that list them and that they have not declined, unless transparency is free or
 * status cancelled."
 */
export function keepsBusy(meeting: Meeting, ownerId: string, { userId, addresses }: Person): boolean {
  if (!isBlocking(meeting)) return false;
  const listed = meeting.attendees.filter((attendee) => isOneOf(attendee, addresses));
  if (listed.length === 0) return ownerId === userId;
  return !listed.every(({ response }) => response === 'declined');
}

export function isOneOf({ email }: Attendee, addresses: readonly string[]): boolean {
  return addresses.includes(fold(email));
}
