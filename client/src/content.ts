import { ConnectionError } from './errors.ts';

/** The source of the bytes. */
interface Origin {
  /** Requests the bytes from an offset on, if the content still has this ETag. */
  answerFrom: (offset: number, etag: string | null) => Promise<Response>;
  /** Aborted when no more bytes are wanted. */
  signal: AbortSignal;
  /** Ends the requests and the connection. */
  end: () => void;
}

/** Most consecutive connection failures without progress. */
const MOST_BREAKS = 8;

/**
 * Bytes from the server, to be read once. When the connection breaks and the server supports ranges, reading
 * resumes at the same byte, unless the content has changed.
 */
export class Content implements AsyncIterable<Uint8Array> {
  readonly mediaType: string;
  /** The number of bytes to come; undefined when the server does not report it. */
  readonly size: number | undefined;
  /** The offset of the first byte. */
  readonly start: number;
  /** The value for If-Match; undefined for content without a state. */
  readonly state: string | undefined;
  readonly #first: Response;
  readonly #etag: string | null;
  readonly #origin: Origin;

  constructor(first: Response, start: number, origin: Origin) {
    const { headers, status } = first;
    const length = headers.get('content-length');
    this.mediaType = headers.get('content-type') ?? 'application/octet-stream';
    this.size = length === null ? undefined : Number(length);
    // RFC 9110 14.2: a server may ignore a range and send everything.
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
      answer = await this.#resume(offset);
    }
  }

  /** The bytes as a stream. */
  stream(): ReadableStream<Uint8Array> {
    const chunks = this[Symbol.asyncIterator]();
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      // Not chunks.return(): it waits for bytes in transit, and does nothing before the first read.
      cancel: () => this.#origin.end(),
    });
  }

  /** All bytes, in memory. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await new Response(this.stream()).arrayBuffer());
  }

  /** All content as UTF-8 text, in memory. */
  async text(): Promise<string> {
    return new Response(this.stream()).text();
  }

  #isResumable(error: unknown): boolean {
    const isRanged = this.#etag !== null && this.#first.headers.get('accept-ranges') === 'bytes';
    return isRanged && error instanceof ConnectionError;
  }

  async #resume(offset: number): Promise<Response> {
    const answer = await this.#origin.answerFrom(offset, this.#etag);
    const isWhole = offset === 0 && answer.headers.get('etag') === this.#etag;
    if (isWhole || answer.status === 206) return answer;
    await answer.body?.cancel();
    throw new ConnectionError('The connection broke, and the content has changed since.');
  }
}

/** Rejects with ConnectionError when the connection breaks; cancels the body when the reader stops early. */
async function* chunksOf(answer: Response): AsyncGenerator<Uint8Array, void> {
  const reader = answer.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(throwBroken);
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function throwBroken(cause: unknown): never {
  throw new ConnectionError('The connection broke while the content came.', { cause });
}
