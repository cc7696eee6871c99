import { formatAddress } from '../../../formats/messages/addresses.ts';
import type { ParsedMessage } from '../../../formats/messages/message.ts';
import { shownSender, shownSubject } from '../messages/record.ts';

/** A header field: lower-cased name and decoded value. */
export interface DecodedHeader {
  name: string;
  value: string;
}

/**
 * A message as filters see it, on arrival and later: the fields of its record, with texts cut as in the record, and its
 * decoded header fields.
 */
export interface FilteredMessage {
  /** Each as "Name <address>". */
  from: readonly string[];
  to: readonly string[];
  cc: readonly string[];
  subject: string;
  /** The decoded plain text. */
  text: string;
  /** Sanitized HTML; "" when there is none. */
  html: string;
  headers: readonly DecodedHeader[];
  /** Bytes of the whole message. */
  bytes: number;
  hasAttachments: boolean;
}

/** A parsed message of so many bytes as filters see it. */
export function filteredMessage(message: ParsedMessage, bytes: number): FilteredMessage {
  const { text, html, headers } = message;
  const from = shownSender(message);
  return {
    from: from === '' ? [] : [from],
    to: message.to.map(formatAddress),
    cc: message.cc.map(formatAddress),
    subject: shownSubject(message),
    text,
    html,
    headers,
    bytes,
    hasAttachments: message.attachments.length > 0,
  };
}

/** The number of characters of a message that conditions can examine. */
export function sizeOf({ subject, text, html, headers, from, to, cc }: FilteredMessage): number {
  const values = [subject, text, html, ...from, ...to, ...cc, ...headers.map(({ value }) => value)];
  return values.reduce((sum, value) => sum + value.length, 0);
}
