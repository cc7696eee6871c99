import { createHash } from 'node:crypto';
import { ApiError } from '../../../contract/errors.ts';
import type { Received } from '../../../contract/operation.ts';
import { parameterValues } from '../../../formats/content-lines.ts';
import { readCalendar } from '../../../formats/icalendar/read.ts';
import type { EventComponent, ReadComponent } from '../../../formats/icalendar/values.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { InvalidRecurrence } from '../recurrence/recurrence-lines.ts';
import { importClock } from '../transfer/import-clock.ts';
import {
  attendeesOf,
  type ImportedAttendees,
  type ImportedPart,
  partOf,
  UnreadableEvent,
} from '../transfer/import-parts.ts';
import type { CalendarImportReport } from './event-schema.ts';

/** What a file says of one event: its series, or an instance of it that differs. */
export interface ImportedEvent {
  /** A digest of the UID: it tells events apart and nothing else. Undefined for an event without one. */
  uid: string | undefined;
  /** Which component of the file it is, from 0. */
  index: number;
  /** Where it begins in the file, from 1. */
  line: number;
  part: ImportedPart;
  /** What of it was left out, for people; absent where nothing was. */
  leftOut?: string;
}

/** The events of a file that has arrived whole and waits for its transaction. */
export interface ReceivedEvents extends Received {
  events: ImportedEvent[];
  skipped: CalendarImportReport['skipped'];
}

/** Components of one body: what one transaction takes in some seconds. */
const MAX_COMPONENTS = 100_000;

/**
 * How often the clocks of all series of a file may be set that it defines itself: each keeps its own. Those of 2,000
 * series that recur for ever are set 300,000 times until the end of the century.
 */
const MOST_CHANGES = 300_000;
const TOO_MANY_CHANGES =
  'The time zones of the file set their clocks too often to be kept for this many events.';

/** A file whose rules take this long altogether is refused. */
const MOST_READING_MS = 60_000;

/**
 * Reads a file to its end, for a user with these keys of addresses. Rejects with ApiError payload_too_large when it
 * has too many components or rules.
 */
export async function receiveEvents(
  content: AsyncIterable<Uint8Array>,
  own: readonly string[],
): Promise<ReceivedEvents> {
  const components: ReadComponent[] = [];
  for await (const component of readCalendar(content)) {
    if (component.index >= MAX_COMPONENTS) throw tooManyComponents();
    components.push(component);
  }
  const received: ReceivedEvents = { events: [], skipped: [], discard: async () => undefined };
  // Only now are all time zones known: a file may define them after the events.
  const began = performance.now();
  let changes = 0;
  for (const component of components) {
    if ('event' in component) await readClocks(component.event);
    await giveWay();
    const read = readComponent(component, own);
    const more = changesOf(read);
    const isTooMuch = more > 0 && changes + more > MOST_CHANGES;
    if (!isTooMuch) changes += more;
    receive(received, isTooMuch ? { index: read.index, line: read.line, reason: TOO_MANY_CHANGES } : read);
    if (performance.now() - began > MOST_READING_MS) throw takesTooLong();
  }
  return received;
}

/** The clocks that an event names, one a turn: it may name thousands, and each has rules of its own. */
async function readClocks({ properties, zones }: EventComponent): Promise<void> {
  if (zones.size === 0) return;
  for (const property of properties) {
    const [tzid] = parameterValues(property, 'TZID');
    if (tzid === undefined) continue;
    importClock(tzid, zones);
    await giveWay();
  }
}

type Skipped = CalendarImportReport['skipped'][number];

function receive({ events, skipped }: ReceivedEvents, read: ImportedEvent | Skipped): void {
  if ('reason' in read) skipped.push(read);
  else events.push(read);
}

/** How often the clock of an event is set, where the file defines it. */
function changesOf(read: ImportedEvent | Skipped): number {
  if ('reason' in read) return 0;
  const { zone } = 'series' in read.part ? read.part.series : read.part.override;
  return typeof zone === 'object' && zone ? zone.transitions.length : 0;
}

function readComponent(component: ReadComponent, own: readonly string[]): ImportedEvent | Skipped {
  const { index, line } = component;
  if ('problem' in component) return { index, line, reason: component.problem };
  const { event } = component;
  try {
    const listed = attendeesOf(event.properties, own);
    const leftOut = leftOutOf(listed);
    const part = partOf(event, listed.attendees);
    return { uid: uidOf(event), index, line, part, ...(leftOut !== undefined && { leftOut }) };
  } catch (error) {
    if (error instanceof UnreadableEvent) return { index, line, reason: error.message };
    if (error instanceof InvalidRecurrence) return { index, line, reason: `${error.message}.` };
    throw error;
  }
}

function leftOutOf({ attendees, count }: ImportedAttendees): string | undefined {
  if (count === attendees.length) return undefined;
  return `It is taken with ${attendees.length} of its ${count} attendees.`;
}

function uidOf({ properties }: EventComponent): string | undefined {
  const uid = properties.find(({ name }) => name === 'UID')?.value.trim();
  return uid ? createHash('sha256').update(uid).digest('base64url') : undefined;
}

function tooManyComponents(): ApiError {
  const message = `The body has over ${MAX_COMPONENTS} components; send them in parts.`;
  return new ApiError('payload_too_large', message, { max_components: MAX_COMPONENTS });
}

function takesTooLong(): ApiError {
  const message = 'The rules of these events take too long to work out; send them in parts.';
  return new ApiError('payload_too_large', message, { max_seconds: MOST_READING_MS / 1_000 });
}
