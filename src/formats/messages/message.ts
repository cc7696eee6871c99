/**
 * Limits that keep the parsing of hostile mail linear in its size. Content beyond a limit sets `truncated`; the
 * raw message still has it. Each limit is far above the maximum of 842 real messages.
 */

/** Most UTF-16 units of `text` and of `html`. */
export const MAX_SHOWN_BODY = 1024 * 1024;

/** Most decoded bytes held for text: four bytes for each shown character. */
export const MAX_TEXT_BYTES = 4 * MAX_SHOWN_BODY;

/** Most bytes of one header section; of one header field within it; most fields. */
export const MAX_HEAD_BYTES = 1024 * 1024;
export const MAX_FIELD_BYTES = 256 * 1024;
export const MAX_FIELDS = 10_000;

/** Most bytes read of a Content-Type or Content-Disposition. */
export const MAX_STRUCTURED = 32 * 1024;

/** Most parts of a message, and the deepest nesting of multiparts; a deeper one is listed as an attachment. */
export const MAX_PARTS = 10_000;
export const MAX_DEPTH = 100;

/** Most mailboxes of one kind (to, cc …), and most ids of one kind. */
export const MAX_ADDRESSES = 10_000;
export const MAX_IDS = 10_000;

/** Deepest nesting of HTML elements; browsers stop at 512. */
export const MAX_HTML_DEPTH = 256;

/** The largest accepted message in bytes, for every entry point; the SMTP server announces it. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** The string without NUL and lone surrogates, which databases and JSON readers reject. */
export function storable(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '') : text).toWellFormed();
}

/** A header's text on one line: control characters become spaces. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return storable(text.replace(/[\u0000-\u001f\u007f]+/g, ' ')).trim();
}

/**
 * Removes blanks and line ends at both ends of a string with one character for each byte. trim() would also remove
 * 0xA0, the second byte of "à".
 */
export function trimBlanks(bytes: string): string {
  let start = 0;
  let end = bytes.length;
  while (start < end && isBlank(bytes.charCodeAt(start))) start++;
  while (end > start && isBlank(bytes.charCodeAt(end - 1))) end--;
  return bytes.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** The first `limit` UTF-16 units, without splitting a surrogate pair. */
export function cutAt(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const splits = isHighSurrogate(text.charCodeAt(limit - 1));
  return text.slice(0, splits ? limit - 1 : limit);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** One mailbox of an address header, decoded (RFC 2047, RFC 6532). */
export interface Address {
  /** The display name; "" when there is none. */
  name: string;
  /** The bare address as written; "" when the header holds none. */
  address: string;
}

/**
 * A part that is not shown as text: attachments, inline images, calendar parts, nested messages. Clients address
 * it by its index in `attachments`.
 */
export interface AttachmentInfo {
  /** 1–255 characters without a path; generated when the message names none. */
  filename: string;
  /** Lower case, as the message declares it. */
  mimeType: string;
  /** Bytes after decoding. */
  size: number;
}

/** The content of a message as parsed from its bytes. Contains no NUL and no lone surrogate. */
export interface ParsedMessage {
  /** The Message-ID with its angle brackets; "" when there is none. */
  messageId: string;
  /** The ids in In-Reply-To and in References, with angle brackets, in order, without duplicates. */
  inReplyTo: string[];
  references: string[];
  subject: string;
  /** The first mailbox of From, or of Sender when From has none; null when neither is readable. */
  from: Address | null;
  /** Every mailbox of From, and of Sender. */
  senders: { from: Address[]; sender: Address[] };
  to: Address[];
  cc: Address[];
  bcc: Address[];
  replyTo: Address[];
  /** Milliseconds since the epoch of the Date header; null when absent or unreadable. */
  sentAt: number | null;
  /** Milliseconds since the epoch of the newest (topmost readable) Received header; null when there is none. */
  receivedAt: number | null;
  /**
   * Plain text as a person reads it: LF line ends, flowed paragraphs joined. Generated from the HTML when the
   * plain part is missing or empty. Several text parts follow each other.
   */
  text: string;
  /** The result of sanitizeHtml; "" without HTML. */
  html: string;
  attachments: AttachmentInfo[];
  /** Every header in order: lower-cased name and decoded value. */
  headers: { name: string; value: string }[];
  /** True when text or html was cut at MAX_SHOWN_BODY characters, or a limit of the parser hid parts. */
  truncated: boolean;
}
