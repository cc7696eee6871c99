/** RFC 5545, 3.1 and RFC 6350, 3.2: lines "SHOULD" be at most "75 octets, excluding line breaks". */
const WIDTH = 75;

/** Folds between characters, not only between octets, for the sake of readers that decode before they unfold. */
export function foldLine(line: string): string {
  const length = Buffer.byteLength(line);
  if (length <= WIDTH) return line;
  return length === line.length ? foldedAscii(line) : foldedText(line);
}

/** Each character is an octet. The space that begins a continuation counts. */
function foldedAscii(line: string): string {
  const folded = [line.slice(0, WIDTH)];
  for (let at = WIDTH; at < line.length; at += WIDTH - 1) folded.push(line.slice(at, at + WIDTH - 1));
  return folded.join('\r\n ');
}

function foldedText(line: string): string {
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
