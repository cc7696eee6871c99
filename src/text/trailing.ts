/** A text without what it ends in of these characters. A pattern would begin anew at each of them: it takes their square. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
