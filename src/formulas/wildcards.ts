import { findWithGaps, GAP, type Gapped } from './gapped-text.ts';

/** Whether a pattern has what makes it one: "*" (anything), "?" (one character), "~" before either to mean itself. */
export function hasWildcards(pattern: string): boolean {
  return /[*?~]/.test(pattern);
}

/** A test of whole texts against a pattern, without regard to case. */
export function wildcardTest(pattern: string): (text: string) => boolean {
  const parts = partsOf(pattern.toLowerCase());
  return (text) => matches(parts, text.toLowerCase());
}

/**
 * Where a pattern is found first in a text, from a place on, without regard to case; -1 when nowhere. What stands before
 * the first "*" leaves most room for the rest where it is found first, so each part is looked for once.
 */
export function findWildcard(pattern: string, text: string, from = 0): number {
  const [first = [], ...others] = partsOf(pattern.toLowerCase());
  const lower = text.toLowerCase();
  const start = findWithGaps(first, lower, from);
  return start < 0 || endOf(others, lower, start + first.length) < 0 ? -1 : start;
}

/** The part before the first "*" stands at the begin, the one behind the last at the end, the others between in their order. */
function matches(parts: readonly Gapped[], text: string): boolean {
  const [first = [], ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text.length === first.length && standsAt(first, text, 0);
  const tail = text.length - last.length;
  if (tail < first.length || !standsAt(first, text, 0) || !standsAt(last, text, tail)) return false;
  const end = endOf(others, text, first.length);
  return end >= 0 && end <= tail;
}

function standsAt(part: Gapped, text: string, at: number): boolean {
  return part.every((piece, offset) => piece === GAP || piece === text[at + offset]);
}

/** Where parts end that follow each other from a place on; -1 where one is missing. */
function endOf(parts: readonly Gapped[], text: string, from: number): number {
  let end = from;
  for (const part of parts) {
    const found = findWithGaps(part, text, end);
    if (found < 0) return -1;
    end = found + part.length;
  }
  return end;
}

/** What stands between the "*" of a pattern. */
function partsOf(pattern: string): Gapped[] {
  const parts: (string | typeof GAP)[][] = [[]];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '*') parts.push([]);
    else if (character === '?') parts.at(-1)?.push(GAP);
    else if (character === '~') parts.at(-1)?.push(...pattern.charAt(++at));
    else parts.at(-1)?.push(character);
  }
  return parts;
}
