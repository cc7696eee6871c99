/** Characters of a name in a question. */
const LONGEST_NAME = 120;
/** Characters of an address in a question: none is longer. */
export const LONGEST_ADDRESS = 320;
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
 * What breaks a line, turns the direction of writing, is not seen, or looks like the end of a quotation: with it, a name could
 * pass for the rest of the question. A run of blanks could push that out of sight.
 */
const MISLEADING = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800"“”„‟″‶〝〞〟＂❝❞]+/gu;

/** A value on one line. */
export function text(value: unknown, longest = LONGEST_NAME): string {
  const words = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  const plain = words.replaceAll(MISLEADING, ' ').trim();
  return plain.length > longest ? `${plain.slice(0, longest).toWellFormed()}…` : plain;
}
