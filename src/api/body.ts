import type { Hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { ApiError, bodyTooLarge } from './errors.ts';

/** JSON bodies: "JSON over 10 MB" is too large. */
export const MAX_JSON_BYTES = 10_000_000;

/** Whether the request brings a body (RFC 9112, 6: announced by Content-Length or Transfer-Encoding). */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Throws ApiError unsupported_media_type unless a body, where there is one, is of the expected type. */
export function checkMediaType(headers: IncomingHttpHeaders, expected: string): void {
  if (!hasBody(headers)) return;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ApiError('unsupported_media_type', 'Send the body without a Content-Encoding.', { expected });
  }
  const [essence, ...parameters] = (headers['content-type'] ?? '').split(';');
  const charset = /^\s*charset="?([^"]*)"?\s*$/i.exec(
    parameters.find((p) => /^\s*charset=/i.test(p)) ?? '',
  )?.[1];
  const isUtf8 = charset === undefined || /^utf-?8$/i.test(charset);
  if (essence?.trim().toLowerCase() !== expected || (expected === 'application/json' && !isUtf8)) {
    throw new ApiError('unsupported_media_type', `Send the body as Content-Type: ${expected}.`, { expected });
  }
}

/** Throws ApiError payload_too_large for an announced length over `maxSize` bytes: nothing of the body is read then. */
export function checkAnnouncedSize(headers: IncomingHttpHeaders, maxSize: number): void {
  if (Number(headers['content-length'] ?? 0) > maxSize) throw bodyTooLarge(maxSize);
}

/**
 * All bytes of a body. Rejects with ApiError payload_too_large as soon as there are over `maxSize` of them; what is
 * left is then passed over.
 */
export function readBody(source: Readable, maxSize: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    source.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= maxSize) chunks.push(chunk);
      else refuse();
    });
    const refuse = () => {
      chunks.length = 0;
      reject(bodyTooLarge(maxSize));
    };
    source.once('end', () => resolve(Buffer.concat(chunks)));
    source.once('error', reject);
  });
}

/** Passes a body on while adding it to the fingerprint; refuses it once it is over its size. */
export function measured(source: Readable, maxSize: number, fingerprint: Hash): Readable {
  return Readable.from(passOn(source, maxSize, fingerprint), { objectMode: false });
}

async function* passOn(source: Readable, maxSize: number, fingerprint: Hash): AsyncGenerator<Uint8Array> {
  let size = 0;
  // A source that is destroyed takes its connection with it, and no refusal could be sent any more.
  const chunks: AsyncIterable<Uint8Array> = source.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxSize) throw bodyTooLarge(maxSize);
    fingerprint.update(chunk);
    yield chunk;
  }
}
