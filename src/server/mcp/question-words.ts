import { domainToASCII } from 'node:url';
import { isHostName } from '../../text/email-address.ts';

/** Characters of a name in a question. */
const LONGEST_NAME = 120;
/** Characters of an address before the "@" in a question: with escapes it could be many more. */
const LONGEST_LOCAL_PART = 256;
/** Names that a question lists. */
export const MOST_NAMED = 10;

/** The first names of a list, and how many more there are: `more` of those that are not in it, too. */
export function listed(words: readonly string[], more = 0): string {
  const rest = more + Math.max(0, words.length - MOST_NAMED);
  const others = rest === 0 ? '' : ` and ${rest} ${rest === 1 ? 'other' : 'others'}`;
  return words.slice(0, MOST_NAMED).join(', ') + others;
}

/** A name as others have written it, between marks that it cannot have itself. */
export function quoted(name: unknown): string {
  return `“${text(name)}”`;
}

/**
 * An address as it is mailed, between the same marks: what misleads is written as its code point instead of left out, or
 * another address would be shown. The domain, which says whose it is, is whole and in ASCII.
 */
export function quotedAddress(address: unknown): string {
  const written = typeof address === 'string' ? address : JSON.stringify(address ?? '');
  const at = written.lastIndexOf('@') + 1;
  const [local, domain] = [written.slice(0, at), written.slice(at)];
  const shown = shortened(escaped(local.slice(0, -1)), LONGEST_LOCAL_PART);
  return `“${shown}${local && '@'}${isHostName(domain) ? domainToASCII(domain) : escaped(domain)}”`;
}

/**
 * What breaks a line, turns the direction of writing, is not seen, or looks like the end of a quotation: with it, a name could
 * pass for the rest of the question. A run of blanks could push that out of sight. An apostrophe within a name is none of it.
 */
const MISLEADING =
  /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800[\p{Quotation_Mark}--['‘’]]\u00a8\u02ba\u02dd\u02ee\u02f5\u02f6\u030b\u030e\u030f\u05f4\u2033\u2034\u2036\u2037\u2057\u275b-\u2760\u3003\u{1f676}-\u{1f678}]+/gv;

/** Two apostrophes are drawn like a quotation mark. */
const DOUBLED =
  /(?:['‘’`\u00b4\u02b9\u02bb-\u02bd\u02c8\u02ca\u02cb\u0374\u0384\u05f3\u2032\u2035\ua78c]\p{M}*){2,}/gu;

/** A value on one line. */
export function text(value: unknown): string {
  const words = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  // Letters that are written in two parts would lose one of them.
  const plain = words.normalize().replaceAll(DOUBLED, ' ').replaceAll(MISLEADING, ' ').trim();
  return plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME).toWellFormed()}…` : plain;
}

/**
 * Two apostrophes, and all but letters with their marks, digits, and what ASCII has beside blanks, backslashes and quotation
 * marks. Some letters cannot be seen, or are drawn like a quotation mark.
 */
const NO_PART_OF_ADDRESS =
  /(?:['\u02b9\u02bb-\u02bd\u02c8\u02ca\u02cb\u0374\ua78c`]\p{M}*){2,}|[[^\p{L}\p{M}\p{N}!-~]\p{Default_Ignorable_Code_Point}"\\\u02ba\u02ee\u030b\u030e\u030f]/gv;

function escaped(address: string): string {
  return address.replaceAll(NO_PART_OF_ADDRESS, (found) => Array.from(found, codePoint).join(''));
}

function codePoint(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** At most so many characters of an address, and no part of an escape. */
function shortened(address: string, longest: number): string {
  if (address.length <= longest) return address;
  const cut = address.slice(0, longest);
  const begun = cut.lastIndexOf('\\');
  const whole = begun > cut.lastIndexOf('}') ? cut.slice(0, begun) : cut;
  return `${whole.toWellFormed()}…`;
}
