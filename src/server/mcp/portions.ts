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
interface Place {
  member: string;
  offset: number;
}

const CURSOR = /^part\.([a-z_]{0,64})\.(\d{1,9})$/;

/** The place that a cursor names; undefined for a cursor of a listing. */
export function placeOf(cursor: unknown): Place | undefined {
  const [, member, offset] = CURSOR.exec(String(cursor)) ?? [];
  return member === undefined ? undefined : { member, offset: Number(offset) };
}

function cursorOf({ member, offset }: Place): string {
  return `part.${member}.${offset}`;
}

type Cuttable = string | readonly unknown[];

/**
 * The part of an answer from a place on that is short enough: of a list its next rows, of an object its longest list or
 * text from there. Throws ApiError invalid_cursor for a place that the answer does not have, and payload_too_large
 * where the rest of it is too long.
 */
export function portionOf(data: unknown, from?: Place): Portion {
  if (Array.isArray(data)) {
    if (from && from.member !== '') throw invalidCursor();
    const { part, nextCursor } = cut(data, from ?? { member: '', offset: 0 }, MAX_CHARACTERS - '[]'.length);
    return { data: part, nextCursor };
  }
  if (!isObject(data)) return { data, nextCursor: '' };
  const place = from ?? { member: longestMember(data), offset: 0 };
  const whole = data[place.member];
  if (!isCuttable(whole)) {
    if (from) throw invalidCursor();
    return { data: checked(data), nextCursor: '' };
  }
  const withPart = (part: Cuttable): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, name === place.member ? part : value]),
    );
  const others = JSON.stringify(withPart(whole.slice(0, 0))).length;
  const { part, nextCursor } = cut(whole, place, Math.max(MAX_CHARACTERS - others, 0));
  const portion = { data: checked(withPart(part)), nextCursor };
  return typeof part === 'string' ? { ...portion, text: place.member } : portion;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCuttable(value: unknown): value is Cuttable {
  return typeof value === 'string' || Array.isArray(value);
}

function longestMember(data: Record<string, unknown>): string {
  let longest = { name: '', length: 0 };
  for (const [name, value] of Object.entries(data)) {
    if (!isCuttable(value)) continue;
    const length = typeof value === 'string' ? value.length : JSON.stringify(value).length;
    if (length > longest.length) longest = { name, length };
  }
  return longest.name;
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
  let used = 0;
  let count = 0;
  for (const row of rows.slice(offset, offset + MAX_ROWS)) {
    used += JSON.stringify(row).length + (count > 0 ? 1 : 0);
    if (used > room) break;
    count++;
  }
  return count;
}

function checked<T>(data: T): T {
  if (JSON.stringify(data).length > MAX_CHARACTERS) throw tooLong();
  return data;
}

function tooLong(): ApiError {
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
