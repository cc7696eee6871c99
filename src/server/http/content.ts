import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { create } from 'content-disposition';
import type { ByteRange } from '../../blobs/blob-store.ts';
import type { Content } from '../../contract/answers.ts';
import { ApiError } from '../../contract/errors.ts';
import { mayAnswerRange, type Validators, weighPreconditions } from '../../contract/preconditions.ts';
import type { Exchange } from './exchange.ts';
import { contentRange, selectRange } from './ranges.ts';

/**
 * The Content-Disposition of a download with this file name. It always has `filename*`, while the library omits
 * `filename*` for plain ASCII names: a client that reads only `filename*` then works with every file.
 */
function dispositionOf(filename: string): string {
  const header = create(filename);
  // The name may itself look like a parameter: inside its quotes it is none.
  const hasExtended = header.lastIndexOf("; filename*=UTF-8''") > header.lastIndexOf('"');
  return hasExtended ? header : `${header}; filename*=UTF-8''${extended(filename)}`;
}

/** Encodes a value as RFC 8187, 3.2 requires. */
function extended(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

/**
 * Answers bytes: all of them or, where the content has validators, the requested range or 304. The content is opened
 * only when it is sent. `ofAnswer`: further headers, for content without validators. Throws ApiError state_mismatch
 * or range_not_satisfiable.
 */
export async function sendContent(
  exchange: Exchange,
  content: Content,
  ofAnswer: OutgoingHttpHeaders = {},
): Promise<void> {
  const { validators, size } = content;
  if (!validators) return sendBytes(exchange, content, undefined, ofAnswer);
  const verdict = weighPreconditions(exchange.requestHeaders, validators);
  if (verdict === 'failed') throw changedSince(validators);
  const { etag, lastModified } = validators;
  const ofState: OutgoingHttpHeaders = { etag };
  if (lastModified !== undefined) ofState['last-modified'] = new Date(lastModified).toUTCString();
  if (verdict === 'not modified') return exchange.sendHead(304, ofState);
  if (size === undefined) return sendBytes(exchange, content, undefined, ofState);
  exchange.headers['accept-ranges'] = 'bytes';
  return sendBytes(exchange, content, rangeOf(exchange, validators, size), ofState);
}

/** The requested range of the content; undefined for all of it. Throws ApiError range_not_satisfiable. */
function rangeOf(
  { method, requestHeaders, headers }: Exchange,
  validators: Validators,
  size: number,
): ByteRange | undefined {
  // RFC 9110, 14.2: a Range has a meaning for GET only.
  if (method !== 'GET' || !mayAnswerRange(requestHeaders, validators)) return undefined;
  const selection = selectRange(requestHeaders.range, size);
  if (selection === 'whole') return undefined;
  if (selection !== 'unsatisfiable') return selection;
  headers['content-range'] = contentRange(undefined, size);
  throw new ApiError('range_not_satisfiable', `The content has ${size} bytes; the range lies outside.`, {
    size,
  });
}

async function sendBytes(
  exchange: Exchange,
  content: Content,
  range: ByteRange | undefined,
  ofState: OutgoingHttpHeaders,
): Promise<void> {
  const { mediaType, filename, size, ownChunks, contentSecurityPolicy } = content;
  const ofBody: OutgoingHttpHeaders = { ...ofState, 'content-type': mediaType };
  if (contentSecurityPolicy !== undefined) ofBody['content-security-policy'] = contentSecurityPolicy;
  if (filename !== undefined) ofBody['content-disposition'] = dispositionOf(filename);
  // A buffering proxy would hold events back.
  if (mediaType === 'text/event-stream') ofBody['x-accel-buffering'] = 'no';
  const length = range ? range.end - range.start : size;
  if (length !== undefined) ofBody['content-length'] = length;
  if (range && size !== undefined) ofBody['content-range'] = contentRange(range, size);
  if (exchange.method === 'HEAD') {
    await content.discard();
    return exchange.sendHead(200, ofBody);
  }
  const status = range ? 206 : 200;
  const source = await opened(content, range);
  if (source instanceof Readable) return exchange.stream(status, source, { ofBody, ownChunks });
  exchange.send(status, source, ofBody);
}

/** Opens the content, and discards it where it cannot be opened: nobody will read it. */
async function opened({ open, discard }: Content, range: ByteRange | undefined) {
  try {
    return await open(range);
  } catch (error) {
    await discard();
    throw error;
  }
}

function changedSince({ etag }: Validators): ApiError {
  return new ApiError('state_mismatch', 'The content is not in the state that the request asks for.', {
    state: etag,
  });
}
