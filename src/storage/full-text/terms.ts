import { createHash } from 'node:crypto';
import { ID_DIGITS } from '../../platform/ids.ts';
import { wordsOf } from '../../text/words.ts';
import type {
  IndexedField,
  IndexedObject,
  SearchedKind,
  TermCondition,
  TermPattern,
} from './full-text-index.ts';

/**
 * The terms of an object are what both engines index, so that both find the same. A term is a code of one letter and a
 * value: a word, the first letters of a word, a digest of two words that stand together, or a property. Before it
 * stands the scope of a principal: what one user finds, another does not even pass over.
 */

/** The codes of a group of texts: of its words, of their first letters, and of two words that stand together. */
interface Codes {
  readonly word: string;
  readonly start: string;
  readonly pair: string;
}

const BODY: Codes = { word: 'b', start: 'l', pair: 'p' };
const CELLS: Codes = { word: 'v', start: 'w', pair: 'y' };
/** Everything but bodies and cells, whatever its field is. */
const HEAD: Codes = { word: 'h', start: 'i', pair: 'q' };

/** The fields that an operator names, again on their own. */
const NAMED: Partial<Record<IndexedField, Omit<Codes, 'start'>>> = {
  from: { word: 'f', pair: 'g' },
  to: { word: 't', pair: 'u' },
  cc: { word: 'c', pair: 'd' },
  subject: { word: 's', pair: 'r' },
  filename: { word: 'n', pair: 'o' },
};

const EVERYTHING = 'a';
const HAS_ATTACHMENT = 'x';
const OF_KIND: Record<SearchedKind, string> = {
  message: 'km',
  contact: 'kc',
  file: 'kf',
  document: 'kd',
  spreadsheet: 'ks',
};

/** Beginnings of up to so many characters are terms of their own: those of many words would take long to gather. */
const START_LENGTH = 3;

/** Hexadecimal digits of a scope: where two collide, more is looked at than needed, and not shown. */
const SCOPE_DIGITS = 8;

/** Characters of text between two looks at the clock. */
const CHARACTERS_A_TURN = 100_000;

/** What precedes the terms of a principal. */
export function scopeOf(workspaceId: string, principal: string): string {
  return createHash('sha256').update(`${workspaceId} ${principal}`).digest('hex').slice(0, SCOPE_DIGITS);
}

/** The principal under which the objects in folders below a shared one are found. */
export function below(folderId: string): string {
  return `below ${folderId}`;
}

/** The principals that find an object beside those that find what lies below its shared folders. */
export function ownPrincipalsOf({ principals, folder }: IndexedObject): string[] {
  return folder ? [...principals, folder.id] : [...principals];
}

/** All principals that find an object. */
export function principalsOf(object: IndexedObject): string[] {
  return [...ownPrincipalsOf(object), ...(object.folder?.roots ?? []).map(below)];
}

