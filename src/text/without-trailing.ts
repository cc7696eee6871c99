/** Removes these characters from the end of a text. A pattern would be tried from each of them (quadratic time). */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
