import { formatAddress } from '../../../formats/messages/addresses.ts';
import type { Address, AttachmentInfo, ParsedMessage } from '../../../formats/messages/message.ts';
import { newId } from '../../../platform/ids.ts';
import { jsonMembers } from '../../../text/json-members.ts';
import { type FlagSet, flagsJson } from '../changes/flags.ts';

/** What the summary of a message is made of. */
export interface ItemParts {
  /** The members that no change of folder, flags or labels changes, as JSON without braces. */
  summary: string;
  flags: FlagSet;
  /** JSON array. */
  labels: string;
}

/** A message as listings show it, as ready JSON: put together when it is read, so that changes write little. */
export function itemOf(parts: ItemParts, folderId: string): string {
  return `{${itemMembers(parts, folderId)}}`;
}

/** The members of a message as listings show it, as ready JSON. */
export function itemMembers({ summary, flags, labels }: ItemParts, folderId: string): string {
  return `${summary},"folder_id":"${folderId}","flags":${flagsJson(flags)},"labels":${labels}`;
}

/** An attachment as the record of its message lists it; its position is its position in the message. */
interface RecordedAttachment {
  id: string;
  filename: string;
  mime_type: string;
  /** Bytes, decoded. */
  size: number;
}

/** What a message gets from the mailbox that it is put into. `date`: milliseconds; `size`: bytes. */
interface Placing {
  id: string;
  threadId: string | null;
  date: number;
  size: number;
}

/** The members of the summary that no change of folder, flags or labels changes, as JSON without braces. */
export function summaryMembers(message: ParsedMessage, { id, threadId, date, size }: Placing): string {
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

/** UTF-16 units of a subject, a name or an address that summaries show: a page of them, whoever sent them, stays short. */
const MAX_SHOWN = 2_000;

/** The subject as listings, records and filters see it. */
export function shownSubject({ subject }: ParsedMessage): string {
  return shown(subject);
}

/** The sender as listings, records and filters see it: "Name <address>", "" where there is none. */
export function shownSender({ from }: ParsedMessage): string {
  return from ? formatAddress({ name: shown(from.name), address: shown(from.address) }) : '';
}

function shown(text: string): string {
  return isShort(text) ? text : `${text.slice(0, MAX_SHOWN - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function isShort(text: string): boolean {
  return text.length <= MAX_SHOWN;
}

function isShownWhole({ subject, from }: ParsedMessage): boolean {
  return isShort(subject) && isShort(from?.name ?? '') && isShort(from?.address ?? '');
}

/**
 * The members that the full record adds to the summary, as JSON without braces. Its texts are written by themselves:
 * within an object V8 takes three times as long for a long one.
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
