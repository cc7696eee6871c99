import { stripComments } from './comments.ts';
import { decodeHeader } from './encoded-words.ts';
import { MAX_IDS } from './limits.ts';

/** What nearly all mail has: ids of plain characters, with a blank between them. */
const USUAL = /^<[\w.@+$%!*/~-]+>(?: <[\w.@+$%!*/~-]+>)*$/;

/** RFC 5322 2.1.1: a line has at most 998 characters, and an id cannot be folded. */
const MAX_LENGTH = 998;

/**
 * The ids that a raw Message-ID, In-Reply-To or References value names, with angle brackets, in the order
 * written, each once, at most MAX_IDS: of more, the last, for
 * there the direct parent stands. Without any brackets the words count, unless they are a phrase.
 */
export function parseIds(raw: string): string[] {
  if (raw.length <= MAX_LENGTH && USUAL.test(raw)) return [...new Set(raw.split(' '))];
  const text = stripComments(decodeHeader(raw));
  const bracketed = [...text.matchAll(/<([^<>]*)(?:>|$|(?=<))/g)].map((match) => match[1] ?? '');
  const ids = (bracketed.length > 0 ? bracketed : bareIds(text)).map((id) => id.replace(/\s+/g, ''));
  const usable = ids.filter((id) => id !== '' && id.length <= MAX_LENGTH).map((id) => `<${id}>`);
  return [...new Set(usable)].slice(-MAX_IDS);
}

/**
 * The ids that a raw In-Reply-To value names. RFC 5322 4.5.4: where words stand beside brackets, as in "Message from Bob
 * <bob@example.org> of Monday <id@host>", the earlier brackets may hold addresses, and the last one is the id.
 */
export function parseReplyIds(raw: string): string[] {
  const ids = parseIds(raw);
  return ids.length > 1 && hasWords(raw) ? ids.slice(-1) : ids;
}

function hasWords(raw: string): boolean {
  return /[^\s,;<>]/.test(stripComments(decodeHeader(raw)).replace(/<[^<>]*(?:>|$|(?=<))/g, ''));
}

/** RFC 5322 4.5.4: "Your message of Tuesday" names no id. */
function bareIds(text: string): string[] {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '' && word !== '>');
  return words.length === 1 || words.every((word) => word.includes('@')) ? words : [];
}
