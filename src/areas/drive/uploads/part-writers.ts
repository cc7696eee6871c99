import { PassThrough, type Readable } from 'node:stream';

/** The upload that a part is for has been closed while the part was on its way. */
export class UploadClosed extends Error {
  override readonly name = 'UploadClosed';
}

interface Writer {
  bytes: PassThrough;
  ended: Promise<void>;
}

/** The parts that are on their way, so that an upload is closed only when nothing writes into its blob any more. */
export class PartWriters {
  readonly #writers = new Map<string, Set<Writer>>();

  /**
   * Does what takes a part in, on a stream of the same bytes; that fails with UploadClosed when the upload is closed.
   * The content itself stays readable, since a refusal needs the rest of it.
   */
  async run<T>(sessionId: string, content: Readable, write: (bytes: Readable) => Promise<T>): Promise<T> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const writer = { bytes: tapped(content), ended };
    const writers = this.#writers.get(sessionId) ?? new Set();
    this.#writers.set(sessionId, writers.add(writer));
    try {
      return await write(writer.bytes);
    } finally {
      content.unpipe(writer.bytes);
      writer.bytes.destroy();
      writers.delete(writer);
      if (writers.size === 0 && this.#writers.get(sessionId) === writers) this.#writers.delete(sessionId);
      end();
    }
  }

  /** Cuts off what is on its way; resolves when none of it is written any more. */
  async stop(sessionId: string): Promise<void> {
    const writers = [...(this.#writers.get(sessionId) ?? [])];
    for (const { bytes } of writers) bytes.destroy(new UploadClosed('The upload is closed'));
    await Promise.all(writers.map(({ ended }) => ended));
  }
}

function tapped(content: Readable): PassThrough {
  const bytes = new PassThrough();
  content.once('error', (error) => bytes.destroy(error));
  // Whoever reads it hears of an error by reading; who has not begun to is told by its upload.
  bytes.on('error', () => undefined);
  return content.pipe(bytes);
}
