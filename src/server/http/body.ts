import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { ApiError, bodyTooLarge } from '../../contract/errors.ts';
import { ANY_MEDIA_TYPE, type CutOff, type Problem, type RawBody } from '../../contract/operation.ts';
import type { StreamedFingerprint } from '../../once/fingerprint.ts';

/** U+FFFD, which is in no id. */
const UNKNOWN = '%EF%BF%BD';

/**
 * The path and query with a path that can be decoded. "A malformed id in a path is 404 like an unknown one": also one that
 * is no percent-encoded UTF-8, in whose place stands one that nobody has.
 */
export function withDecodablePath(url: string): string {
  if (!url.includes('%')) return url;
  const [path = '', ...query] = url.split(/(?=\?)/);
  const segments = path.split('/').map((segment) => (isDecodable(segment) ? segment : UNKNOWN));
  return [segments.join('/'), ...query].join('');
}

/** The parameters of a path and query that are not valid percent-encoded UTF-8: the parser keeps them as they stand. */
export function undecodableParameters(url: string): Problem[] {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return [];
  const parts = url.slice(start + 1).split('&');
  return (
    parts
      // A cursor that never decoded is invalid_cursor, whatever is wrong with it.
      .filter((part) => !part.startsWith('cursor=') && !isDecodable(part))
      .map((part) => ({
        parameter: part.split('=', 1)[0] ?? '',
        code: 'wrong_encoding',
        message: 'Must be valid percent-encoded UTF-8.',
      }))
  );
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The types that are taken in UTF-8 only. */
const IN_UTF8 = new Set(['application/json', 'text/markdown']);

/** Whether the request brings a body (RFC 9112, 6: announced by Content-Length or Transfer-Encoding). */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Throws ApiError unsupported_media_type unless a body, where there is one, is of the expected type. */
export function checkMediaType(headers: IncomingHttpHeaders, expected: string): void {
  if (!hasBody(headers)) return;
  if (isCoded(headers)) {
    const message = 'Send the body without a Content-Encoding and without a transfer coding but chunked.';
    throw new ApiError('unsupported_media_type', message, { expected });
  }
  if (expected === ANY_MEDIA_TYPE) return;
  const [essence, ...parameters] = (headers['content-type'] ?? '').split(';');
  const charset = parameters.find((p) => /^\s*charset=/i.test(p))?.trim();
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/i.test(charset);
  if (essence?.trim().toLowerCase() !== expected || (IN_UTF8.has(expected) && !isUtf8)) {
    throw new ApiError('unsupported_media_type', `Send the body as Content-Type: ${expected}.`, { expected });
  }
}

/** Whether the bytes are other than the body's own. Of transfer codings Node undoes chunked and leaves the rest as it is. */
function isCoded(headers: IncomingHttpHeaders): boolean {
  const { 'content-encoding': content = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers;
  return !/^identity$/i.test(content) || !/^chunked$/i.test(transfer);
}

/** Throws ApiError length_required unless the length of the body is announced (RFC 9110, 15.5.12). */
export function checkLengthIsAnnounced(headers: IncomingHttpHeaders): void {
  if (headers['content-length'] !== undefined) return;
  throw new ApiError('length_required', 'Send a Content-Length; the body may not be chunked.');
}

/** Throws ApiError payload_too_large for an announced length over `maxSize` bytes: nothing of the body is read then. */
export function checkAnnouncedSize(headers: IncomingHttpHeaders, maxSize: number): void {
  if (Number(headers['content-length'] ?? 0) > maxSize) throw bodyTooLarge(maxSize);
}

/**
 * All bytes of a body. Rejects with ApiError payload_too_large as soon as there are over `maxSize` of them; what is
 * left is then passed over. Rejects with what ended the connection where that comes before the end of the body, also where
 * it came before anybody listened.
 */
export async function readBody(source: IncomingMessage, maxSize: number): Promise<Buffer> {
  // A short body comes with its head: taken at once, it costs half of what listening for it does.
  const length = source.readableLength;
  // Without a length `read` gives what came in one piece, of however many there are.
  const whole: Buffer | null =
    length === Number(source.headers['content-length']) ? source.read(length) : null;
  return whole ?? collect(source, maxSize);
}

function collect(source: Readable, maxSize: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    const joined = new JoinedPieces((piece) => pieces.push(piece));
    let size = 0;
    source.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= maxSize) joined.add(chunk);
      else refuse();
    });
    const refuse = () => {
      pieces.length = 0;
      reject(bodyTooLarge(maxSize));
    };
    source.once('end', () => {
      joined.flush();
      resolve(Buffer.concat(pieces));
    });
    source.once('error', reject);
    const rejectUnlessWhole = () => {
      if (!source.readableEnded) reject(source.errored ?? endedTooEarly());
    };
    source.once('close', rejectUnlessWhole);
    if (source.destroyed) rejectUnlessWhole();
  });
}

/** The connection ended before the body did. */
export function endedTooEarly(cause?: unknown): ApiError {
  return new ApiError('malformed_request', 'The body ended too early.', {}, { cause });
}

/**
 * Hands a body to `take` while adding it to the fingerprint. What `take` leaves unread, because it failed or because
 * there was more than may be, is for the caller to pass over: the body itself is never destroyed, for its connection
 * would go with it, and no refusal could be sent any more. Rejects with ApiError payload_too_large or upload_timeout.
 */
export async function takeMeasured<T>(
  source: Readable,
  { maxSize, cutOff }: RawBody,
  fingerprint: StreamedFingerprint,
  take: (content: Readable) => Promise<T>,
): Promise<T> {
  const meter = meterOf(maxSize, fingerprint);
  if (cutOff) cutOffLate(meter, cutOff);
  source.once('error', (error) => meter.destroy(error));
  // The connection may have gone while something else was looked up: then no event will tell.
  if (source.errored) meter.destroy(source.errored);
  try {
    return await take(source.pipe(meter));
  } finally {
    source.unpipe(meter);
    meter.destroy();
  }
}

/** Fails the content when it has not come whole in time. */
function cutOffLate(content: Readable, { afterMs, message }: CutOff): void {
  const deadline = setTimeout(() => content.destroy(new ApiError('upload_timeout', message)), afterMs);
  content.once('end', () => clearTimeout(deadline));
  content.once('close', () => clearTimeout(deadline));
}

function meterOf(maxSize: number, fingerprint: StreamedFingerprint): Transform {
  let size = 0;
  let isDue = false;
  const joined = new JoinedPieces((piece) => {
    fingerprint.add(piece);
    meter.push(piece);
  });
  const flush = () => {
    isDue = false;
    if (!meter.destroyed) joined.flush();
  };
  const meter = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length;
      if (size > maxSize) return done(bodyTooLarge(maxSize));
      joined.add(chunk);
      // Small pieces wait for those that came with them, and no longer.
      if (joined.isWaiting && !isDue) setImmediate(flush);
      isDue = joined.isWaiting;
      done();
    },
    flush(done) {
      flush();
      done();
    },
  });
  // Whoever reads it hears of an error by reading; nobody else has to.
  return meter.on('error', () => undefined);
}

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
