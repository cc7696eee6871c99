import { isUtf8 } from 'node:buffer';
import { ApiError } from './errors.ts';

/** JSON bodies: "JSON over 10 MB" is too large. */
export const MAX_JSON_BYTES = 10_000_000;

/**
 * Parses a JSON body strictly: UTF-8 only, no duplicate key in an object, and no more members, items and depth than
 * a request needs, which are counted before the text is parsed. Throws ApiError invalid_json, and validation_failed
 * for too many members or items.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  const { members, items, depth } = measure(text);
  if (depth > MAX_DEPTH)
    throw new ApiError('invalid_json', `The body nests deeper than ${MAX_DEPTH} levels.`);
  if (members > MAX_MEMBERS) throw tooMany(`The body has more than ${MAX_MEMBERS} members.`);
  if (items > MAX_ITEMS) throw tooMany(`The body has more than ${MAX_ITEMS} values.`);
  const value = parse(text);
  // JSON.parse keeps the last of several members with equal keys, so fewer members than colons mean a duplicate key.
  // A single member has no duplicate.
  if (members > 1 && countMembers(value) !== members) {
    throw new ApiError('invalid_json', 'The body gives a key twice in one object.');
  }
  return value;
}

function tooMany(message: string): ApiError {
  const problem = { pointer: '', code: 'too_many', message };
  return new ApiError('validation_failed', `body: ${message}`, { errors: [problem] });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError('invalid_json', `The body is not JSON: ${reason}`, {}, { cause });
  }
}

/** RFC 8259, 9: a parser may limit the depth of nesting; ten megabytes of "[" would block the server for seconds. */
const MAX_DEPTH = 1_000;
/**
 * More than the members of a batch of a thousand ranges, or of a contact with two hundred addresses and numbers and
 * 16 KiB of metadata.
 */
const MAX_MEMBERS = 10_000;
/** One write may bring 100,000 cells; if each cell is in its own row, these are 200,000 items. */
const MAX_ITEMS = 300_000;

/** The size of a JSON text, measured outside its strings. */
interface Measure {
  /** Members of objects: a valid text has exactly one colon for each. */
  members: number;
  /** Values, members and nested lists and objects among them: a valid text has at most this many. */
  items: number;
  /** Levels of nesting. */
  depth: number;
}

function measure(text: string): Measure {
  let members = 0;
  let items = 1;
  let open = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COMMA) items++;
    else if (code === COLON) members++;
    else if (code === BRACKET || code === BRACE) {
      items++;
      depth = Math.max(depth, ++open);
    } else if (code === BRACKET + 2 || code === BRACE + 2) open--;
  }
  return { members, items, depth };
}

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** "[" and "{"; the code of the closing "]" or "}" is two higher. */
const BRACKET = 0x5b;
const BRACE = 0x7b;

/**
 * The offset of the quote that ends the string which begins at `start`; the length of the text without such a quote.
 */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** A character is escaped when an odd number of backslashes precedes it. */
function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** Counts the members of all objects in a value. */
function countMembers(root: unknown): number {
  let members = 0;
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    const children = Object.values(value);
    if (!Array.isArray(value)) members += children.length;
    for (const child of children) pending.push(child);
  }
  return members;
}

/** The members of an object that has not been validated. */
export type Members = Record<string, unknown>;

/** The objects in a list with their indexes, unvalidated; empty for a value that is not a list. */
export function objectsIn(list: unknown): [Members, number][] {
  if (!Array.isArray(list)) return [];
  return list.map((item: unknown, i): [unknown, number] => [item, i]).filter(isIndexedObject);
}

/** Whether an unvalidated value is an object: neither a list nor null. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an unvalidated body names the member, fitting or not. */
export function hasMember(body: unknown, name: string): boolean {
  return isObject(body) && body[name] !== undefined;
}

function isIndexedObject(entry: [unknown, number]): entry is [Members, number] {
  return isObject(entry[0]);
}

/** The members of an object as JSON without the braces, for joining with other members. */
export function jsonMembers(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}
