import { isUtf8 } from 'node:buffer';
import { parseAddresses } from './addresses.ts';
import { decodeText } from './charsets.ts';
import { parseDate, parseReceivedDate } from './dates.ts';
import { decodeHeader } from './encoded-words.ts';
import { firstValue, type HeaderField } from './header-section.ts';
import { MAX_ADDRESSES, MAX_IDS } from './limits.ts';
import type { Address, ParsedMessage } from './message.ts';
import { parseIds, parseReferences, parseReplyIds } from './message-ids.ts';
import { storable } from './plain-strings.ts';

/** A header section as it is written, and the charset of its message. */
export interface WrittenHead {
  fields: HeaderField[];
  charset: string;
}

export type Headers = Omit<ParsedMessage, 'text' | 'html' | 'attachments'>;

/**
 * What the header section of a message says. Of a field that should stand once, the first counts.
 * @param charset what the message says of its text: bytes over 127 in its fields are often in it too
 */
export function readHeaders(written: HeaderField[], charset: string): Headers {
  const fields = inOneCharset(written, charset);
  const headers = fields.map(decodedField);
  const lists = {
    to: mailboxes(fields, 'to'),
    cc: mailboxes(fields, 'cc'),
    bcc: mailboxes(fields, 'bcc'),
    replyTo: mailboxes(fields, 'reply-to'),
  };
  const ids = {
    inReplyTo: allIds(fields, 'in-reply-to', parseReplyIds),
    references: allIds(fields, 'references', parseReferences),
  };
  return {
    messageId: parseIds(firstValue(fields, 'message-id'))[0] ?? '',
    ...ids,
    subject: headers[fields.findIndex(({ name }) => name === 'subject')]?.value ?? '',
    from: mailboxes(fields, 'from')[0] ?? mailboxes(fields, 'sender')[0] ?? null,
    ...lists,
    sentAt: parseDate(firstValue(fields, 'date')),
    receivedAt: newestReceived(fields),
    headers,
    truncated:
      Object.values(lists).some(isFull) ||
      ids.references.length >= MAX_IDS ||
      ids.inReplyTo.length >= MAX_IDS,
  };
}

/** Every header field in order, as readHeaders gives them. */
export function readFields(written: HeaderField[], charset: string): ParsedMessage['headers'] {
  return inOneCharset(written, charset).map(decodedField);
}

function inOneCharset(written: HeaderField[], charset: string): HeaderField[] {
  return written.map((field) => inUtf8(field, charset));
}

function decodedField({ name, raw }: HeaderField): { name: string; value: string } {
  return { name: storable(decodeHeader(name)), value: decodeHeader(raw) };
}

function inUtf8(field: HeaderField, charset: string): HeaderField {
  if (charset === '' || field.raw.includes('=?') || !/[\x80-\xff]/.test(field.raw)) return field;
  const bytes = Buffer.from(field.raw, 'latin1');
  if (isUtf8(bytes)) return field;
  return { name: field.name, raw: Buffer.from(decodeText(bytes, charset)).toString('latin1') };
}

function isFull(list: Address[]): boolean {
  return list.length >= MAX_ADDRESSES;
}

function valuesOf(fields: HeaderField[], name: string): string[] {
  return fields.filter((field) => field.name === name).map((field) => field.raw);
}

function mailboxes(fields: HeaderField[], name: string): Address[] {
  const found: Address[] = [];
  for (const raw of valuesOf(fields, name)) {
    // A loop: an argument for each of so many would be on the stack.
    for (const address of parseAddresses(raw, MAX_ADDRESSES - found.length)) found.push(address);
    if (isFull(found)) break;
  }
  return found;
}

function allIds(fields: HeaderField[], name: string, parse: (raw: string) => string[]): string[] {
  return [...new Set(valuesOf(fields, name).flatMap(parse))].slice(-MAX_IDS);
}

/** Each server adds its Received at the top (RFC 5321 4.4), so the first with a readable date is the newest. */
function newestReceived(fields: HeaderField[]): number | null {
  for (const { name, raw } of fields) {
    const at = name === 'received' ? parseReceivedDate(raw) : null;
    if (at !== null) return at;
  }
  return null;
}
