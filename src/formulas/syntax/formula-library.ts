import {
  type OptsParseA1Ref,
  parseA1Ref,
  parseR1C1Ref,
  type ReferenceA1,
  type ReferenceName,
  type ReferenceStructXlsx,
  type Token,
  tokenize,
  tokenTypes,
} from '@borgar/fx';
import { parseStructRef, tokenize as tokenizeOfFile } from '@borgar/fx/xlsx';
import { MAX_FORMULA } from '../limits.ts';

export {
  type AstExpression,
  type CallExpression,
  type LambdaExpression,
  type LetExpression,
  parse,
  type RangeA1,
  stringifyA1Ref,
  type Token,
  tokenTypes,
} from '@borgar/fx';
export { stringifyA1Ref as stringifyA1RefOfFile } from '@borgar/fx/xlsx';

/**
 * What this code uses of the library for formulas. It reads nowhere else: its readers search from each place to the end, so
 * that a text made for it would take them seconds.
 */

/** In a shorter text, searching to the end from each place takes no time to speak of. */
const MEASURED_FROM = 128;

type TokenOptions = Parameters<typeof tokenize>[1];

/**
 * The tokens of a formula, which together are its text. One that is longer than formulas may be, or made to take long, is one
 * token of no known kind, which no parser takes.
 */
export function tokensOf(formula: string, options: TokenOptions): Token[] {
  return readTokens(tokenize, formula, options);
}

/** The tokens of a formula as files keep it, which tells other files by numbers. */
export function tokensOfFile(formula: string, options: TokenOptions): Token[] {
  return readTokens(tokenizeOfFile, formula, options);
}

/** The cells that a text refers to, or a name; undefined where it is neither. */
export function readA1Ref(text: string, options?: OptsParseA1Ref): ReferenceA1 | ReferenceName | undefined {
  return readMeasured(text, (measured) => parseA1Ref(measured, options));
}

/** The cells that a text in the notation R1C1 refers to, or a name; undefined where it is neither. */
export function readR1C1Ref(text: string, options?: OptsParseA1Ref): ReturnType<typeof parseR1C1Ref> {
  return readMeasured(text, (measured) => parseR1C1Ref(measured, options));
}

/** The part of a table that a text of a file refers to; undefined where it is none. */
export function readTableRef(text: string): ReferenceStructXlsx | undefined {
  return readMeasured(text, parseStructRef);
}

function readTokens(read: typeof tokenize, formula: string, options: TokenOptions): Token[] {
  const tokens =
    formula.length > MAX_FORMULA ? undefined : readMeasured(formula, (measured) => read(measured, options));
  return tokens ?? [{ type: tokenTypes.UNKNOWN, value: formula }];
}

/** What the library reads in a text; undefined when it comes to no end. */
function readMeasured<Read>(text: string, read: (measured: string) => Read): Read | undefined {
  if (text.length < MEASURED_FROM) return read(text);
  try {
    // It reads by charCodeAt alone, and hands on pieces only: nothing keeps the object itself.
    return read(new MeasuredText(text) as unknown as string);
  } catch (cause) {
    if (cause instanceof TooManyLooks) return undefined;
    throw cause;
  }
}

/** Characters that may be looked at for each of the text: formulas that mean something need fewer than ten. */
const LOOKS_A_CHARACTER = 16;

/** Thrown by a text that was looked at too often. */
class TooManyLooks extends Error {}

/**
 * A text that counts how often a character of it is looked at. A reader that begins anew at each place and searches to the
 * end comes to a stop with it, so that it takes linear time whatever the text is.
 */
class MeasuredText extends String {
  // Private names of a class that extends a built-in one cost several times as much for each character.
  private readonly text: string;
  private left: number;

  constructor(text: string) {
    super(text);
    this.text = text;
    this.left = text.length * LOOKS_A_CHARACTER;
  }

  override charCodeAt(place: number): number {
    if (--this.left < 0) throw new TooManyLooks('the text was looked at too often');
    return this.text.charCodeAt(place);
  }
}
