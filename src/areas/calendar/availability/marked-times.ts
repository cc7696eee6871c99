const WORD_BITS = 32;
const ALL = -1;

/** A set of minutes, or of seconds, from 0 to a maximum: one bit each, so that overlapping times are merged without sorting. */
export class MarkedTimes {
  readonly #count: number;
  readonly #words: Int32Array;

  constructor(count: number) {
    this.#count = count;
    this.#words = new Int32Array(Math.ceil(count / WORD_BITS));
  }

  /** Marks the numbers from `from` up to, but not including, `to`, which must be larger. */
  mark(from: number, to: number): void {
    const first = from >>> 5;
    const last = (to - 1) >>> 5;
    const head = ALL << (from & 31);
    const tail = ALL >>> (31 - ((to - 1) & 31));
    if (first === last) {
      this.#set(first, head & tail);
      return;
    }
    this.#set(first, head);
    for (let word = first + 1; word < last; word++) this.#words[word] = ALL;
    this.#set(last, tail);
  }

  #set(word: number, bits: number): void {
    this.#words[word] = (this.#words[word] ?? 0) | bits;
  }

  /**
   * Removes the marks and yields them as sorted, disjoint spans that do not touch, with exclusive ends. The caller must
   * iterate to the end.
   */
  *take(): Generator<[from: number, to: number]> {
    let from = this.#next(0, 0);
    while (from < this.#count) {
      const to = this.#next(from, ALL);
      yield [from, to];
      from = this.#next(to, 0);
    }
    this.#words.fill(0);
  }

  /** The first marked number from `from` on; with `flipped` all ones, the first unmarked one. */
  #next(from: number, flipped: number): number {
    let word = from >>> 5;
    let bits = this.#bitsOf(word, flipped) & (ALL << (from & 31));
    while (bits === 0) {
      word++;
      if (word >= this.#words.length) return this.#count;
      bits = this.#bitsOf(word, flipped);
    }
    return Math.min(this.#count, word * WORD_BITS + lowestOf(bits));
  }

  #bitsOf(word: number, flipped: number): number {
    return (this.#words[word] ?? 0) ^ flipped;
  }
}

/** The index of the lowest set bit. */
function lowestOf(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
