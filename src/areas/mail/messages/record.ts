import { formatAddress } from '../../../formats/messages/addresses.ts';
import type { Address, AttachmentInfo, ParsedMessage } from '../../../formats/messages/message.ts';
import { newId } from '../../../platform/ids.ts';
import { jsonMembers } from '../../../text/json-members.ts';
import { type FlagSet, flagsJson } from '../changes/flags.ts';

/** The stored columns that make up the summary of a message. */
export interface ItemFields {
  /** The members that no change of folder, flags or labels affects, as JSON without braces. */
  summary: string;
  flags: FlagSet;
  /** JSON array. */
  labels: string;
}

/** The summary of a message as ready JSON. Composed on read, so that changes of flags or labels write little. */
export function itemOf(fields: ItemFields, folderId: string): string {
  return `{${itemMembers(fields, folderId)}}`;
}

/** The members of the summary of a message as ready JSON. */
export function itemMembers({ summary, flags, labels }: ItemFields, folderId: string): string {
  return `${summary},"folder_id":"${folderId}","flags":${flagsJson(flags)},"labels":${labels}`;
}

/** An attachment in the record of its message; the list has the order of the message. */
interface RecordedAttachment {
  id: string;
  filename: string;
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
  });
}

/** UTF-16 units of a subject, name or address in summaries: bounds the size of a page whatever senders write. */
const MAX_SHOWN = 2_000;

/** The subject as listings, records and filters see it. */
export function shownSubject({ subject }: ParsedMessage): string {
  return shorten(subject);
}

/** The sender as listings, records and filters see it: "Name <address>", "" where there is none. */
export function shownSender({ from }: ParsedMessage): string {
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

/** The attachments that a stored record lists. */
export function attachmentsOf(record: string): RecordedAttachment[] {
  return JSON.parse(`{${record}}`).attachments;
}

function addresses(list: readonly Address[]): string[] {
  return list.map(formatAddress);
}

function recordedAttachment({ filename, mimeType, size }: AttachmentInfo): RecordedAttachment {
  return { id: newId('att'), filename, mime_type: mimeType, size };
}
