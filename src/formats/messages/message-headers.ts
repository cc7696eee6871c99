import { isUtf8 } from 'node:buffer';
import { parseAddresses } from './addresses.ts';
import { decodeText } from './charsets.ts';
import { parseDate, parseReceivedDate } from './dates.ts';
import { decodeHeader } from './encoded-words.ts';
import { firstValue, type HeaderField } from './header-section.ts';
import { type Address, MAX_ADDRESSES, MAX_IDS, type ParsedMessage, storable } from './message.ts';
import { stripComments } from './parameters.ts';

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

/** What nearly all mail has: ids of plain characters, with a blank between them. */
const USUAL = /^<[\w.@+$%!*/~-]+>(?: <[\w.@+$%!*/~-]+>)*$/;

/** RFC 5322 2.1.1: a line has at most 998 characters, and an id cannot be folded. */
const MAX_LENGTH = 998;

/** What a value writes in angle brackets; a bracket that is not closed ends at the next one, or with the value. */
const BRACKETS = /<([^<>]*)(?:>|$|(?=<))/g;

/**
 * The ids that a raw Message-ID value names, with angle brackets, in the order written, each once, at most MAX_IDS: of
 * more, the last, for there the direct parent stands. Without any brackets the words count, unless they are a phrase.
 */
export function parseIds(raw: string): string[] {
  if (isUsual(raw)) return [...new Set(raw.split(' '))];
  const text = plainText(raw);
  const bracketed = bracketsIn(text).map(({ id }) => id);
  return usable(bracketed.length > 0 ? bracketed : bareIds(text));
}

/**
 * The ids that a raw References value names. RFC 5322 4.5.4: phrases may stand between them, as in "Bob
 * <bob@example.org> <id@host>": a bracket between words, or between words and another one, may hold an address.
 */
export function parseReferences(raw: string): string[] {
  if (isUsual(raw)) return parseIds(raw);
  const text = plainText(raw);
  const brackets = bracketsIn(text);
  if (brackets.length === 0) return usable(bareIds(text));
  return usable(brackets.filter((bracket) => !isAmongWords(bracket)).map(({ id }) => id));
}

/**
 * The ids that a raw In-Reply-To value names: where words stand beside brackets, as in "Message from Bob
 * <bob@example.org> of Monday <id@host>", only the last one can be the id, unless it stands between words itself.
 */
export function parseReplyIds(raw: string): string[] {
  if (isUsual(raw)) return parseIds(raw);
  const text = plainText(raw);
  const brackets = bracketsIn(text);
  const last = brackets.at(-1);
  if (!last) return usable(bareIds(text));
  if (!hasWords(text.replace(BRACKETS, ''))) return usable(brackets.map(({ id }) => id));
  return isAmongWords(last) ? [] : usable([last.id]);
}

function isUsual(raw: string): boolean {
  return raw.length <= MAX_LENGTH && USUAL.test(raw);
}

function plainText(raw: string): string {
  return stripComments(decodeHeader(raw));
}

/** What stands in one pair of brackets, and whether words stand before it, and words or brackets behind. */
interface Bracket {
  id: string;
  followsWords: boolean;
  isFollowed: boolean;
}

/** Those that are not empty: nothing is kept of a million empty ones. */
function bracketsIn(text: string): Bracket[] {
  const brackets: Bracket[] = [];
  let before: Bracket | undefined;
  let end = 0;
  for (const match of text.matchAll(BRACKETS)) {
    if (before) before.isFollowed = true;
    const followsWords = hasWords(text.slice(end, match.index));
    before = undefined;
    end = match.index + match[0].length;
    const [, id = ''] = match;
    if (id === '') continue;
    before = { id, followsWords, isFollowed: false };
    brackets.push(before);
  }
  if (before) before.isFollowed = hasWords(text.slice(end));
  return brackets;
}

function isAmongWords({ followsWords, isFollowed }: Bracket): boolean {
  return followsWords && isFollowed;
}

function hasWords(text: string): boolean {
  return /[^\s,;<>]/.test(text);
}

function usable(ids: readonly string[]): string[] {
  const plain = ids.map((id) => id.replace(/\s+/g, ''));
  const named = plain.filter((id) => id !== '' && id.length <= MAX_LENGTH).map((id) => `<${id}>`);
  return [...new Set(named)].slice(-MAX_IDS);
}

/** RFC 5322 4.5.4: "Your message of Tuesday" names no id. */
function bareIds(text: string): string[] {
  if (text.includes('<')) return [];
  const words = text.split(/[\s,;]+/).filter((word) => word !== '' && word !== '>');
  return words.length === 1 || words.every((word) => word.includes('@')) ? words : [];
}
