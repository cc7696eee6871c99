import { EventEmitter } from 'node:events';

/** So many bytes wait for whoever reads before the client has to. */
const MOST_WAITING = 64 * 1024;

/**
 * The content of a message on its way from the protocol to its one reader: what the library asks of a stream, and
 * nothing of what else streams can do, which costs as much as reading a small message does.
 *
 * Emits "end" when all of it has been read or passed over, "drain" when there is room again, and "close" when it was
 * given up.
 */
export class MessageContent extends EventEmitter implements AsyncIterator<Buffer, undefined> {
  /** Bytes so far, and whether they are more than was announced; the library keeps both. */
  byteLength = 0;
  sizeExceeded = false;
  destroyed = false;
  /** Whether all of it has been written. */
  writableEnded = false;
  /** Whether all of it has been read or passed over. */
  readableEnded = false;
  #waiting: Buffer[] = [];
  #bytesWaiting = 0;
  #isPassedOver = false;
  #wakeReader: (() => void) | undefined;

  get writable(): boolean {
    return !this.destroyed && !this.writableEnded;
  }

  get readable(): boolean {
    return !this.destroyed && !this.readableEnded;
  }

  /** Null, as streams say it, while nobody has read any of it. */
  get readableFlowing(): boolean | null {
    return this.#isPassedOver ? true : null;
  }

  /** Answers whether there is room for more; where not, "drain" tells when. */
  write(chunk: Buffer): boolean {
    if (this.#isPassedOver || this.destroyed) return true;
    this.#waiting.push(chunk);
    this.#bytesWaiting += chunk.length;
    this.#wakeReader?.();
    return this.#bytesWaiting < MOST_WAITING;
  }

  end(last?: Buffer): void {
    if (last && last.length > 0) this.write(last);
    this.writableEnded = true;
    this.#wakeReader?.();
    if (this.#isPassedOver) this.#finish();
  }

  /** The client is gone: a reader that waits for more waits no longer. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#wakeReader?.();
    this.emit('close');
  }

  /** Passes over what is left. */
  resume(): void {
    this.#isPassedOver = true;
    this.#waiting = [];
    this.#makeRoom(this.#bytesWaiting);
    if (this.writableEnded) this.#finish();
  }

  /** The next piece. Rejects when the message was given up before its end. */
  async next(): Promise<IteratorResult<Buffer, undefined>> {
    for (;;) {
      const chunk = this.#waiting.shift();
      if (chunk) {
        this.#makeRoom(chunk.length);
        return { value: chunk, done: false };
      }
      if (this.writableEnded) return this.#finish();
      if (this.destroyed) throw new Error('The connection was closed before the message was whole');
      await new Promise<void>((wake) => {
        this.#wakeReader = wake;
      });
    }
  }

  #finish(): { value: undefined; done: true } {
    if (!this.readableEnded && !this.destroyed) {
      this.readableEnded = true;
      this.emit('end');
    }
    return { value: undefined, done: true };
  }

  #makeRoom(bytes: number): void {
    const wasFull = this.#bytesWaiting >= MOST_WAITING;
    this.#bytesWaiting -= bytes;
    if (wasFull && this.#bytesWaiting < MOST_WAITING) this.emit('drain');
  }
}
