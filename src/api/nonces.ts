import { randomFillSync } from 'node:crypto';

const NONCES_AT_ONCE = 256;

/** Random bytes, each used once: asking the system for so few at a time costs more than encrypting with them. */
export class Nonces {
  readonly #bytes: number;
  readonly #pool: Buffer;
  #used: number;

  /** `bytes`: the length of one. */
  constructor(bytes: number) {
    this.#bytes = bytes;
    this.#pool = Buffer.alloc(bytes * NONCES_AT_ONCE);
    this.#used = this.#pool.length;
  }

  /** Good until the next call. */
  next(): Buffer {
    if (this.#used === this.#pool.length) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#bytes;
    return this.#pool.subarray(start, this.#used);
  }
}
