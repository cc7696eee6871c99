import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { ApiError, bodyTooLarge } from '../../contract/errors.ts';
import { ANY_MEDIA_TYPE, type CutOff, type Problem, type RawBody } from '../../contract/operation.ts';
import type { StreamedFingerprint } from '../../once/idempotency.ts';

/** U+FFFD, which occurs in no id. */
const UNKNOWN = '%EF%BF%BD';

/**
 * The path and query with a decodable path. "A malformed id in a path is 404 like an unknown one": a segment that is
 * no percent-encoded UTF-8 is malformed too, and is replaced by an id that does not exist.
 */
export function withDecodablePath(url: string): string {
  if (!url.includes('%')) return url;
  const [path = '', ...query] = url.split(/(?=\?)/);
  const segments = path.split('/').map((segment) => (isDecodable(segment) ? segment : UNKNOWN));
  return [segments.join('/'), ...query].join('');
}

/** The query parameters that are not valid percent-encoded UTF-8; the parser leaves them undecoded. */
export function undecodableParameters(url: string): Problem[] {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return [];
  const parts = url.slice(start + 1).split('&');
  return (
    parts
      // A cursor that never decoded is invalid_cursor, whatever else is wrong with it.
      .filter((part) => !part.startsWith('cursor=') && !isDecodable(part))
      .map((part) => ({
        parameter: part.split('=', 1)[0] ?? '',
        code: 'wrong_encoding',
        message: 'Give valid percent-encoded UTF-8.',
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

/** The media types that are accepted in UTF-8 only. */
const IN_UTF8 = new Set(['application/json', 'text/markdown']);

/** Whether the request has a body (RFC 9112, 6: announced by Content-Length or Transfer-Encoding). */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Throws ApiError unsupported_media_type where a body has another type than expected. */
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

/** Whether the body is coded. Node decodes the transfer coding chunked, and no other. */
function isCoded(headers: IncomingHttpHeaders): boolean {
  const { 'content-encoding': content = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers;
  return !/^identity$/i.test(content) || !/^chunked$/i.test(transfer);
}

/** Throws ApiError length_required unless the length of the body is announced (RFC 9110, 15.5.12). */
export function checkLengthIsAnnounced(headers: IncomingHttpHeaders): void {
  if (headers['content-length'] !== undefined) return;
  throw new ApiError('length_required', 'Send a Content-Length; the body may not be chunked.');
}

/**
 * Throws ApiError payload_too_large for an announced length over `maxSize` bytes, before any byte of the body is
 * read.
 */
export function checkAnnouncedSize(headers: IncomingHttpHeaders, maxSize: number): void {
  if (Number(headers['content-length'] ?? 0) > maxSize) throw bodyTooLarge(maxSize);
}

/**
 * All bytes of a body. Rejects with ApiError payload_too_large as soon as they exceed `maxSize`; the rest is
 * discarded. Rejects with the error of the connection where the connection ends before the body, even before anything
 * listened for it.
 */
export async function readBody(source: IncomingMessage, maxSize: number): Promise<Buffer> {
  // A short body arrives with its head: a direct read costs half as much as listeners.
  const length = source.readableLength;
  // Without a length, `read` returns one chunk only, however many there are.
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

/** The error for a connection that ended before its body. */
export function endedTooEarly(cause?: unknown): ApiError {
  return new ApiError('malformed_request', 'The body ended too early.', {}, { cause });
}

/**
 * Passes a body to `take` and adds it to the fingerprint. The caller must discard the bytes that `take` leaves unread
 * after a failure or above the limit. The body itself is never destroyed: its connection would close, and no refusal
 * could be sent. Rejects with ApiError payload_too_large or upload_timeout.
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
  // The connection may have failed during an earlier query: then no further event reports it.
  if (source.errored) meter.destroy(source.errored);
  try {
    return await take(source.pipe(meter));
  } finally {
    source.unpipe(meter);
    meter.destroy();
  }
}

/** Fails the content when it is incomplete after the time limit. */
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
      // Small chunks wait only for other chunks of the same turn.
      if (joined.isWaiting && !isDue) setImmediate(flush);
      isDue = joined.isWaiting;
      done();
    },
    flush(done) {
      flush();
      done();
    },
  });
  // The reader of the stream receives the error; without this listener, it would end the process.
  return meter.on('error', () => undefined);
}

/** Bytes. Below this size, passing a chunk on costs more than copying it. */
const SMALL_PIECE = 1024;
const SMALLEST_BLOCK = 1024;
const LARGEST_BLOCK = 64 * 1024;

/**
 * Joins small chunks of a body before it passes them on. A client may send chunks of one byte (RFC 9112, 7.1): each
 * would be an object of its own, and a step in every reader of the body.
 */
export class JoinedPieces {
  readonly #take: (piece: Uint8Array) => void;
  #block = Buffer.alloc(0);
  #used = 0;

  constructor(take: (piece: Uint8Array) => void) {
    this.#take = take;
  }

  /** Whether bytes are buffered. */
  get isWaiting(): boolean {
    return this.#used > 0;
  }

  add(piece: Uint8Array): void {
    const isSmall = piece.length < SMALL_PIECE;
    if (!isSmall || this.#used + piece.length > this.#block.length) this.flush();
    if (isSmall) this.#keep(piece);
    else this.#take(piece);
  }

  /** Passes the buffered bytes on. */
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

  /** The first block is small; many small chunks quickly lead to a large one. */
  #begin(): void {
    const size = Math.min(Math.max(SMALLEST_BLOCK, 2 * this.#block.length), LARGEST_BLOCK);
    this.#block = Buffer.allocUnsafe(size);
  }
}
