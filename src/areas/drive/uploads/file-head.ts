import { detachBuffer } from '../../../platform/detached-buffers.ts';

/** The first bytes of content, up to a number of them, while all of it passes. */
export class Head {
  readonly #pieces: Buffer[] = [];
  readonly #whole = Promise.withResolvers<Buffer>();
  #missing: number;

  constructor(bytes: number) {
    this.#missing = bytes;
  }

  /** Resolves once they have passed; of content that breaks off before, never. */
  get whole(): Promise<Buffer> {
    return this.#whole.promise;
  }

  /** The same content. */
  async *keepOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      if (this.#missing > 0) this.#add(chunk);
      yield chunk;
    }
    this.#end();
  }

  #add(chunk: Uint8Array): void {
    const piece = Buffer.from(chunk.subarray(0, this.#missing));
    this.#pieces.push(piece);
    this.#missing -= piece.length;
    if (this.#missing === 0) this.#end();
  }

  #end(): void {
    this.#whole.resolve(Buffer.concat(this.#pieces));
  }
}

/**
 * The same content, of whose chunks nobody but its reader may know. The memory of each is given back as soon as the next
 * one is asked for: the collector would go through the whole heap for every few that it counts.
 */
export async function* detaching(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    yield chunk;
    detachBuffer(chunk);
  }
}
