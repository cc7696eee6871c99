/** The texts of a file in one string, and the end of each text in it: a list of many strings takes threads long to transfer. */
export interface PackedTexts {
  readonly all: string;
  readonly ends: Uint32Array;
}

/** Limits of the text of one file. */
export interface TextLimits {
  /** Most characters (UTF-16 units) of all texts together. */
  readonly characters: number;
  /** Most texts: a spreadsheet has one for each cell. */
  readonly texts: number;
  /** Processor time in milliseconds, checked between pages, parts and pieces. */
  readonly processorMs: number;
}

/** A limit is reached. The texts so far stand; the message says what is left out. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
}

/** The content cannot be read, or not any further; the message says why. */
export class UnreadableContent extends Error {
  override readonly name = 'UnreadableContent';
}

/** Characters that are split at once: a replacement in all of them would make a tree of as many strings. */
const PORTION = 1 << 16;

/** Blanks for U+0000, which PostgreSQL does not store. */
function withoutZeros(text: string): string {
  if (!text.includes('\0')) return text;
  const portions: string[] = [];
  for (let start = 0; start < text.length; start += PORTION) {
    portions.push(
      text
        .slice(start, start + PORTION)
        .split('\0')
        .join(' '),
    );
  }
  return portions.join('');
}

/** Pieces that are joined at once: strings of many small pieces take several times the memory of their characters. */
const JOINED_PIECES = 4_096;

/** Collects the texts of one file within its limits. */
export class ExtractedTexts {
  readonly #limits: TextLimits;
  readonly #startedAt = process.threadCpuUsage();
  readonly #joined: string[] = [];
  #pieces: string[] = [];
  readonly #ends: number[] = [];
  #length = 0;
  /** Whether the current text is more than blanks. */
  #hasWords = false;

  constructor(limits: TextLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#ends.length === 0 && !this.#hasWords;
  }

  /** Appends to the current text. Throws LimitReached when a limit is reached. */
  append(piece: string): void {
    const left = this.#limits.characters - this.#length;
    const kept = piece.length > left ? piece.slice(0, left) : piece;
    this.#pieces.push(kept);
    this.#length += kept.length;
    this.#hasWords ||= /\S/.test(kept);
    if (this.#pieces.length >= JOINED_PIECES) this.#join();
    if (kept.length < piece.length) {
      throw new LimitReached(`what comes after ${this.#limits.characters} characters is left out`);
    }
  }

  /** Ends the current text. Blanks alone are none: the next text begins with them. Throws LimitReached. */
  endText(): void {
    if (!this.#hasWords) return;
    this.#hasWords = false;
    this.#ends.push(this.#length);
    if (this.#ends.length >= this.#limits.texts) {
      throw new LimitReached(`what comes after ${this.#limits.texts} separate texts is left out`);
    }
  }

  /** Adds a text of its own. Throws LimitReached when a limit is reached. */
  add(text: string): void {
    this.append(text);
    this.endText();
  }

  /** Throws LimitReached when the processor time is used up. */
  checkTime(): void {
    const { user, system } = process.threadCpuUsage(this.#startedAt);
    if ((user + system) / 1_000 < this.#limits.processorMs) return;
    const seconds = this.#limits.processorMs / 1_000;
    throw new LimitReached(`what takes longer to read than ${seconds} seconds is left out`);
  }

  /** The texts so far, without characters that a database cannot store: U+0000 and lone surrogates. */
  packed(): PackedTexts {
    if (this.#hasWords) this.#ends.push(this.#length);
    this.#join();
    // Both keep the length, and so the ends.
    const all = withoutZeros(this.#joined.join('')).toWellFormed();
    return { all, ends: Uint32Array.from(this.#ends) };
  }

  #join(): void {
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
  }
}
