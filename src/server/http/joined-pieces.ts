/** Bytes. What is smaller costs more to hand on than to copy. */
const SMALL_PIECE = 1024;
const SMALLEST_BLOCK = 1024;
const LARGEST_BLOCK = 64 * 1024;

/**
 * Hands on the bytes of a body in pieces that are worth it. A client may send chunks of one byte (RFC 9112, 7.1): each
 * would be an object of its own, and a step of everything that reads the body.
 */
export class JoinedPieces {
  readonly #take: (piece: Uint8Array) => void;
  #block = Buffer.alloc(0);
  #used = 0;

  constructor(take: (piece: Uint8Array) => void) {
    this.#take = take;
  }

  /** Whether bytes wait for more of them. */
  get isWaiting(): boolean {
    return this.#used > 0;
  }

  add(piece: Uint8Array): void {
    const isSmall = piece.length < SMALL_PIECE;
    if (!isSmall || this.#used + piece.length > this.#block.length) this.flush();
    if (isSmall) this.#keep(piece);
    else this.#take(piece);
  }

  /** Hands on what waits. */
  flush(): void {
    if (this.#used === 0) return;
    const piece = this.#block.subarray(0, this.#used);
    this.#used = 0;
    this.#take(piece);
  }

  #keep(piece: Uint8Array): void {
    if (this.#used === 0) this.#begin();
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
  }

  /** A body of few bytes takes a small block, one of many small pieces soon a large one. */
  #begin(): void {
    const size = Math.min(Math.max(SMALLEST_BLOCK, 2 * this.#block.length), LARGEST_BLOCK);
    this.#block = Buffer.allocUnsafe(size);
  }
}
