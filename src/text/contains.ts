/** Up to so many comparisons the engine's search is faster, even when it takes quadratic time. */
const FEW_COMPARISONS = 1_000_000;

/**
 * Whether a text contains another one, in linear time. The engine's search is linear for nearly all texts; for
 * "aaa…" and "aa…ba…a" it compares nearly the whole pattern at each position.
 */
export function contains(text: string, wanted: string): boolean {
  return text.length * wanted.length <= FEW_COMPARISONS ? text.includes(wanted) : matches(text, wanted);
}

/**
 * Knuth-Morris-Pratt: the current partial match determines where the next match can start, so no character of the
 * text is read twice.
 */
function matches(text: string, wanted: string): boolean {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    while (matched > 0 && character !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (character === wanted.charCodeAt(matched)) matched++;
    if (matched === wanted.length) return true;
  }
  return false;
}

/** For each prefix of a text, the length of its longest proper suffix that is also a prefix of the text. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    while (length > 0 && character !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (character === text.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}
