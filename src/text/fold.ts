/** Longer texts are seldom compared again. */
const LONGEST_KEPT = 400;

/** Keeps what short texts come to; `mostKept`: UTF-16 units of all that is kept, after which it begins anew. */
export function keeping(compute: (text: string) => string, mostKept: number): (text: string) => string {
  const kept = new Map<string, string>();
  let charactersKept = 0;
  return (text) => {
    if (text.length > LONGEST_KEPT) return compute(text);
    const known = kept.get(text);
    if (known !== undefined) return known;
    const computed = compute(text);
    charactersKept += text.length + computed.length;
    if (charactersKept > mostKept) {
      kept.clear();
      charactersKept = text.length + computed.length;
    }
    kept.set(text, computed);
    return computed;
  };
}

/**
 * Full Unicode case folding after NFKC, for comparisons without regard to case: "ß" equals "ss", "ς" equals "σ".
 * Upper-casing applies the full (one to many) mappings, lower-casing then joins the cases again; the capital "ẞ" is
 * upper case already and needs lower-casing before; the dotless "ı" folds to itself, though its capital is that of "i";
 * the final sigma that lower-casing chooses by context is the one letter left to join by hand.
 */
export function fold(text: string): string {
  return isAscii(text) ? text.toLowerCase() : foldKept(text);
}

/** Of ASCII, lower-casing is the whole folding. */
export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** The folding itself, of which `fold` keeps what short texts come to. */
export function foldUnicode(text: string): string {
  const compatible = text.replace(LONG_RUN_OF_MARKS, `$&${COMBINING_GRAPHEME_JOINER}`).normalize('NFKC');
  // Most scripts have no case: to look for one costs a fraction of mapping it to itself four times.
  if (!CASED.test(compatible)) return compatible;
  return compatible
    .toLowerCase()
    .replace(/[^ı]+/g, (run) => run.toUpperCase())
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC');
}

/**
 * A request compares the same names and addresses many times: a thousand ranges with the names of five hundred sheets. One
 * letter may become eighteen, so to fold each time would hold up others for seconds.
 */
const foldKept = keeping(foldUnicode, 4_000_000);

/**
 * Normalizing sorts the marks of each run in a time that grows with the square of its length. So runs are parted as the
 * Stream-Safe Text Format does (UAX #15, section 13): no script has more than 30 of them.
 */
const LONG_RUN_OF_MARKS = /[\p{M}--\u034f]{30}(?!\u034f)/gv;
const COMBINING_GRAPHEME_JOINER = '\u034f';

const CASED = /\p{Changes_When_Casemapped}/u;

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\u0000-\u007f]*$/;
