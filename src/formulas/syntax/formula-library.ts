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
 * The functions used from the formula library. Use them only through this file: the library's scanners search from
 * each position to the end, so a hostile text would take seconds.
 */

/** In a shorter text the quadratic search takes no noticeable time. */
const MEASURED_FROM = 128;

type TokenOptions = Parameters<typeof tokenize>[1];

/**
 * The tokens of a formula; joined they are its text. An overlong or hostile formula is one token of unknown type,
 * which no parser accepts.
 */
export function tokensOf(formula: string, options: TokenOptions): Token[] {
  return readTokens(tokenize, formula, options);
}

/** The tokens of a formula in file form, which refers to external files by number. */
export function tokensOfFile(formula: string, options: TokenOptions): Token[] {
  return readTokens(tokenizeOfFile, formula, options);
}

/** The reference or name in a text; undefined for any other text. */
export function readA1Ref(text: string, options?: OptsParseA1Ref): ReferenceA1 | ReferenceName | undefined {
  return readMeasured(text, (measured) => parseA1Ref(measured, options));
}

/** The reference or name in a text in R1C1 notation; undefined for any other text. */
export function readR1C1Ref(text: string, options?: OptsParseA1Ref): ReturnType<typeof parseR1C1Ref> {
  return readMeasured(text, (measured) => parseR1C1Ref(measured, options));
}

/** The table reference in a text of a file; undefined for any other text. */
export function readTableRef(text: string): ReferenceStructXlsx | undefined {
  return readMeasured(text, parseStructRef);
}

function readTokens(read: typeof tokenize, formula: string, options: TokenOptions): Token[] {
  const tokens =
    formula.length > MAX_FORMULA ? undefined : readMeasured(formula, (measured) => read(measured, options));
  return tokens ?? [{ type: tokenTypes.UNKNOWN, value: formula }];
}

/** Runs the library on a text; undefined when it exceeds the read limit. */
function readMeasured<Read>(text: string, read: (measured: string) => Read): Read | undefined {
  if (text.length < MEASURED_FROM) return read(text);
  try {
    // The library reads only by charCodeAt and passes on substrings: no code retains this object.
    return read(new MeasuredText(text) as unknown as string);
  } catch (cause) {
    if (cause instanceof TooManyReads) return undefined;
    throw cause;
  }
}

/** Allowed reads for each character of the text; valid formulas need fewer than ten. */
const READS_PER_CHARACTER = 16;

/** Thrown by a text that was read too often. */
class TooManyReads extends Error {}

/**
 * A text that counts the reads of its characters. It stops a scanner that searches to the end from each position,
 * so that any text takes linear time.
 */
class MeasuredText extends String {
  // Private fields (#) in a subclass of a built-in class cost several times as much per character.
  private readonly text: string;
  private left: number;

  constructor(text: string) {
    super(text);
    this.text = text;
    this.left = text.length * READS_PER_CHARACTER;
  }

  override charCodeAt(index: number): number {
    if (--this.left < 0) throw new TooManyReads('the text was looked at too often');
    return this.text.charCodeAt(index);
  }
}
