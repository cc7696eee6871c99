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
  type ImportedComponent,
  importedComponent,
  UnreadableEvent,
} from '../transfer/imported-component.ts';
import type { CalendarImportReport } from './event-schema.ts';

/** One event component of a file: a series, or an override of one of its instances. */
export interface ImportedEvent {
  /** A digest of the UID, used only to identify events. Undefined for an event without a UID. */
  uid: string | undefined;
  /** Index of the component in the file, from 0. */
  index: number;
  /** Where the component begins in the file, from 1. */
  line: number;
  component: ImportedComponent;
  /** A message that tells what was left out; absent if nothing was. */
  leftOut?: string;
}

/** The events of a file that was received completely, before their transaction. */
export interface ReceivedEvents extends Received {
  events: ImportedEvent[];
  skipped: CalendarImportReport['skipped'];
}

/** Components of one body: as many as one transaction stores in some seconds. */
const MAX_COMPONENTS = 100_000;

/**
 * Limit for the zone transitions of all series of a file in zones that the file defines: each series stores its own
 * copy. 2,000 endless series have 300,000 of them until the end of the century.
 */
const MOST_CHANGES = 300_000;
const TOO_MANY_CHANGES =
  'The time zones of the file set their clocks too often to be kept for this many events.';

/** A file whose rules take longer than this altogether is refused. */
const MOST_READING_MS = 60_000;

/**
 * Reads a file completely; `own` are the address keys of the user. Rejects with ApiError payload_too_large if it has
 * too many components or its rules take too long.
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
  // Events are read after all components, because a file may define time zones after the events that use them.
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

/** Reads the clocks of an event one at a time: it may name thousands, and each has rules of its own. */
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

/** Number of transitions in the zone of an event, if the file defines that zone. */
function changesOf(read: ImportedEvent | Skipped): number {
  if ('reason' in read) return 0;
  const { zone } = 'series' in read.component ? read.component.series : read.component.override;
  return typeof zone === 'object' && zone ? zone.transitions.length : 0;
}

function readComponent(component: ReadComponent, own: readonly string[]): ImportedEvent | Skipped {
  const { index, line } = component;
  if ('problem' in component) return { index, line, reason: component.problem };
  const { event } = component;
  try {
    const listed = attendeesOf(event.properties, own);
    const leftOut = leftOutOf(listed);
    const component = importedComponent(event, listed.attendees);
    return { uid: uidOf(event), index, line, component, ...(leftOut !== undefined && { leftOut }) };
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
