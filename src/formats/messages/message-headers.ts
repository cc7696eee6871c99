import { isUtf8 } from 'node:buffer';
import { parseAddresses } from './addresses.ts';
import { decodeText } from './charsets.ts';
import { parseDate, parseReceivedDate } from './dates.ts';
import { decodeHeader, decodePlainHeader } from './encoded-words.ts';
import { firstValue, type HeaderField } from './header-section.ts';
import { type Address, MAX_ADDRESSES, MAX_IDS, type ParsedMessage, storable } from './message.ts';
import { stripComments } from './parameters.ts';

/** A raw header section and the charset of its message. */
export interface RawHead {
  fields: HeaderField[];
  charset: string;
}

export type Headers = Omit<ParsedMessage, 'text' | 'html' | 'attachments'>;

/**
 * Reads the header section of a message. The first of repeated fields counts.
 * @param charset the declared charset of the message's text: raw bytes over 127 in its fields are often in it too
 */
export function readHeaders(rawFields: HeaderField[], charset: string): Headers {
  const fields = inOneCharset(rawFields, charset);
  const headers = fields.map(decodeField);
  const senders = { from: mailboxes(fields, 'from'), sender: mailboxes(fields, 'sender') };
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
    from: senders.from[0] ?? senders.sender[0] ?? null,
    senders,
    ...lists,
    sentAt: parseDate(firstValue(fields, 'date')),
    receivedAt: newestReceived(fields),
    headers,
    truncated:
      Object.values(lists).some(isFull) ||
      Object.values(senders).some(isFull) ||
      ids.references.length >= MAX_IDS ||
      ids.inReplyTo.length >= MAX_IDS,
  };
}

/** Every header field in order, with the same values as in the result of readHeaders. */
export function readFields(rawFields: HeaderField[], charset: string): ParsedMessage['headers'] {
  return inOneCharset(rawFields, charset).map(decodeField);
}

function inOneCharset(rawFields: HeaderField[], charset: string): HeaderField[] {
  return rawFields.map((field) => inUtf8(field, charset));
}

function decodeField({ name, raw }: HeaderField): { name: string; value: string } {
  return { name: storable(decodeHeader(name)), value: decodeHeader(raw) };
}

function inUtf8(field: HeaderField, charset: string): HeaderField {
  if (charset === '' || field.raw.includes('=?') || !/[\x80-\xff]/.test(field.raw)) return field;
  const bytes = Buffer.from(field.raw, 'latin1');
  if (isUtf8(bytes)) return field;
  return {
    name: field.name,
    written: field.written,
    raw: Buffer.from(decodeText(bytes, charset)).toString('latin1'),
  };
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
    // A loop: push(...list) would put every element on the stack.
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

/** The form of nearly all mail: ids of plain characters, separated by spaces. */
const USUAL = /^<[\w.@+$%!*/~-]+>(?: <[\w.@+$%!*/~-]+>)*$/;

/** RFC 5322 2.1.1: a line has at most 998 characters, and an id cannot be folded. */
const MAX_LENGTH = 998;

/** Text in angle brackets. An unclosed bracket ends at the next bracket or with the value. */
const BRACKETS = /<([^<>]*)(?:>|$|(?=<))/g;

/**
 * The ids in a raw Message-ID value, with angle brackets, in order, without duplicates. Of more than MAX_IDS the
 * last ones, because the direct parent comes last. Without brackets each word is an id, unless the words are a
 * phrase.
 */
export function parseIds(raw: string): string[] {
  if (isUsual(raw)) return [...new Set(raw.split(' '))];
  const text = plainText(raw);
  const bracketed = bracketsIn(text).map(({ id }) => id);
  return normalizedIds(bracketed.length > 0 ? bracketed : bareIds(text));
}

/**
 * The ids in a raw References value. RFC 5322 4.5.4 allows phrases between them, as in "Bob <bob@example.org>
 * <id@host>": a bracket between words, or between words and another bracket, may be an address and does not count.
 */
export function parseReferences(raw: string): string[] {
  if (isUsual(raw)) return parseIds(raw);
  const text = plainText(raw);
  const brackets = bracketsIn(text);
  if (brackets.length === 0) return normalizedIds(bareIds(text));
  return normalizedIds(brackets.filter((bracket) => !isAmongWords(bracket)).map(({ id }) => id));
}

/**
 * The ids in a raw In-Reply-To value. With words beside the brackets, as in "Message from Bob <bob@example.org> of
 * Monday <id@host>", the last bracket alone counts as the id.
 */
export function parseReplyIds(raw: string): string[] {
  if (isUsual(raw)) return parseIds(raw);
  const text = plainText(raw);
  const brackets = bracketsIn(text);
  const last = brackets.at(-1);
  if (!last) return normalizedIds(bareIds(text));
  if (!hasWords(text.replace(BRACKETS, ''))) return normalizedIds(brackets.map(({ id }) => id));
  return normalizedIds([last.id]);
}

function isUsual(raw: string): boolean {
  return raw.length <= MAX_LENGTH && USUAL.test(raw);
}

/**
 * An encoded word is none within an id (RFC 2047, 5). Mailers that encode the whole value encode the brackets as well.
 */
function plainText(raw: string): string {
  return stripComments(raw.includes('<') ? decodePlainHeader(raw) : decodeHeader(raw));
}

/** The text of one pair of brackets, and whether words precede it and words or brackets follow it. */
interface Bracket {
  id: string;
  followsWords: boolean;
  isFollowed: boolean;
}

/** The non-empty brackets; a million empty ones take no memory. */
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

function normalizedIds(ids: readonly string[]): string[] {
  const plain = ids.map((id) => id.replace(/\s+/g, ''));
  const named = plain.filter((id) => id !== '' && id.length <= MAX_LENGTH).map((id) => `<${id}>`);
  return [...new Set(named)].slice(-MAX_IDS);
}

/** RFC 5322 4.5.4: "Your message of Tuesday" contains no id. */
function bareIds(text: string): string[] {
  if (text.includes('<')) return [];
  const words = text.split(/[\s,;]+/).filter((word) => word !== '' && word !== '>');
  return words.length === 1 || words.every((word) => word.includes('@')) ? words : [];
}
