import { type TString, type TStringOptions, Type } from 'typebox';
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
