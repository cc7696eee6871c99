import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ByteRange } from '../blobs/blob-store.ts';
import type { Content } from './answers.ts';
import { dispositionOf } from './disposition.ts';
import { ApiError } from './errors.ts';
import { mayAnswerRange, type Validators, weighPreconditions } from './preconditions.ts';
import { contentRange, selectRange } from './ranges.ts';
import { givingChunksBack } from './spent-chunks.ts';

/**
 * Answers bytes: all of them, or where the content has validators, the part that is asked for, or that nothing has
 * changed. They are opened only when they are sent. Throws ApiError state_mismatch or range_not_satisfiable.
 */
export async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
): Promise<FastifyReply> {
  const { validators, size } = content;
  if (validators) {
    reply.header('etag', validators.etag);
    reply.header('last-modified', new Date(validators.lastModified).toUTCString());
    const verdict = weighPreconditions(request.headers, validators);
    if (verdict === 'failed') throw changedSince(validators);
    if (verdict === 'not modified') return reply.code(304).send(nothingFor(request));
  }
  if (!validators || size === undefined) return sendBytes(request, reply, content, undefined);
  reply.header('accept-ranges', 'bytes');
  return sendBytes(request, reply, content, rangeOf(request, reply, validators, size));
}

/** The part of the content that is asked for; undefined for all of it. Throws ApiError range_not_satisfiable. */
function rangeOf(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  validators: Validators,
  size: number,
): ByteRange | undefined {
  // RFC 9110, 14.2: a Range means something for GET only.
  if (method !== 'GET' || !mayAnswerRange(headers, validators)) return undefined;
  const selection = selectRange(headers.range, size);
  if (selection === 'whole') return undefined;
  if (selection !== 'unsatisfiable') return selection;
  reply.header('content-range', contentRange(undefined, size));
  throw new ApiError('range_not_satisfiable', `The content has ${size} bytes; the range lies outside.`, {
    size,
  });
}

async function sendBytes(
  { method }: FastifyRequest,
  reply: FastifyReply,
  { mediaType, filename, size, ownChunks, open }: Content,
  range: ByteRange | undefined,
): Promise<FastifyReply> {
  const source = nothingFor({ method }) ?? (await open(range));
  reply.header('content-type', mediaType);
  if (filename !== undefined) reply.header('content-disposition', dispositionOf(filename));
  const length = range ? range.end - range.start : size;
  if (length !== undefined) reply.header('content-length', length);
  if (range && size !== undefined) reply.code(206).header('content-range', contentRange(range, size));
  if (!(source instanceof Readable)) return reply.send(Buffer.from(source));
  return reply.send(ownChunks ? givingChunksBack(source) : source);
}

/** The framework announces a length of 0 where a HEAD is answered with nothing at all, and passes over a stream. */
function nothingFor({ method }: Pick<FastifyRequest, 'method'>): Readable | undefined {
  return method === 'HEAD' ? Readable.from([]) : undefined;
}

function changedSince({ etag }: Validators): ApiError {
  return new ApiError('state_mismatch', 'The content is not in the state that the request asks for.', {
    state: etag,
  });
}
