/** RFC 5545, 3.1 and RFC 6350, 3.2: lines "SHOULD" be at most "75 octets, excluding line breaks". */
const WIDTH = 75;

/** Folds between characters, not only between octets, for the sake of readers that decode before they unfold. */
export function foldLine(line: string): string {
  if (Buffer.byteLength(line) <= WIDTH) return line;
  const folded: string[] = [];
  let start = 0;
  let bytes = 0;
  let at = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > WIDTH) {
      folded.push(line.slice(start, at));
      start = at;
      // The space that begins a continuation counts.
      bytes = 1;
    }
    bytes += size;
    at += character.length;
  }
  return [...folded, line.slice(start)].join('\r\n ');
}
