import { ConnectionError } from './errors.ts';

/** Where bytes come from. */
interface Origin {
  /** Asks for the bytes from an offset on, if they are still in the state that the ETag names. */
  answerFrom: (offset: number, etag: string | null) => Promise<Response>;
  /** Aborted once no more is wanted. */
  signal: AbortSignal;
  /** Ends what is asked, and the connection. */
  end: () => void;
}

/** Times in a row that a connection may break without having brought anything. */
const MOST_BREAKS = 8;

/**
 * Bytes that the server sends, to be read once. Where the connection breaks and the server knows of ranges, reading goes
 * on at the byte where it broke, unless the state is another by then.
 */
export class Content implements AsyncIterable<Uint8Array> {
  readonly mediaType: string;
  /** Bytes that come; undefined where the server does not know. */
  readonly size: number | undefined;
  /** The offset of the first byte. */
  readonly start: number;
  /** What If-Match takes; undefined where the content has no state. */
  readonly state: string | undefined;
  readonly #first: Response;
  readonly #etag: string | null;
  readonly #origin: Origin;

  constructor(first: Response, start: number, origin: Origin) {
    const { headers, status } = first;
    const length = headers.get('content-length');
    this.mediaType = headers.get('content-type') ?? 'application/octet-stream';
    this.size = length === null ? undefined : Number(length);
    // RFC 9110, 14.2: a server may pass a range over, and send everything.
    this.start = status === 206 ? start : 0;
    this.#etag = headers.get('etag');
    this.state = this.#etag?.replace(/^(?:W\/)?"(.*)"$/, '$1');
    this.#first = first;
    this.#origin = origin;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    let offset = this.start;
    let answer = this.#first;
    for (let breaks = 0; ; breaks++) {
      try {
        for await (const chunk of chunksOf(answer)) {
          offset += chunk.length;
          breaks = 0;
          yield chunk;
        }
        return;
      } catch (cause) {
        this.#origin.signal.throwIfAborted();
        if (!this.#isResumable(cause) || breaks === MOST_BREAKS) throw cause;
      }
      answer = await this.#resumed(offset);
    }
  }

  /** The same bytes as a stream. */
  stream(): ReadableStream<Uint8Array> {
    const chunks = this[Symbol.asyncIterator]();
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      // Not chunks.return(), which waits for bytes that are on their way, and does nothing before the first.
      cancel: () => this.#origin.end(),
    });
  }

  /** All of it, in memory. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await new Response(this.stream()).arrayBuffer());
  }

  /** All of it, in memory, as UTF-8. */
  async text(): Promise<string> {
    return new Response(this.stream()).text();
  }

  #isResumable(error: unknown): boolean {
    const isRanged = this.#etag !== null && this.#first.headers.get('accept-ranges') === 'bytes';
    return isRanged && error instanceof ConnectionError;
  }

  async #resumed(offset: number): Promise<Response> {
    const answer = await this.#origin.answerFrom(offset, this.#etag);
    const isWhole = offset === 0 && answer.headers.get('etag') === this.#etag;
    if (isWhole || answer.status === 206) return answer;
    await answer.body?.cancel();
    throw new ConnectionError('The connection broke, and the content has changed since.');
  }
}

/** Rejects with ConnectionError where the connection breaks; ends it where the reader stops early. */
async function* chunksOf(answer: Response): AsyncGenerator<Uint8Array, void> {
  const reader = answer.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(broken);
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function broken(cause: unknown): never {
  throw new ConnectionError('The connection broke while the content came.', { cause });
}
