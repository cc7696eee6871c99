import { buffer } from 'node:stream/consumers';
import { parseRawValues, readAttachment } from '../../../formats/messages/parse.ts';
import type { MessageStaging, StagedMessage } from './staging.ts';

/** An answer to an invitation has a thousand bytes or two; so much is read in a short turn of the event loop. */
const MOST_BYTES = 64 * 1024;

/** A calendar part of a received message, with what the message says of who sends it. */
export interface CalendarPart {
  bytes: Uint8Array;
  /** The values of each From and each Sender as they are written. */
  from: string[];
  sender: string[];
}

/** The first calendar part of a message; undefined where it has none, or a large one. */
export async function calendarPart(
  staging: MessageStaging,
  { parsed, location }: StagedMessage,
): Promise<CalendarPart | undefined> {
  const position = parsed.attachments.findIndex(({ mimeType }) => mimeType === 'text/calendar');
  const size = parsed.attachments[position]?.size ?? Number.POSITIVE_INFINITY;
  if (size > MOST_BYTES) return undefined;
  const valuesOf = async (header: string) => parseRawValues(await staging.open(location), header);
  const bytes = await buffer(readAttachment(await staging.open(location), position));
  return { bytes, from: await valuesOf('from'), sender: await valuesOf('sender') };
}