/** The terms of an object, without scope; each once. It gives way by `pause` where there is much text. */
export async function termsOf(
  object: Pick<IndexedObject, 'kind' | 'texts' | 'hasAttachment'>,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<Set<string>> {
  const terms = new Set([EVERYTHING, OF_KIND[object.kind]]);
  if (object.hasAttachment) terms.add(HAS_ATTACHMENT);
  let characters = 0;
  for (const { field, text } of object.texts) {
    addTerms(terms, field, text);
    characters += text.length;
    if (characters < CHARACTERS_A_TURN) continue;
    characters = 0;
    await pause();
  }
  return terms;
}

function addTerms(terms: Set<string>, field: IndexedField, text: string): void {
  const codes = codesOf(field);
  const named = NAMED[field];
  const seen = new Set<string>();
  let before: string | undefined;
  for (const { word } of wordsOf(text)) {
    // Most words of a long text have come before.
    if (!seen.has(word)) {
      seen.add(word);
      terms.add(codes.word + word);
      for (const start of startsOf(word)) terms.add(codes.start + start);
      if (named) terms.add(named.word + word);
    }
    if (before !== undefined) {
      const pair = pairOf(before, word);
      terms.add(pairTerm(codes.pair, pair));
      if (named) terms.add(pairTerm(named.pair, pair));
    }
    before = word;
  }
}

function codesOf(field: IndexedField): Codes {
  if (field === 'body') return BODY;
  return field === 'cells' ? CELLS : HEAD;
}

function* startsOf(word: string): Generator<string> {
  let start = '';
  let length = 0;
  for (const character of word) {
    start += character;
    yield start;
    if (++length === START_LENGTH) return;
  }
}

/**
 * A digest of 36 bits of two words with a blank between them. Computed for each word of a text: a hash of the system takes
 * five times as long.
 */
function pairOf(before: string, after: string): number {
  const blank = before.length;
  const length = blank + 1 + after.length;
  let high = 0x9747b28c;
  let low = 0x1b873593;
  for (let i = 0; i < length; i++) {
    const unit = i < blank ? before.charCodeAt(i) : i === blank ? BLANK : after.charCodeAt(i - blank - 1);
    high = Math.imul(high ^ unit, 0x85ebca6b);
    low = Math.imul(low ^ unit, 0xcc9e2d51);
    high ^= low >>> 15;
    low ^= high >>> 13;
  }
  return (high >>> 0) * 16 + (low & 15);
}

const BLANK = 0x20;
const DIGITS = Uint8Array.from('0123456789abcdefghijklmnopqrstuvwxyz', (digit) => digit.charCodeAt(0));
const BASE = DIGITS.length;

/**
 * The term of a pair: its code, then the digest in 7 digits of base 36. `toString(36)` is slow for what has more than 32
 * bits: with it, pairs took six times as long (decision 80).
 */
function pairTerm(code: string, digest: number): string {
  const front = Math.floor(digest / BASE ** 3);
  const back = digest - front * BASE ** 3;
  return String.fromCharCode(
    code.charCodeAt(0),
    digit(front / BASE ** 3),
    digit(front / BASE ** 2),
    digit(front / BASE),
    digit(front),
    digit(back / BASE ** 2),
    digit(back / BASE),
    digit(back),
  );
}

/** The code of the last digit of what is below 2 ** 31. */
function digit(number: number): number {
  return DIGITS[(number | 0) % BASE] ?? 0;
}

/** Words of a query: one, or several that stand together in one text; `isPrefix`: the last one is a beginning. */
export interface QueriedWords {
  /** Undefined: any field. */
  readonly field: Exclude<IndexedField, 'other' | 'cells'> | undefined;
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

/**
 * The condition for words of a query. It may hold for an object that has the pairs of a phrase and not the phrase: see
 * `isExact`. `seesCells`: whether the caller may search the texts of cells.
 */
export function wordsCondition(queried: QueriedWords, isNegated: boolean, seesCells: boolean): TermCondition {
  const cells = seesCells ? [CELLS] : [];
  const named = queried.field === undefined ? undefined : NAMED[queried.field];
  if (named) return { isNegated, alternatives: [patternsOf(queried, named)] };
  const groups = queried.field === 'body' ? [BODY, ...cells] : [HEAD, BODY, ...cells];
  return { isNegated, alternatives: groups.map((codes) => patternsOf(queried, codes)) };
}

/** Whether the terms of a phrase say all of it. */
export function isExact({ words, isPrefix }: QueriedWords): boolean {
  return words.length === 1 || (words.length === 2 && !isPrefix);
}

function patternsOf({ words, isPrefix }: QueriedWords, codes: Omit<Codes, 'start'> | Codes): TermPattern[] {
  const whole = isPrefix ? words.slice(0, -1) : words;
  const patterns: TermPattern[] = [];
  if (whole.length === 1) patterns.push({ term: codes.word + whole[0], isPrefix: false });
  for (let i = 1; i < whole.length; i++)
    patterns.push({
      term: pairTerm(codes.pair, pairOf(whole[i - 1] ?? '', whole[i] ?? '')),
      isPrefix: false,
    });
  if (isPrefix) patterns.push(prefixOf(words.at(-1) ?? '', codes));
  return patterns;
}

function prefixOf(start: string, codes: Omit<Codes, 'start'> | Codes): TermPattern {
  const isShort = [...start].length <= START_LENGTH;
  if (isShort && 'start' in codes) return { term: codes.start + start, isPrefix: false };
  return { term: codes.word + start, isPrefix: true };
}

/** The condition for messages with attachments. */
export function attachmentCondition(isNegated: boolean): TermCondition {
  return { isNegated, alternatives: [[{ term: HAS_ATTACHMENT, isPrefix: false }]] };
}

/** The condition for objects of these kinds. */
function kindsCondition(kinds: readonly SearchedKind[]): TermCondition {
  const alternatives = kinds.map((kind) => [{ term: OF_KIND[kind], isPrefix: false }]);
  return { isNegated: false, alternatives };
}

const ALL_KINDS = Object.keys(OF_KIND).length;

/** The clause of the kinds of a query; none where it asks for all. */
export function kindClauses({ kinds }: { kinds: readonly SearchedKind[] }): TermCondition[][] {
  return kinds.length === ALL_KINDS ? [] : [[kindsCondition(kinds)]];
}

/** The term of every object. */
export const EVERY_OBJECT: TermPattern = { term: EVERYTHING, isPrefix: false };

/** Bits of a place below the time. */
const ORDER_BITS = 21n;
const LATEST = 2 ** 42 - 1;

/**
 * The place of an object in the order of answers, where it is free: its time, then the second in which its id was made, of
 * some 24 days. See `placeBehind` for where it is taken.
 */
export function placeOf({ id, at }: Pick<IndexedObject, 'id' | 'at'>): bigint {
  return firstPlaceOf(at) | BigInt(Math.floor(timeOfId(id) / 1000) % 2 ** Number(ORDER_BITS));
}

/** The place for an object of this time whose own is taken, behind the last of the time: the later written comes first. */
export function placeBehind(last: bigint): bigint {
  return last + 1n;
}

/** The milliseconds since the epoch in the first 48 bits of an id (platform/ids.ts). */
function timeOfId(id: string): number {
  let time = 0;
  for (const digit of id.slice(id.indexOf('_') + 1).slice(0, TIME_DIGITS))
    time = time * 32 + Math.max(0, ID_DIGITS.indexOf(digit));
  return time;
}

/** Digits of five bits; the first has two zero bits before the 48 of the time. */
const TIME_DIGITS = 10;

/** The objects in the order in which their ids were made: of one time, the place of the later is behind. */
export function inOrderOfIds<T extends Pick<IndexedObject, 'id'>>(objects: readonly T[]): T[] {
  const keyOf = ({ id }: T) => id.slice(id.indexOf('_') + 1);
  return objects.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b))));
}

