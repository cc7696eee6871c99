import { jsonMembers } from '../../../contract/json.ts';
import { formatAddress, readFormatted } from '../../../formats/messages/addresses.ts';
import type { Address, AttachmentInfo, ParsedMessage } from '../../../formats/messages/message.ts';
import { newId } from '../../../platform/ids.ts';
import { type FlagSet, flagsJson } from '../changes/flags.ts';

/** The stored columns that make up the summary of a message. */
export interface ItemFields {
  /** The members that no change of folder, flags or labels affects, as JSON without braces. */
  summary: string;
  flags: FlagSet;
  /** JSON array. */
  labels: string;
}

/**
 * The summary of a message as ready JSON, with further members at its end. Composed on read, so that changes of flags or
 * labels write little.
 */
export function itemOf(fields: ItemFields, folderId: string, further?: string): string {
  const members = itemMembers(fields, folderId);
  return further === undefined ? `{${members}}` : `{${members},${further}}`;
}

/** The members of the summary of a message as ready JSON. */
export function itemMembers({ summary, flags, labels }: ItemFields, folderId: string): string {
  return `${summary},"folder_id":"${folderId}","flags":${flagsJson(flags)},"labels":${labels}`;
}

/** An attachment in the stored record of its message; the list has the order of the message. */
export interface RecordedAttachment {
  id: string;
  filename: string;
  /** As the sender declares it; the full record shows it as declared_type. */
  mime_type: string;
  /** Bytes, decoded. */
  size: number;
}

/** The attributes that the mailbox assigns to a message. `date`: milliseconds; `size`: bytes. */
interface AssignedAttributes {
  id: string;
  threadId: string | null;
  date: number;
  size: number;
}

/** The summary members that no change of folder, flags or labels affects, as JSON without braces. */
export function summaryMembers(
  message: ParsedMessage,
  { id, threadId, date, size }: AssignedAttributes,
): string {
  return jsonMembers({
    id,
    ...(threadId !== null && { thread_id: threadId }),
    subject: shownSubject(message),
    from: shownSender(message),
    date: new Date(date).toISOString(),
    size,
    message_id: message.messageId,
    sent_at: isoTime(message.sentAt),
    has_attachments: message.attachments.length > 0,
  });
}

function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

/**
 * The summary members of a message that an earlier version has stored, with those that it lacks. `sender` and `sentAt`
 * come from its bytes; undefined while those cannot be read.
 */
export function remadeSummary(
  summary: string,
  record: string,
  head: { from: Address | null; sentAt: number | null } | undefined,
): string {
  const { from, sent_at, has_attachments: _, ...members } = JSON.parse(`{${summary}}`);
  const sender = head ? shownSender(head) : from === '' ? '' : formatAddress(readFormatted(from));
  const { id, thread_id, subject, date, size, message_id } = members;
  return jsonMembers({
    id,
    ...(thread_id !== undefined && { thread_id }),
    subject,
    from: sender,
    date,
    size,
    message_id,
    sent_at: head ? isoTime(head.sentAt) : (sent_at ?? null),
    has_attachments: attachmentsOf(record).length > 0,
  });
}

/** UTF-16 units of a subject, name or address in summaries: bounds the size of a page whatever senders write. */
const MAX_SHOWN = 2_000;

/** The subject as listings, records and filters see it. */
export function shownSubject({ subject }: ParsedMessage): string {
  return shorten(subject);
}

/** The sender as listings, records and filters see it: as formatAddress shows it, "" where there is none. */
export function shownSender({ from }: Pick<ParsedMessage, 'from'>): string {
  return from ? formatAddress({ name: shorten(from.name), address: shorten(from.address) }) : '';
}

function shorten(text: string): string {
  return isShort(text) ? text : `${text.slice(0, MAX_SHOWN - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function isShort(text: string): boolean {
  return text.length <= MAX_SHOWN;
}

function isShownWhole({ subject, from }: ParsedMessage): boolean {
  return isShort(subject) && isShort(from?.name ?? '') && isShort(from?.address ?? '');
}

/**
 * The members that the full record adds to the summary, as JSON without braces. Its two texts are serialized on their
 * own: as members of an object, V8 takes three times as long for a long text.
 */
export function recordMembers(message: ParsedMessage): string {
  const head = jsonMembers({
    to: addresses(message.to),
    cc: addresses(message.cc),
    bcc: addresses(message.bcc),
    reply_to: addresses(message.replyTo),
    in_reply_to: message.inReplyTo[0] ?? '',
    references: message.references,
  });
  const text = `"text":${JSON.stringify(message.text)}`;
  const html = `"html":${JSON.stringify(message.html)}`;
  const rest = jsonMembers({
    attachments: message.attachments.map(recordedAttachment),
    ...(message.truncated || !isShownWhole(message) ? { truncated: true } : {}),
  });
  return [head, text, html, rest].join();
}

/** A stored record, cut where its texts begin and end: they need not be parsed to be shown. */
export interface RecordParts {
  to: string[];
  cc: string[];
  bcc: string[];
  reply_to: string[];
  in_reply_to: string;
  references: string[];
  /** The members text and html, as JSON without braces. */
  texts: string;
  attachments: RecordedAttachment[];
  truncated: boolean;
}

/** Cuts a stored record. Quotes within its texts are escaped, so that its member names are found as they stand. */
export function recordParts(record: string): RecordParts {
  const start = record.indexOf(',"text":');
  const end = record.lastIndexOf(',"attachments":');
  const {
    to,
    cc,
    bcc,
    reply_to,
    in_reply_to,
    references,
    attachments,
    truncated = false,
  } = JSON.parse(`{${record.slice(0, start)}${record.slice(end)}}`);
  const texts = record.slice(start + 1, end);
  return { to, cc, bcc, reply_to, in_reply_to, references, texts, attachments, truncated };
}

/** The attachments that a stored record lists. */
export function attachmentsOf(record: string): RecordedAttachment[] {
  return recordParts(record).attachments;
}

/** The text and the sanitized HTML of a stored record. */
export function shownBodyOf(record: string): { text: string; html: string } {
  const { text, html }: { text: string; html: string } = JSON.parse(`{${record}}`);
  return { text, html };
}

function addresses(list: readonly Address[]): string[] {
  return list.map(formatAddress);
}

function recordedAttachment({ filename, mimeType, size }: AttachmentInfo): RecordedAttachment {
  return { id: newId('att'), filename, mime_type: mimeType, size };
}
