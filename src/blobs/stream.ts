import { PassThrough, Readable } from 'node:stream';

/** The same bytes as a stream that fails with `translate(error)` where the source fails with `error`. */
export function translatingErrors(source: Readable, translate: (error: Error) => Error): Readable {
  const bytes = new PassThrough();
  source.on('error', (error) => bytes.destroy(translate(error)));
  // A reader that goes away early must not leave the file or the connection open.
  bytes.on('close', () => source.destroy());
  return source.pipe(bytes);
}

/** The stream of a range in which nothing lies. */
export function noBytes(): Readable {
  return Readable.from([], { objectMode: false });
}
