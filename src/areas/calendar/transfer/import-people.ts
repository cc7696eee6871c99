import { type Property, parameterValues } from '../../../formats/content-lines.ts';
import { EMAIL_ADDRESS, MAX_EMAIL_ADDRESS } from '../../../text/email-address.ts';
import { addressKey } from '../events/address-keys.ts';
import type { Attendee, AttendeeResponse, Meeting } from '../events/definition.ts';
import { MAX_LISTED } from '../events/event-schema.ts';

const RESPONSES: Record<string, AttendeeResponse> = {
  ACCEPTED: 'accepted',
  TENTATIVE: 'tentative',
  DECLINED: 'declined',
};

const ADDRESS = new RegExp(EMAIL_ADDRESS, 'u');

/** Whom a VEVENT lists, as many as an event may list, and how many it lists altogether. */
export interface ImportedAttendees {
  attendees: Attendee[];
  count: number;
}

/**
 * Whom a VEVENT lists: addresses and what they answered, without names. Of more than an event may list, the importing
 * user, whose answer tells whether they are busy, the organizer, and then the first: that a meeting is there is worth
 * more than to refuse it for the others. `own`: the keys of the addresses of the user.
 */
export function attendeesOf(properties: readonly Property[], own: readonly string[]): ImportedAttendees {
  const listed = new Map<string, Attendee>();
  const first = new Set(own);
  for (const property of properties) {
    const email = /^(?:ATTENDEE|ORGANIZER)$/.test(property.name) ? addressOf(property) : undefined;
    if (email === undefined) continue;
    if (property.name === 'ORGANIZER') first.add(addressKey(email));
    else listed.set(addressKey(email), { email, response: responseOf(property) });
  }
  return { attendees: fitting(listed, first), count: listed.size };
}

function fitting(listed: ReadonlyMap<string, Attendee>, first: ReadonlySet<string>): Attendee[] {
  if (listed.size <= MAX_LISTED) return [...listed.values()];
  const before: Attendee[] = [];
  const after: Attendee[] = [];
  for (const [address, attendee] of listed) (first.has(address) ? before : after).push(attendee);
  return [...before, ...after].slice(0, MAX_LISTED);
}

/** Whether a VEVENT takes place, and takes time. */
export function statusOf(properties: readonly Property[]): Pick<Meeting, 'status' | 'transparency'> {
  const value = (name: string) =>
    properties
      .find((property) => property.name === name)
      ?.value.trim()
      .toUpperCase();
  const status = value('STATUS');
  return {
    status: status === 'CANCELLED' || status === 'TENTATIVE' ? lower(status) : 'confirmed',
    transparency: value('TRANSP') === 'TRANSPARENT' ? 'free' : 'busy',
  };
}

function lower(status: 'CANCELLED' | 'TENTATIVE'): 'cancelled' | 'tentative' {
  return status === 'CANCELLED' ? 'cancelled' : 'tentative';
}

/** The address of a mailto: value, else of the EMAIL parameter (RFC 7986, 6.2). */
function addressOf(property: Property): string | undefined {
  const [, mailbox] = /^\s*mailto:([^?]*)/i.exec(property.value) ?? [];
  return [mailbox, ...parameterValues(property, 'EMAIL')]
    .map((address) => address?.trim())
    .find((address) => address && address.length <= MAX_EMAIL_ADDRESS && ADDRESS.test(address));
}

function responseOf(property: Property): AttendeeResponse {
  const [answer = ''] = parameterValues(property, 'PARTSTAT');
  return RESPONSES[answer.trim().toUpperCase()] ?? 'needs_action';
}
