import { ianaZone } from '../../../formats/recurrence/zone.ts';
import type { Notice } from '../../mail/service.ts';
import { intervalOf } from '../availability/meeting-times.ts';
import type { Attendee } from '../events/definition.ts';
import { mainMeeting } from '../events/event-record.ts';
import type { EventRow } from '../events/event-store.ts';
import { addressKey } from '../events/holders.ts';
import { invitationText, type Organizer, type Told } from './invitation-text.ts';

/** An event before and after a change of its owner: `before` is undefined for a new one, `after` for one that is deleted. */
export interface OwnChange {
  before: EventRow | undefined;
  after: EventRow | undefined;
}

/** The owner of an event, with the keys of all addresses. */
export interface Owner extends Organizer {
  addresses: readonly string[];
}

/**
 * The messages that tell attendees of a change: an invitation to those who are listed now, and a cancellation to those
 * who are no longer listed, or to all where the event does not take place. `at`: milliseconds since the epoch. Nobody is
 * told of their own change, nor where they were told before that it does not take place.
 */
export function noticesOf({ before, after }: OwnChange, owner: Owner, at: number): Notice[] {
  const former = before && takesPlace(before) ? attendeesOf(before) : [];
  const listed = after ? attendeesOf(after) : [];
  const invited = after && takesPlace(after) ? listed : [];
  const isInvited = new Set(invited.map(keyOf));
  // Who comes with the change that cancels an event was never invited.
  const cancelled = former.filter((attendee) => !isInvited.has(keyOf(attendee)));
  const notices: Notice[] = [];
  if (after && others(invited, owner).length > 0) {
    const told = {
      method: 'REQUEST',
      organizer: owner,
      attendees: invited,
      sequence: sequenceOf(after),
      at,
    } as const;
    notices.push(noticeOf(after, told, others(invited, owner), before ? 'changed' : 'new'));
  }
  if (before && others(cancelled, owner).length > 0) {
    const sequence = after ? sequenceOf(after) : sequenceOf(before) + 1;
    const told = { method: 'CANCEL', organizer: owner, attendees: cancelled, sequence, at } as const;
    notices.push(noticeOf(before, told, others(cancelled, owner), 'cancelled'));
  }
  return notices;
}

function takesPlace(row: EventRow): boolean {
  return mainMeeting(row).status !== 'cancelled';
}

function attendeesOf(row: EventRow): Attendee[] {
  return mainMeeting(row).attendees;
}

function keyOf({ email }: Attendee): string {
  return addressKey(email);
}

function others(attendees: readonly Attendee[], { addresses }: Owner): string[] {
  return attendees.filter((one) => !addresses.includes(keyOf(one))).map(({ email }) => email);
}

/** The number of the version of an event: changes over the API count on from that of an import. */
export function sequenceOf(row: EventRow): number {
  return (mainMeeting(row).version?.sequence ?? 0) + row.sequence;
}

type Occasion = 'new' | 'changed' | 'cancelled';

function noticeOf(row: EventRow, told: Told, to: string[], occasion: Occasion): Notice {
  const time = timeText(row);
  return {
    to,
    subject: `${SUBJECTS[occasion]} on ${time.slice(0, 10)}`,
    text: messageText(row, told, time, occasion),
    calendar: { method: told.method, text: invitationText(row, told) },
  };
}

const SUBJECTS: Record<Occasion, string> = {
  new: 'Invitation to a meeting',
  changed: 'Changed: a meeting',
  cancelled: 'Cancelled: a meeting',
};

function messageText(
  row: EventRow,
  { organizer, attendees }: Told,
  time: string,
  occasion: Occasion,
): string {
  const { name, email } = organizer;
  const isSeries = mainMeeting(row).lines.length > 0;
  const says: Record<Occasion, string> = {
    new: `${name} (${email}) invites you to a meeting.`,
    changed: `${name} (${email}) has changed a meeting that you are invited to. This holds now:`,
    cancelled: `${name} (${email}) has cancelled a meeting, or you are not invited to it any more.`,
  };
  const answer = `Accept or decline in your mail program, or write to ${email}.`;
  return [
    says[occasion],
    '',
    `When: ${time}${isSeries ? ', and again as the calendar part of this message says' : ''}`,
    ...(occasion === 'cancelled' ? [] : [`Who: ${attendees.map((one) => one.email).join(', ')}`, '', answer]),
    '',
  ].join('\n');
}

/** When the event, or the first of a series, takes place, on the clock of its zone. */
function timeText(row: EventRow): string {
  const meeting = mainMeeting(row);
  const zone = meeting.zone ?? row.time_zone;
  const name = typeof zone === 'string' ? zone : 'UTC';
  const { start, end } = intervalOf(meeting, row.time_zone);
  if (meeting.allDay) {
    const [first, last] = [local(start, name), local(end - 1, name)].map((text) => text.slice(0, 10));
    return first === last ? `${first}` : `${first} to ${last}`;
  }
  const [from, to] = [local(start, name), local(end, name)];
  return `${from} to ${to.startsWith(from.slice(0, 10)) ? to.slice(11) : to} (${name})`;
}

function local(time: number, zone: string): string {
  const seconds = ianaZone(zone).toLocal(Math.floor(time / 1000));
  const text = new Date(Math.min(seconds * 1000, Date.UTC(9999, 11, 31))).toISOString();
  return text.slice(0, 16).replace('T', ' ');
}
