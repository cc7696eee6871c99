/** Characters of the longest fragments that are indexed. */
export const GRAM = 3;

/**
 * The fragments of a text (one or more lines, case folded) by which it is found: at each character the three that begin
 * there, and at the end of a line what is left of it, so that shorter fragments begin one as well.
 */
export function gramsOf(text: string): Set<string> {
  const grams = new Set<string>();
  for (const line of text.split('\n')) {
    const characters = [...line];
    for (let i = 0; i < characters.length; i++) grams.add(characters.slice(i, i + GRAM).join(''));
  }
  return grams;
}

/** Of the grams that every text with this fragment has at most so many, spread over it; the fragment has three characters or more. */
export function someGrams(fragment: string, most: number): string[] {
  const characters = [...fragment];
  const places = characters.length - GRAM;
  const count = Math.min(most, places + 1);
  const starts = Array.from({ length: count }, (_, i) => Math.round((i * places) / Math.max(count - 1, 1)));
  return [...new Set(starts.map((start) => characters.slice(start, start + GRAM).join('')))];
}
