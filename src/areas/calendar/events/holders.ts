import { hash } from 'node:crypto';
import { foldUnicode, isAscii, memoize } from '../../../text/fold.ts';
import { busyPatterns } from '../availability/busy-patterns.ts';
import { type Attendee, type EventDefinition, isBlocking, type Meeting, meetingsOf } from './definition.ts';

/** UTF-16 units. A longer folded address belongs to no user, and would be expensive to store and compare. */
const LONGEST_KEY = 508;

/** The key under which an address is compared and stored, case-insensitive. */
export function addressKey(email: string): string {
  return isAscii(email) ? email.toLowerCase() : cachedKey(email);
}

/** The key of a folded address. A longer one is replaced by a digest, which contains a space and so equals no address. */
export function keyOfFolded(folded: string): string {
  return folded.length <= LONGEST_KEY ? folded : `sha256 ${hash('sha256', folded, 'base64url')}`;
}

/** Enough for the largest event: its addresses are compared many times while it is stored. */
const MOST_CACHED = 8_000_000;
const cachedKey = memoize((email) => keyOfFolded(foldUnicode(email)), MOST_CACHED);

/** The keys of the addresses that an event lists in any of its meetings. */
export function listedAddresses(definition: EventDefinition): Set<string> {
  return new Set(
    meetingsOf(definition).flatMap(({ attendees }) => attendees.map(({ email }) => addressKey(email))),
  );
}

/** A holder is an owner, an address or a resource of an event; `busy` are the patterns of its busy times. */
interface Holder {
  holder: string;
  busy: string;
}

/** The properties of an event that determine its holders. */
export interface StoredEvent {
  id: string;
  definition: EventDefinition;
  /** The zone of its calendar. */
  timeZone: string;
  userId: string;
  resources: readonly string[];
}

/** The holders that an event may keep busy: its owner by id, its attendees by address, and its resources. */
export function busyHolders({ definition, userId, resources }: Omit<StoredEvent, 'id'>): Set<string> {
  const blocking = meetingsOf(definition).filter(isBlocking);
  if (blocking.length === 0) return new Set();
  return new Set([userId, ...blocking.flatMap((meeting) => [...comingTo(meeting)]), ...resources]);
}

/** The same holders with the patterns of their busy times; many share the same patterns. */
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
      const attended = new Set(own.map((i) => meetings[i]));
      busy = patternFor(event, (meeting) => attended.has(meeting));
      byMeetings.set(key, busy);
    }
    return { holder, busy };
  });
}

/** For each address, the indexes of the blocking meetings that it attends. */
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
  isBusy: (meeting: Meeting) => boolean | undefined,
): string {
  return busyPatterns(id, definition, timeZone, isBusy);
}

/**
 * Whether the owner is busy. If anybody declined, it depends on whether that was the owner, under any address: then
 * undefined.
 */
function keepsOwner({ attendees }: Meeting): true | undefined {
  return attendees.every(({ response }) => response !== 'declined') || undefined;
}

/** The address keys of the attendees who have not declined. */
function comingTo({ attendees }: Meeting): Set<string> {
  return new Set(
    attendees.filter(({ response }) => response !== 'declined').map(({ email }) => addressKey(email)),
  );
}

/** A person whose busy times are queried. */
export interface Person {
  userId: string;
  /** The keys of all addresses. */
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
