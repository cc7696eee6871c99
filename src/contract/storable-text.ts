import { type TString, type TStringOptions, Type } from 'typebox';
import { pointerTo, type Violation, ViolationList } from './violations.ts';
import { WANTED } from './wanted.ts';

/** The control characters, C0 and C1, as they stand in a character class of a pattern. */
export const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f';

/** Characters of which people see nothing: white space, and what has no width. */
export const BLANKS = '\\p{White_Space}\\p{Default_Ignorable_Code_Point}';

/** A part of the schema of a name, which has to show something. That it is empty its length tells. */
export const NOT_BLANK = {
  not: { type: 'string', pattern: `^[${BLANKS}]+$`, [WANTED]: 'Must show something, not only blanks' },
} as const;

const BLANK = new RegExp(`^[${BLANKS}]*$`, 'u');

/** Whether a text shows nothing: it is empty, or consists of blanks. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/**
 * The schema of a name, a label and the like: no control characters, `least` to `most` characters. The pattern counts
 * too, because TypeBox counts what people see as one character, and that can be of any length.
 */
export function lineOfText(least: number, most: number, options: TStringOptions = {}): TString {
  const pattern = `^[^${CONTROLS}]{${least},${most}}$`;
  return Type.String({ minLength: least, maxLength: most, pattern, ...options });
}

/** Whether storage keeps the text exactly: PostgreSQL has no NUL in text, UTF-8 no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The strings and keys within a JSON value, of at most 1,000 levels, that storage could not keep exactly. */
export function unstorableText(root: unknown): Violation[] {
  // Nearly always there are none, and to know where each text stands takes four times as long.
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
