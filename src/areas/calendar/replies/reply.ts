import { LineReader } from '../../../formats/content-lines.ts';
import { readCalendar } from '../../../formats/icalendar/read.ts';
import type { EventComponent } from '../../../formats/icalendar/values.ts';
import type { AttendeeResponse } from '../events/definition.ts';
import { addressKey } from '../events/holders.ts';
import { addressOf, isAddress, responseOf, versionOf } from '../transfer/imported-component.ts';

/** The answer of one attendee to an invitation, as an iTIP REPLY has it (RFC 5546, section 3.2.3). */
export interface Reply {
  /** The id of the event: invitations have it as their UID. */
  eventId: string;
  /** The key of the address. */
  address: string;
  response: Exclude<AttendeeResponse, 'needs_action'>;
  sequence: number;
  /** When it was given, in UTC seconds. */
  stamp: number;
}

/** Reads the answer in a calendar part; undefined for any other calendar, and for an answer to single instances. */
export async function readReply(bytes: Uint8Array): Promise<Reply | undefined> {
  if (!isReply(bytes)) return undefined;
  const components = await Array.fromAsync(readCalendar(chunk(bytes)));
  const [only, ...others] = components;
  return only && 'event' in only && others.length === 0 ? replyOf(only.event) : undefined;
}

async function* chunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Whether the calendar is a REPLY, which it says before its first component. */
function isReply(bytes: Uint8Array): boolean {
  for (const line of new LineReader().read(bytes)) {
    if (/^BEGIN:(?!VCALENDAR)/i.test(line)) return false;
    if (/^METHOD(?:;[^:]*)?:\s*REPLY\s*$/i.test(line)) return true;
  }
  return false;
}

/** The form of the ids of events; texts of senders that no database takes, such as NUL, name none. */
const EVENT_ID = /^evt_[0-9a-z]{1,64}$/;

function replyOf(event: EventComponent): Reply | undefined {
  const { properties } = event;
  const textOf = (name: string) => properties.find((property) => property.name === name)?.value.trim();
  const [attendee, ...others] = properties.filter(({ name }) => name === 'ATTENDEE');
  const address = attendee && addressOf(attendee);
  const response = attendee && responseOf(attendee);
  const eventId = textOf('UID');
  if (address === undefined || others.length > 0) return undefined;
  if (eventId === undefined || !EVENT_ID.test(eventId)) return undefined;
  if (response === undefined || response === 'needs_action') return undefined;
  if (textOf('RECURRENCE-ID') !== undefined) return undefined;
  const now = Math.floor(Date.now() / 1000);
  const { sequence, stamp = now } = versionOf(event);
  // Nobody keeps later answers away by a clock that is ahead.
  return { eventId, address: addressKey(address), response, sequence, stamp: Math.min(stamp, now) };
}

/** Who sends a message, as its header fields are written. */
interface SenderFields {
  from: readonly string[];
  sender: readonly string[];
}

/**
 * The key of the address that a message by SMTP comes from: undefined unless its envelope, its one From and, where there
 * is one, its Sender agree. RFC 6047, section 2.3: an answer counts only from the attendee itself.
 */
export function provenSender(envelopeSender: string, { from, sender }: SenderFields): string | undefined {
  if (envelopeSender === '' || from.length !== 1 || sender.length > 1) return undefined;
  const key = addressKey(envelopeSender);
  return [...from, ...sender].every((value) => addressKey(plainMailbox(value)) === key) ? key : undefined;
}

/** RFC 5322, 2.1.1: more than a line holds. */
const LONGEST_MAILBOX = 998;

/**
 * The address of a header that is `Name <address>` or the address alone; "" for any other form. Where readers differ,
 * such as for groups, lists and addresses before the brackets, others have verified another sender than is read here.
 */
function plainMailbox(value: string): string {
  const text = value.trim();
  if (text.length > LONGEST_MAILBOX) return '';
  const open = text.lastIndexOf('<');
  if (open < 0) return isAddress(text) ? text : '';
  const [name, address] = [text.slice(0, open), text.slice(open + 1, -1)];
  // A quote that is left never closes.
  const words = name.replace(/"(?:[^"\\]|\\.)*("?)/gs, (_quoted, end: string) => (end ? '' : '"'));
  return text.endsWith('>') && !/[@<>:;,"]/.test(words) && isAddress(address) ? address : '';
}
