/** The bytes of a stream that are still needed: added at the end, dropped at the start, in linear time. */
export class ByteWindow {
  #buffer: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  /** A view; valid until the next append. */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  append(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#buffer.length) this.#makeRoom(chunk.length);
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  drop(count: number): void {
    this.#start += count;
  }

  #makeRoom(size: number): void {
    const kept = this.bytes;
    const room = Buffer.allocUnsafe(Math.max(64 * 1024, 2 * (kept.length + size)));
    kept.copy(room);
    this.#buffer = room;
    this.#start = 0;
    this.#end = kept.length;
  }
}
