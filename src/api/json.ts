import { isUtf8 } from 'node:buffer';
import { ApiError } from './errors.ts';

/**
 * Reads a JSON body strictly: UTF-8 only, no key twice in one object, no text that storage cannot keep.
 * Throws ApiError invalid_json.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  const { colons, depth } = scan(text);
  if (depth > MAX_DEPTH)
    throw new ApiError('invalid_json', `The body nests deeper than ${MAX_DEPTH} levels.`);
  const value = parse(text);
  // Outside strings, valid JSON has exactly one colon a member. JSON.parse keeps the last of members with equal keys,
  // so fewer members than colons mean that a key was given twice. A single one is not.
  if (colons > 1 && countMembers(value) !== colons) {
    throw new ApiError('invalid_json', 'The body gives a key twice in one object.');
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError('invalid_json', `The body is not JSON: ${reason}`, {}, { cause });
  }
}

/** RFC 8259, 9: a parser may limit the depth of nesting; ten megabytes of "[" would hold the server for seconds. */
const MAX_DEPTH = 1_000;

/** The colons outside strings and the depth of nesting of a JSON text. */
function scan(text: string): { colons: number; depth: number } {
  let colons = 0;
  let open = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COLON) colons++;
    else if (code === BRACKET || code === BRACE) depth = Math.max(depth, ++open);
    else if (code === BRACKET + 2 || code === BRACE + 2) open--;
  }
  return { colons, depth };
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** "[", closed by "]" two places on, and "{", closed by "}" likewise. */
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** The place of the quote that ends the string which begins at `start`; the length of the text where none does. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** A character is escaped when an odd number of backslashes stands before it. */
function isEscaped(text: string, place: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(place - 1 - backslashes) === BACKSLASH) backslashes++;
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
    for (const child of children) if (typeof child === 'object' && child !== null) pending.push(child);
  }
  return members;
}
