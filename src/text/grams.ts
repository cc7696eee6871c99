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

/** The grams that every text with this fragment has; the fragment has three characters or more. */
export function wholeGrams(fragment: string): string[] {
  const characters = [...fragment];
  const starts = Array.from({ length: characters.length - GRAM + 1 }, (_, i) => i);
  return [...new Set(starts.map((start) => characters.slice(start, start + GRAM).join('')))];
}
