import { hash } from 'node:crypto';
import { foldUnicode, isAscii, memoize } from '../../../text/fold.ts';
import { busyPatterns } from '../availability/busy-patterns.ts';
import { type Attendee, type EventDefinition, isBlocking, type Meeting, meetingsOf } from './definition.ts';

/** UTF-16 units: a folded address of more is no address of anybody, and to store and compare it is dear. */
const LONGEST_KEY = 508;

/** Under which an address is compared and stored, without regard to case. */
export function addressKey(email: string): string {
  return isAscii(email) ? email.toLowerCase() : keyKept(email);
}

/** The key of an address that is folded. A longer one has a digest, which no address can be: it has a space. */
export function keyOfFolded(folded: string): string {
  return folded.length <= LONGEST_KEY ? folded : `sha256 ${hash('sha256', folded, 'base64url')}`;
}

/** As many as the largest event lists: its addresses are compared many times while it is stored. */
const MOST_KEPT = 8_000_000;
const keyKept = memoize((email) => keyOfFolded(foldUnicode(email)), MOST_KEPT);

/** Whom an event concerns beside its calendar, and the pattern in which it keeps each busy. */
interface Holder {
  holder: string;
  busy: string;
}

/** What is known of an event when it is stored. */
export interface StoredEvent {
  id: string;
  definition: EventDefinition;
  /** That of its calendar. */
  timeZone: string;
  userId: string;
  resources: readonly string[];
}

/** Whom an event may keep busy: its owner by id, those whom it lists by address, and what it takes. */
export function busyHolders({ definition, userId, resources }: Omit<StoredEvent, 'id'>): Set<string> {
  const blocking = meetingsOf(definition).filter(isBlocking);
  if (blocking.length === 0) return new Set();
  return new Set([userId, ...blocking.flatMap((meeting) => [...comingTo(meeting)]), ...resources]);
}

/** Those holders with the patterns in which they are kept busy; many have the same. */
export function busyHoldersWithPatterns(event: StoredEvent): Holder[] {
  const { userId, resources } = event;
  const ofOwner = patternFor(event, (meeting) => isBlocking(meeting) && keepsOwner(meeting));
  const ofResource = patternFor(event, isBlocking);
  const meetings = meetingsOf(event.definition);
  const ofHolders = meetingsByAddress(meetings);
  const byMeetings = new Map<string, string>();
  return [...busyHolders(event)].map((holder) => {
    if (holder === userId) return { holder, busy: ofOwner };
    if (resources.includes(holder)) return { holder, busy: ofResource };
    const own = ofHolders.get(holder) ?? [];
    const key = own.join();
    let busy = byMeetings.get(key);
    if (busy === undefined) {
      const kept = new Set(own.map((i) => meetings[i]));
      busy = patternFor(event, (meeting) => kept.has(meeting));
      byMeetings.set(key, busy);
    }
    return { holder, busy };
  });
}

/** Which of the meetings each address comes to that take its time, by their places. */
function meetingsByAddress(meetings: readonly Meeting[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [i, meeting] of meetings.entries()) {
    for (const address of isBlocking(meeting) ? comingTo(meeting) : []) {
      const own = found.get(address);
      if (own) own.push(i);
      else found.set(address, [i]);
    }
  }
  return found;
}

function patternFor(
  { id, definition, timeZone }: StoredEvent,
  isKept: (meeting: Meeting) => boolean | undefined,
): string {
  return busyPatterns(id, definition, timeZone, isKept);
}

/** Whether its owner is busy; where somebody declined, that hangs on whether it was the owner, by whatever address. */
function keepsOwner({ attendees }: Meeting): true | undefined {
  return attendees.every(({ response }) => response !== 'declined') || undefined;
}

/** The keys of the addresses of those who are listed and have not declined. */
function comingTo({ attendees }: Meeting): Set<string> {
  return new Set(
    attendees.filter(({ response }) => response !== 'declined').map(({ email }) => addressKey(email)),
  );
}

/** Somebody whose time is asked for. */
export interface Person {
  userId: string;
  /** The key of every address. */
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
  return addresses.includes(addressKey(email));
}
