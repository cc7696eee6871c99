/** Whether a pattern has what makes it one: "*" (anything), "?" (one character), "~" before either to mean itself. */
export function hasWildcards(pattern: string): boolean {
  return /[*?~]/.test(pattern);
}

type Piece = string | typeof ANY | typeof ONE;
const ANY = Symbol('*');
const ONE = Symbol('?');

/** A test of whole texts against a pattern, without regard to case; its time is at most the product of both lengths. */
export function wildcardTest(pattern: string): (text: string) => boolean {
  const pieces = piecesOf(pattern.toLowerCase());
  return (text) => matches(pieces, text.toLowerCase());
}

/** Where a pattern is found first in a text, from a place on, without regard to case; -1 when nowhere. */
export function findWildcard(pattern: string, text: string, from = 0): number {
  const pieces = piecesOf(pattern.toLowerCase());
  const lower = text.toLowerCase();
  const open: Piece[] = [...pieces, ANY];
  const found = matches([ANY, ...open], lower.slice(from));
  if (!found) return -1;
  for (let at = from; at <= lower.length; at++) if (matches(open, lower.slice(at))) return at;
  return -1;
}

function piecesOf(pattern: string): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '*') pieces.push(ANY);
    else if (character === '?') pieces.push(ONE);
    else if (character === '~' && at + 1 < pattern.length) pieces.push(pattern.charAt(++at));
    else pieces.push(character);
  }
  return pieces;
}

/** Greedy, with one place to come back to: only the last "*" ever takes more. */
function matches(pieces: readonly Piece[], text: string): boolean {
  let piece = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    const wanted = pieces[piece];
    if (wanted === ANY) {
      star = piece++;
      starAt = at;
    } else if (wanted === ONE || wanted === text[at]) {
      piece++;
      at++;
    } else if (star >= 0) {
      piece = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (pieces[piece] === ANY) piece++;
  return piece === pieces.length;
}
