import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from './errors.ts';

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
