import { type Word, wordsOf } from '../../text/words.ts';
import { giveWay } from '../../turns/next-turn.ts';
import type { WordsAtom } from './query.ts';
import { type Found, WordMatcher } from './word-matcher.ts';

/** A piece of a text, and what of it a search has found: start and length in UTF-16 units of the piece. */
export interface Snippet {
  readonly snippet: string;
  readonly highlights: readonly (readonly [start: number, length: number])[];
}

/** UTF-16 units of a snippet, at most, unless its first character alone is longer. */
const LENGTH = 160;
/** UTF-16 units shown before the first word that was found. */
const BEFORE = 40;
/** UTF-16 units of all texts of an object that are looked at. */
const LOOKED_AT = 1_000_000;
/** UTF-16 units that a snippet is made of: blanks become one, and a character may have many marks. */
const LONGEST_PIECE = 8 * LENGTH;

/**
 * The first passage of the texts where most of what was searched for stands near each other, with the words that were found
 * highlighted: those of a phrase where they stand together. Without any, the beginning of the first text. Linear; of all
 * texts together, it looks at the first million UTF-16 units. It gives way in between.
 */
export async function snippetOf(texts: readonly string[], searched: readonly WordsAtom[]): Promise<Snippet> {
  let best: { text: string; passage: Passage } | undefined;
  let left = LOOKED_AT;
  for (const text of searched.length > 0 ? texts : []) {
    if (left <= 0 || best?.passage.count === searched.length) break;
    const passage = await bestPassage(text.slice(0, left), searched);
    left -= text.length;
    if (passage && passage.count > (best?.passage.count ?? 0)) best = { text, passage };
  }
  if (best) return pieceOf(best.text, beginOf(best.text, best.passage.start), best.passage.words);
  const text = texts.find((one) => /\S/u.test(one.slice(0, LOOKED_AT))) ?? '';
  return pieceOf(text, 0, []);
}

/** A passage where some of what was searched for stands near each other. */
interface Passage {
  /** How much of it. */
  readonly count: number;
  readonly start: number;
  /** Words that were found there and behind it. */
  readonly words: readonly Word[];
}

/** Words that are compared between two looks at the clock. */
const WORDS_A_TURN = 500;
/** Findings before the stretch that are kept at most: a text may have as many as words. */
const PASSED_FINDINGS = 10_000;

/** The stretch with the most different findings so far. */
interface Best {
  readonly count: number;
  readonly start: number;
  /** The number of its first finding in the text. */
  readonly number: number;
}

/** The first stretch of a snippet's length with the most different findings. Undefined where there is none. */
async function bestPassage(text: string, searched: readonly WordsAtom[]): Promise<Passage | undefined> {
  const best = await bestStretch(text, searched);
  return best && { count: best.count, start: best.start, words: await wordsOfStretch(text, searched, best) };
}

async function bestStretch(text: string, searched: readonly WordsAtom[]): Promise<Best | undefined> {
  const matcher = new WordMatcher(searched);
  let all: Found[] = [];
  const counts = new Map<number, number>();
  let from = 0;
  let passed = 0;
  let read = 0;
  let best: Best | undefined;
  for (const word of wordsOf(text)) {
    if (best?.count === searched.length) break;
    if (++read % WORDS_A_TURN === 0) await giveWay();
    for (const found of matcher.read(word)) {
      all.push(found);
      counts.set(found.which, (counts.get(found.which) ?? 0) + 1);
      const earliest = word.start + word.length - (LENGTH - BEFORE);
      for (; from < all.length - 1 && (all[from]?.start ?? 0) < earliest; from++) remove(counts, all[from]);
      if (counts.size > (best?.count ?? 0)) {
        const start = all.slice(from).reduce((least, one) => Math.min(least, one.start), found.start);
        best = { count: counts.size, start, number: passed + from };
      }
    }
    if (from > PASSED_FINDINGS) {
      all = all.slice(from);
      passed += from;
      from = 0;
    }
  }
  return best;
}

/** The words that were found in a stretch and behind it, each once. It reads the text again, up to there. */
async function wordsOfStretch(
  text: string,
  searched: readonly WordsAtom[],
  { start, number }: Best,
): Promise<readonly Word[]> {
  const matcher = new WordMatcher(searched);
  const words = new Set<Word>();
  let read = 0;
  let findings = 0;
  for (const word of wordsOf(text)) {
    if (word.start > start + LONGEST_PIECE) break;
    if (++read % WORDS_A_TURN === 0) await giveWay();
    for (const { length } of matcher.read(word))
      if (findings++ >= number) for (const one of matcher.last(length)) words.add(one);
  }
  return [...words];
}

function remove(counts: Map<number, number>, found: Found | undefined): void {
  if (!found) return;
  const count = counts.get(found.which) ?? 0;
  if (count > 1) counts.set(found.which, count - 1);
  else counts.delete(found.which);
}

/** The beginning of a word some way before a position. */
function beginOf(text: string, at: number): number {
  if (at <= BEFORE) return 0;
  const blank = text.slice(at - BEFORE, at).search(/\s[^\s\p{M}\p{Cf}\p{Emoji_Modifier}]/u);
  return blank === -1 ? at : at - BEFORE + blank + 1;
}

/** The piece of a text from a position on, with single blanks. */
function pieceOf(text: string, begin: number, found: readonly Word[]): Snippet {
  const end = begin + LONGEST_PIECE;
  const marked: [start: number, end: number][] = [];
  let piece = '';
  let at = begin;
  for (const { start, length } of found.toSorted((a, b) => a.start - b.start)) {
    // A word may belong to several findings.
    if (start < at || start >= end) continue;
    piece = withSingleBlanks(piece, text.slice(at, start));
    at = Math.min(start + length, end);
    marked.push([piece.length, piece.length + at - start]);
    piece += text.slice(start, at);
  }
  piece = withSingleBlanks(piece, text.slice(at, end));
  const snippet = cut(piece, end >= text.length).trimEnd();
  const shown = marked.filter(([start]) => start < snippet.length);
  return { snippet, highlights: shown.map(([start, to]) => [start, Math.min(to, snippet.length) - start]) };
}

function withSingleBlanks(before: string, text: string): string {
  const single = text.replace(/\s+/gu, ' ');
  return before + (before === '' || before.endsWith(' ') ? single.trimStart() : single);
}

/** At most LENGTH units of a piece, to a blank or the beginning of a word if one is near; `isWhole`: the text ends with it. */
function cut(piece: string, isWhole: boolean): string {
  if (isWhole && piece.length <= LENGTH) return piece;
  const blank = piece.lastIndexOf(' ', LENGTH);
  if (blank > LENGTH / 2) return piece.slice(0, blank);
  let last = 0;
  for (const { start } of wordsOf(piece)) {
    if (start > LENGTH) break;
    last = start;
  }
  return last > LENGTH / 2 ? piece.slice(0, last) : wholeCharacters(piece);
}

/** At most LENGTH units, and at least one, without a part of what a reader sees as one character. */
function wholeCharacters(piece: string): string {
  let whole = '';
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(piece)) {
    if (whole !== '' && whole.length + segment.length > LENGTH) break;
    whole += segment;
  }
  return whole;
}
