/** Characters of the longest fragments that are indexed. */
export const GRAM = 3;

/**
 * The fragments of a text (one or more lines, case folded) by which it is found: at each character the three that begin
 * there, and at the end of a line what is left of it, so that shorter fragments begin one as well.
 */
export function gramsOf(text: string): Set<string> {
  const grams = new Set<string>();
  for (const line of text.split('\n')) {
    let end = 0;
    for (let i = 0; i < GRAM; i++) end = afterCharacter(line, end);
    for (let start = 0; start < line.length; start = afterCharacter(line, start)) {
      grams.add(line.slice(start, end));
      end = afterCharacter(line, end);
    }
  }
  return grams;
}

/** Where the character after the one at a place begins, in UTF-16 units. */
function afterCharacter(line: string, at: number): number {
  return Math.min(line.length, at + ((line.codePointAt(at) ?? 0) > 0xffff ? 2 : 1));
}

/** The grams that every text with this fragment has; the fragment has three characters or more. */
export function wholeGrams(fragment: string): string[] {
  const characters = [...fragment];
  const starts = Array.from({ length: characters.length - GRAM + 1 }, (_, i) => i);
  return [...new Set(starts.map((start) => characters.slice(start, start + GRAM).join('')))];
}
