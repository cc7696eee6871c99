import { ApiError } from '../../contract/errors.ts';

/** Rows of an answer at most (MCP-16). */
export const MAX_ROWS = 50;
/** Characters of an answer at most, as JSON (MCP-16). */
export const MAX_CHARACTERS = 50_000;

/** The part of an answer that is given now. */
export interface Portion {
  data: unknown;
  /** Where the next part begins; "" where there is none. */
  nextCursor: string;
  /** The member of `data` that is a long text, cut or not. */
  text?: string;
}

/** Where a part of an answer begins: the member of the answer, "" for the answer itself, and how much of it comes before. */
export interface Place {
  member: string;
  offset: number;
}

const CURSOR = /^part\.([a-z_]{0,64})\.(\d{1,9})$/;

/** The place that a cursor names; undefined for a cursor of a listing. */
export function placeOf(cursor: unknown): Place | undefined {
  const [, member, offset] = (typeof cursor === 'string' && CURSOR.exec(cursor)) || [];
  return member === undefined ? undefined : { member, offset: Number(offset) };
}

function cursorOf({ member, offset }: Place): string {
  return `part.${member}.${offset}`;
}

type Cuttable = string | readonly unknown[];

/**
 * The part of an answer from a place on that is short enough: of a list its next rows, of an object its long lists and
 * texts, one after the other, each beside all that is short. Throws ApiError invalid_cursor for a place that the answer
 * does not have, and payload_too_large where what cannot be divided is too long.
 */
export function portionOf(data: unknown, from?: Place): Portion {
  if (Array.isArray(data)) {
    if (from && from.member !== '') throw invalidCursor();
    const { part, nextCursor } = cut(data, from ?? { member: '', offset: 0 }, MAX_CHARACTERS);
    return { data: part, nextCursor };
  }
  if (!isObject(data)) return { data, nextCursor: '' };
  const long = longMembers(data);
  const place = from ?? { member: long[0] ?? longestMember(data), offset: 0 };
  const { member } = place;
  const whole = data[member];
  if (!isCuttable(whole)) {
    if (from) throw invalidCursor();
    return { data: checked(data), nextCursor: '' };
  }
  const present = Object.entries(data).filter(([name]) => name === member || !long.includes(name));
  const withPart = (part: Cuttable) =>
    Object.fromEntries(present.map(([name, value]) => [name, name === member ? part : value]));
  const room = MAX_CHARACTERS - JSON.stringify(withPart(typeof whole === 'string' ? '' : [])).length;
  const { part, nextCursor } = cut(whole, place, Math.max(room, 0));
  const portion = { data: checked(withPart(part)), nextCursor: nextCursor || cursorAfter(member, long) };
  return typeof part === 'string' ? { ...portion, text: member } : portion;
}

/** Where the next long member begins; "" after the last. */
function cursorAfter(member: string, long: readonly string[]): string {
  const next = long.includes(member) ? long[long.indexOf(member) + 1] : undefined;
  return next === undefined ? '' : cursorOf({ member: next, offset: 0 });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCuttable(value: unknown): value is Cuttable {
  return typeof value === 'string' || Array.isArray(value);
}

/** Lists and texts that are given one after the other, the longest first: without them, the rest is short. */
function longMembers(data: Record<string, unknown>): string[] {
  let rest = JSON.stringify(data).length;
  const isWhole = rest <= MAX_CHARACTERS;
  const long: string[] = [];
  for (const { name, length } of cuttableMembers(data)) {
    const value = data[name];
    const isTooLong = !isWhole && rest > MAX_CHARACTERS / 2;
    if (!isTooLong && !(Array.isArray(value) && value.length > MAX_ROWS)) continue;
    long.push(name);
    rest -= length;
  }
  return long;
}

function longestMember(data: Record<string, unknown>): string {
  return cuttableMembers(data)[0]?.name ?? '';
}

/** Lists and texts with their lengths as JSON, the longest first. */
function cuttableMembers(data: Record<string, unknown>): { name: string; length: number }[] {
  return Object.entries(data)
    .filter(([, value]) => isCuttable(value))
    .map(([name, value]) => ({ name, length: JSON.stringify(value).length }))
    .sort((a, b) => b.length - a.length);
}

function cut(
  whole: Cuttable,
  { member, offset }: Place,
  room: number,
): { part: Cuttable; nextCursor: string } {
  if (offset > whole.length) throw invalidCursor();
  const count = typeof whole === 'string' ? textWithin(whole, offset, room) : rowsWithin(whole, offset, room);
  const end = offset + count;
  const nextCursor = end < whole.length ? cursorOf({ member, offset: end }) : '';
  if (count === 0 && nextCursor !== '') throw tooLong();
  return { part: whole.slice(offset, end), nextCursor };
}

/** Characters that a text may have as JSON; a pair of surrogates stays together. */
function textWithin(text: string, offset: number, room: number): number {
  let count = Math.min(text.length - offset, room);
  while (count > 0) {
    const length = JSON.stringify(text.slice(offset, offset + count)).length - 2;
    if (length <= room) break;
    count = Math.floor((count * room) / length);
  }
  const isPairCut = count > 1 && /[\uD800-\uDBFF]/.test(text.charAt(offset + count - 1));
  return isPairCut && offset + count < text.length ? count - 1 : count;
}

function rowsWithin(rows: readonly unknown[], offset: number, room: number): number {
  let used = 2;
  let count = 0;
  for (const row of rows.slice(offset, offset + MAX_ROWS)) {
    used += JSON.stringify(row).length + 1;
    if (used > room) break;
    count++;
  }
  return count;
}

function checked<T>(data: T): T {
  if (JSON.stringify(data).length > MAX_CHARACTERS) throw tooLong();
  return data;
}

/** The refusal of what cannot be divided. */
export function tooLong(): ApiError {
  const message = `One answer to an agent has at most ${MAX_CHARACTERS} characters. Ask for less: a shorter time, fewer people, or fewer cells.`;
  return new ApiError('payload_too_large', message);
}

/** The refusal of a cursor of another answer. */
export function invalidCursor(): ApiError {
  return new ApiError(
    'invalid_cursor',
    'The cursor was made for another answer. Call again without a cursor.',
    { reason: 'malformed' },
  );
}
