import { diff3Merge } from 'node-diff3';
import { isSameAddress } from './addresses.ts';
import { type Content, isSame, NOTHING } from './content.ts';

/** Comparing more lines than these takes a moment that a person would notice. */
const MAX_LINES = 10_000;

/**
 * What two windows have made of one draft, each from `base`, in one: additions and removals of both. `undefined` where both
 * have changed the same lines, or the subject, in different ways: the person decides.
 */
export function merged(base: Content | undefined, mine: Content, theirs: Content): Content | undefined {
  if (isSame(mine, theirs)) return theirs;
  if (base && isSame(base, theirs)) return mine;
  if (base && isSame(base, mine)) return theirs;
  const from = base ?? NOTHING;
  const subject = one(from.subject, mine.subject, theirs.subject);
  const text = one(from.text, mine.text, theirs.text) ?? mergedText(from.text, mine.text, theirs.text);
  const html = one(from.html, mine.html, theirs.html);
  if (subject === undefined || text === undefined || html === undefined) return undefined;
  const list = (name: 'to' | 'cc' | 'bcc') => mergedList(from[name], mine[name], theirs[name], isSameAddress);
  return {
    to: list('to'),
    cc: list('cc'),
    bcc: list('bcc'),
    subject,
    text,
    html,
    fileIds: mergedList(from.fileIds, mine.fileIds, theirs.fileIds, Object.is),
    answers: mine.answers ?? theirs.answers,
  };
}

function one(base: string, mine: string, theirs: string): string | undefined {
  if (mine === theirs || theirs === base) return mine;
  return mine === base ? theirs : undefined;
}

function mergedText(base: string, mine: string, theirs: string): string | undefined {
  const [a, o, b] = [mine, base, theirs].map((text) => text.split('\n')) as [string[], string[], string[]];
  if (Math.max(a.length, o.length, b.length) > MAX_LINES) return undefined;
  const regions = diff3Merge(a, o, b, { excludeFalseConflicts: true });
  if (regions.some(({ conflict }) => conflict)) return undefined;
  return regions.flatMap(({ ok }) => ok ?? []).join('\n');
}

function mergedList(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
  isEqual: (a: string, b: string) => boolean,
): string[] {
  const has = (list: readonly string[], item: string) => list.some((one) => isEqual(one, item));
  const kept = mine.filter((item) => has(theirs, item) || !has(base, item));
  return [...kept, ...theirs.filter((item) => !has(mine, item) && !has(base, item))];
}
