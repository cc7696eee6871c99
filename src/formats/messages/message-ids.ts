import { stripComments } from './comments.ts';
import { decodeHeader } from './encoded-words.ts';
import { MAX_IDS } from './limits.ts';

/** What nearly all mail has: ids of plain characters, with a blank between them. */
const USUAL = /^<[\w.@+$%!*/~-]+>(?: <[\w.@+$%!*/~-]+>)*$/;

/** RFC 5322 2.1.1: a line has at most 998 characters, and an id cannot be folded. */
const MAX_LENGTH = 998;

/** What a value writes in angle brackets; a bracket that is not closed ends at the next one, or with the value. */
const BRACKETS = /<([^<>]*)(?:>|$|(?=<))/g;

/**
 * The ids that a raw Message-ID value names, with angle brackets, in the order written, each once, at most MAX_IDS: of
 * more, the last, for there the direct parent stands. Without any brackets the words count, unless they are a phrase.
 */
export function parseIds(raw: string): string[] {
  if (isUsual(raw)) return [...new Set(raw.split(' '))];
  const text = plainText(raw);
  const bracketed = bracketsIn(text).map(({ id }) => id);
  return usable(bracketed.length > 0 ? bracketed : bareIds(text));
}

/**
 * The ids that a raw References value names. RFC 5322 4.5.4: phrases may stand between them, as in "Bob
 * <bob@example.org> <id@host>": a bracket between words, or between words and another one, may hold an address.
 */
export function parseReferences(raw: string): string[] {
  if (isUsual(raw)) return parseIds(raw);
  const text = plainText(raw);
  const brackets = bracketsIn(text);
  if (brackets.length === 0) return usable(bareIds(text));
  return usable(brackets.filter((bracket) => !isAmongWords(bracket)).map(({ id }) => id));
}

/**
 * The ids that a raw In-Reply-To value names: where words stand beside brackets, as in "Message from Bob
 * <bob@example.org> of Monday <id@host>", only the last one can be the id, unless it stands between words itself.
 */
export function parseReplyIds(raw: string): string[] {
  if (isUsual(raw)) return parseIds(raw);
  const text = plainText(raw);
  const brackets = bracketsIn(text);
  const last = brackets.at(-1);
  if (!last) return usable(bareIds(text));
  if (!hasWords(text.replace(BRACKETS, ''))) return usable(brackets.map(({ id }) => id));
  return isAmongWords(last) ? [] : usable([last.id]);
}

function isUsual(raw: string): boolean {
  return raw.length <= MAX_LENGTH && USUAL.test(raw);
}

function plainText(raw: string): string {
  return stripComments(decodeHeader(raw));
}

/** What stands in one pair of brackets, and whether words stand before it, and words or brackets behind. */
interface Bracket {
  id: string;
  followsWords: boolean;
  isFollowed: boolean;
}

/** Those that are not empty: nothing is kept of a million empty ones. */
function bracketsIn(text: string): Bracket[] {
  const brackets: Bracket[] = [];
  let before: Bracket | undefined;
  let end = 0;
  for (const match of text.matchAll(BRACKETS)) {
    if (before) before.isFollowed = true;
    const followsWords = hasWords(text.slice(end, match.index));
    before = undefined;
    end = match.index + match[0].length;
    const [, id = ''] = match;
    if (id === '') continue;
    before = { id, followsWords, isFollowed: false };
    brackets.push(before);
  }
  if (before) before.isFollowed = hasWords(text.slice(end));
  return brackets;
}

function isAmongWords({ followsWords, isFollowed }: Bracket): boolean {
  return followsWords && isFollowed;
}

function hasWords(text: string): boolean {
  return /[^\s,;<>]/.test(text);
}

function usable(ids: readonly string[]): string[] {
  const plain = ids.map((id) => id.replace(/\s+/g, ''));
  const named = plain.filter((id) => id !== '' && id.length <= MAX_LENGTH).map((id) => `<${id}>`);
  return [...new Set(named)].slice(-MAX_IDS);
}

/** RFC 5322 4.5.4: "Your message of Tuesday" names no id. */
function bareIds(text: string): string[] {
  if (text.includes('<')) return [];
  const words = text.split(/[\s,;]+/).filter((word) => word !== '' && word !== '>');
  return words.length === 1 || words.every((word) => word.includes('@')) ? words : [];
}