/** The first place of a time. */
export function firstPlaceOf(at: number): bigint {
  return BigInt(timeWithin(at)) << ORDER_BITS;
}

/** The last place of a time. */
export function lastPlaceOf(at: number): bigint {
  return firstPlaceOf(at) + (1n << ORDER_BITS) - 1n;
}

function timeWithin(at: number): number {
  return Math.min(Math.max(0, Math.trunc(at)), LATEST);
}

const DIGEST_DIGITS = 16;
const ROOTS_DIGITS = 8;

/** A digest of everything that is indexed of an object. */
export function indexDigest(object: IndexedObject): string {
  const { at, texts, hasAttachment, excerpt } = object;
  const hash = createHash('sha256');
  const principals = ownPrincipalsOf(object).toSorted();
  hash.update(JSON.stringify([TERMS_VERSION, at, principals, hasAttachment, excerpt ?? null]));
  for (const { field, text } of texts) hash.update(`\0${field}\0`).update(text);
  const digest = hash.digest('base64url').slice(0, DIGEST_DIGITS);
  return digestUnder(digest, object.folder?.roots ?? []);
}

/** The digest of an object with this one, once it is found under these shared folders. */
export function digestUnder(digest: string, roots: readonly string[]): string {
  const ofRoots = createHash('sha256').update(roots.join(' ')).digest('base64url').slice(0, ROOTS_DIGITS);
  return digest.slice(0, DIGEST_DIGITS) + ofRoots;
}

/** Changes with what terms are made of a text: an index of another version is built anew. */
export const TERMS_VERSION = 5;
