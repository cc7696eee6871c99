/** Up to so many comparisons the search of the engine is the quicker one, also where its time is the product of the lengths. */
const FEW_COMPARISONS = 1_000_000;

/**
 * Whether a text contains another one, in a time that is linear in the length of both. That of the engine is so for nearly
 * all texts; of "aaa…" and "aa…ba…a" it compares each place with nearly all of the other.
 */
export function contains(text: string, wanted: string): boolean {
  return text.length * wanted.length <= FEW_COMPARISONS ? text.includes(wanted) : matches(text, wanted);
}

/** Knuth, Morris and Pratt: what has matched so far tells where the next match can begin, so no character is looked at anew. */
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

/** For each beginning of a text how long the longest end of it is that the text begins with too. */
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
