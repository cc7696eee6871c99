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

/**
 * Where a pattern is found first in a text, from a place on, without regard to case; -1 when nowhere. What stands before
 * the first "*" leaves most room for the rest where it is found first, so each part is looked for once.
 */
export function findWildcard(pattern: string, text: string, from = 0): number {
  const [first = [], ...others] = partsOf(piecesOf(pattern.toLowerCase()));
  const lower = text.toLowerCase();
  const start = findPart(first, lower, from);
  let end = start + first.length;
  for (const part of start < 0 ? [] : others) {
    const found = findPart(part, lower, end);
    if (found < 0) return -1;
    end = found + part.length;
  }
  return start;
}

function partsOf(pieces: readonly Piece[]): Piece[][] {
  const parts: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece === ANY) parts.push([]);
    else parts.at(-1)?.push(piece);
  }
  return parts;
}

function findPart(part: readonly Piece[], text: string, from: number): number {
  for (let at = from; at + part.length <= text.length; at++) {
    if (part.every((piece, offset) => piece === ONE || piece === text[at + offset])) return at;
  }
  return -1;
}

function piecesOf(pattern: string): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '*') pieces.push(ANY);
    else if (character === '?') pieces.push(ONE);
    else if (character === '~') pieces.push(...pattern.charAt(++at));
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
