import { type TString, type TStringOptions, Type } from 'typebox';
import { pointerTo, type Violation, ViolationList } from './violations.ts';
import { WANTED } from './wanted.ts';

/** The control characters C0 and C1, as written in a character class of a pattern. */
export const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f';

/** Invisible characters: white space, and characters without width. */
export const BLANKS = '\\p{White_Space}\\p{Default_Ignorable_Code_Point}';

/**
 * A rule for the schema of a name, which must show at least one visible character. The minimum length reports an
 * empty name.
 */
export const NOT_BLANK = {
  not: {
    type: 'string',
    pattern: `^[${BLANKS}]+$`,
    [WANTED]: 'Give a string that shows something, not only blanks',
  },
} as const;

const BLANK = new RegExp(`^[${BLANKS}]*$`, 'u');

/** Whether a text shows nothing: it is empty, or consists of blanks. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/**
 * The schema of a name, a label and similar texts: no control characters, `least` to `most` characters. The pattern
 * bounds the length as well, because TypeBox counts grapheme clusters, which can be of any length.
 */
export function lineOfText(least: number, most: number, options: TStringOptions = {}): TString {
  const pattern = `^[^${CONTROLS}]{${least},${most}}$`;
  return Type.String({ minLength: least, maxLength: most, pattern, ...options });
}

/** Whether storage keeps the text exactly: PostgreSQL stores no NUL in text, and UTF-8 encodes no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The strings and keys within a JSON value, of at most 1,000 levels, that storage cannot keep exactly. */
export function unstorableText(root: unknown): Violation[] {
  // Almost always there are none, and tracking the pointer of each text takes four times as long.
  if (isStorableThroughout(root)) return [];
  const found = new ViolationList();
  collect(root, '', found);
  return found.atLeastOne();
}

function collect(value: unknown, pointer: string, found: ViolationList): void {
  if (typeof value === 'string' && !isStorable(value)) found.add(violation(pointer));
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (found.isFull) return;
    if (typeof key === 'string' && !isStorable(key)) found.add(violation(pointer));
    if (typeof child === 'string' || typeof child === 'object') {
      collect(child, pointerTo(pointer, String(key)), found);
    }
  }
}

/** Whether storage keeps every string and key within a JSON value exactly. */
export function isStorableThroughout(root: unknown): boolean {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string' && !isStorable(value)) return false;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) for (const element of value) pending.push(element);
    else for (const key in value) pending.push(key, (value as Record<string, unknown>)[key]);
  }
  return true;
}

function violation(pointer: string): Violation {
  return {
    pointer,
    code: 'unsupported_characters',
    message: 'Text must not contain U+0000 or half of a surrogate pair.',
  };
}
