/** Characters of the longest indexed fragments. */
export const GRAM = 3;

/**
 * The indexed fragments of a text (one or more case-folded lines): at each character the three characters from
 * there, and at the end of a line the remaining ones, so that a shorter fragment is always a prefix of one.
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

/** The offset of the next character, in UTF-16 units. */
function afterCharacter(line: string, at: number): number {
  return Math.min(line.length, at + ((line.codePointAt(at) ?? 0) > 0xffff ? 2 : 1));
}

/** The grams that every text with this fragment has; the fragment has at least three characters. */
export function wholeGrams(fragment: string): string[] {
  const characters = [...fragment];
  const starts = Array.from({ length: characters.length - GRAM + 1 }, (_, i) => i);
  return [...new Set(starts.map((start) => characters.slice(start, start + GRAM).join('')))];
}
