/** Longer texts are seldom compared repeatedly. */
const LONGEST_CACHED = 400;

/** Caches the results for short texts. `mostCached`: the limit in UTF-16 units, at which the cache is cleared. */
export function memoize(compute: (text: string) => string, mostCached: number): (text: string) => string {
  const cache = new Map<string, string>();
  let cachedCharacters = 0;
  return (text) => {
    if (text.length > LONGEST_CACHED) return compute(text);
    const known = cache.get(text);
    if (known !== undefined) return known;
    const computed = compute(text);
    cachedCharacters += text.length + computed.length;
    if (cachedCharacters > mostCached) {
      cache.clear();
      cachedCharacters = text.length + computed.length;
    }
    cache.set(text, computed);
    return computed;
  };
}

/**
 * Full Unicode case folding after NFKC, for case-insensitive comparisons: "ß" equals "ss", "ς" equals "σ".
 * Upper-casing applies the full (one-to-many) mappings; lower-casing then unifies the cases. Exceptions: the
 * capital "ẞ" is already upper case and is lower-cased first; the dotless "ı" folds to itself, although its
 * capital equals that of "i"; lower-casing chooses the final sigma by context, so it is replaced explicitly.
 */
export function fold(text: string): string {
  return isAscii(text) ? text.toLowerCase() : foldCached(text);
}

/** For ASCII, lower-casing is the complete folding. */
export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** Folds without the cache of `fold`. */
export function foldUnicode(text: string): string {
  const compatible = text.replace(LONG_RUN_OF_MARKS, `$&${COMBINING_GRAPHEME_JOINER}`).normalize('NFKC');
  // Most scripts have no case: this test costs a fraction of four mappings without effect.
  if (!CASED.test(compatible)) return compatible;
  return compatible
    .toLowerCase()
    .replace(/[^ı]+/g, (run) => run.toUpperCase())
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC');
}

/**
 * A request compares the same names and addresses many times, such as a thousand ranges with the names of five
 * hundred sheets. One letter may fold to eighteen, so without a cache the folding would delay others for seconds.
 */
const foldCached = memoize(foldUnicode, 4_000_000);

/**
 * Normalization sorts the combining marks of each run in quadratic time. Runs are therefore split as in the
 * Stream-Safe Text Format (UAX #15 section 13): no script has more than 30 marks in a run.
 */
const LONG_RUN_OF_MARKS = /[\p{M}--\u034f]{30}(?!\u034f)/gv;
const COMBINING_GRAPHEME_JOINER = '\u034f';

const CASED = /\p{Changes_When_Casemapped}/u;

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\u0000-\u007f]*$/;
