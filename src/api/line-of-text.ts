import { type TString, type TStringOptions, Type } from 'typebox';

/** The control characters, C0 and C1, as they stand in a character class of a pattern. */
export const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f';

/**
 * The schema of a name, a label and the like: no control characters, `least` to `most` characters. The pattern counts
 * too, because TypeBox counts what people see as one character, and that can be of any length.
 */
export function lineOfText(least: number, most: number, options: TStringOptions = {}): TString {
  const pattern = `^[^${CONTROLS}]{${least},${most}}$`;
  return Type.String({ minLength: least, maxLength: most, pattern, ...options });
}
