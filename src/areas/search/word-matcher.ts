import type { Word } from '../../text/words.ts';
import type { WordsAtom } from './query.ts';

/** What was searched for, found in a text; `WordMatcher.last` gives its words until the next word is read. */
export interface Found {
  /** The place of the condition among those that were searched for. */
  readonly which: number;
  /** The number of its words. */
  readonly length: number;
  /** Where the first of them stands. */
  readonly start: number;
}

/**
 * Finds what was searched for in the words of a text, which are read one after the other. A phrase is found where its words
 * stand together. Each word of the text is compared a bounded number of times on average, however long the phrases are
 * (Knuth-Morris-Pratt).
 */
export class WordMatcher {
  readonly #phrases: readonly Phrase[];
  readonly #longest: number;
  /** The words that were read last: as many as the longest phrase has, in turn. */
  readonly #recent: Word[] = [];
  #count = 0;

  constructor(searched: readonly WordsAtom[]) {
    this.#phrases = searched.map((atom) => new Phrase(atom));
    this.#longest = Math.max(1, ...searched.map(({ words }) => words.length));
  }

  /** Reads the next word of a text. Returns what ends with it. */
  read(word: Word): Found[] {
    this.#recent[this.#count++ % this.#longest] = word;
    const found: Found[] = [];
    for (const [which, phrase] of this.#phrases.entries())
      if (phrase.endsWith(word.word)) found.push(this.#found(which, phrase.length));
    return found;
  }

  /** A finding has no words of its own: those of each place of a long phrase would take the memory of many texts. */
  #found(which: number, length: number): Found {
    return { which, length, start: this.#recent[(this.#count - length) % this.#longest]?.start ?? 0 };
  }

  /** The words that were read last. */
  last(length: number): Word[] {
    const words: Word[] = [];
    for (let i = this.#count - length; i < this.#count; i++) {
      const word = this.#recent[i % this.#longest];
      if (word) words.push(word);
    }
    return words;
  }
}

/** A phrase, and how many of its words the words before have matched. */
class Phrase {
  readonly length: number;
  /** The words that are compared whole: all, or all but a beginning. */
  readonly #whole: readonly string[];
  readonly #start: string | undefined;
  readonly #borders: readonly number[];
  #matched = 0;

  constructor({ words, isPrefix }: WordsAtom) {
    this.length = words.length;
    this.#whole = isPrefix ? words.slice(0, -1) : words;
    this.#start = isPrefix ? words.at(-1) : undefined;
    this.#borders = bordersOf(this.#whole);
  }

  /** Whether the phrase ends with the next word. */
  endsWith(word: string): boolean {
    const isEnd =
      this.#start !== undefined && this.#matched === this.#whole.length && word.startsWith(this.#start);
    while (this.#matched > 0 && word !== this.#whole[this.#matched])
      this.#matched = this.#borders[this.#matched - 1] ?? 0;
    if (word === this.#whole[this.#matched]) this.#matched++;
    return this.#start === undefined ? this.#matched === this.#whole.length : isEnd;
  }
}

/** For each beginning of a phrase, the length of its longest proper end that is also a beginning. */
function bordersOf(words: readonly string[]): number[] {
  const borders = words.map(() => 0);
  let length = 0;
  for (let at = 1; at < words.length; at++) {
    while (length > 0 && words[at] !== words[length]) length = borders[length - 1] ?? 0;
    if (words[at] === words[length]) length++;
    borders[at] = length;
  }
  return borders;
}
