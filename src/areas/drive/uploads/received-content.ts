import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import { ApiError } from '../../../contract/errors.ts';
import type { Problem } from '../../../contract/operation.ts';
import {
  contentTypeOf,
  HEAD_BYTES,
  type ReadableContent,
} from '../../../formats/content-type/content-type.ts';
import { detachBuffer } from '../../../platform/detached-buffers.ts';

/** The supported digest algorithms (RFC 9530) and their length in bytes. Others "MAY be ignored". */
const ALGORITHMS = { 'sha-256': ['sha256', 32], 'sha-512': ['sha512', 64] } as const;

/** One member of the dictionary: an algorithm, and a byte sequence as base64 between colons (RFC 8941, section 3.3.5). */
const MEMBER = /^\s*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):\s*$/;

interface Digest {
  algorithm: keyof typeof ALGORITHMS;
  /** Base64. */
  value: string;
}

/** The problems of the header Content-Digest. */
export function digestProblems(headers: IncomingHttpHeaders): Problem[] {
  const given = headers['content-digest'];
  if (given === undefined || membersOf(String(given)).every(isWellFormed)) return [];
  const message = 'Give a digest of the form sha-256=:<the digest in base64>:';
  return [{ parameter: 'Content-Digest', code: 'wrong_format', message }];
}

function membersOf(header: string): string[] {
  return header.split(',');
}

function isWellFormed(member: string): boolean {
  const [, algorithm = '', value = ''] = MEMBER.exec(member) ?? [];
  if (!isKnown(algorithm)) return algorithm !== '';
  return Buffer.from(value, 'base64').length === ALGORITHMS[algorithm][1];
}

function isKnown(algorithm: string): algorithm is Digest['algorithm'] {
  return Object.hasOwn(ALGORITHMS, algorithm);
}

/**
 * Passes the content through. At its end it fails with ApiError digest_mismatch if the content does not have the
 * digests of the header.
 */
export function withDigest(
  content: AsyncIterable<Uint8Array>,
  headers: IncomingHttpHeaders,
): AsyncIterable<Uint8Array> {
  return digestsOf(String(headers['content-digest'] ?? '')).reduce(verifyDigest, content);
}

/** At most one digest for each algorithm: the last one wins (RFC 8941, section 3.2). */
function digestsOf(header: string): Digest[] {
  const digests = new Map<string, Digest>();
  for (const member of membersOf(header)) {
    const [, algorithm = '', value = ''] = MEMBER.exec(member) ?? [];
    if (isKnown(algorithm)) digests.set(algorithm, { algorithm, value });
  }
  return [...digests.values()];
}

async function* verifyDigest(
  content: AsyncIterable<Uint8Array>,
  { algorithm, value }: Digest,
): AsyncGenerator<Uint8Array> {
  const hash = createHash(ALGORITHMS[algorithm][0]);
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
  const actual = hash.digest();
  if (actual.equals(Buffer.from(value, 'base64'))) return;
  throw new ApiError('digest_mismatch', 'The bytes do not have the announced digest; send them again.', {
    expected: `${algorithm}=:${value}:`,
    actual: `${algorithm}=:${actual.toString('base64')}:`,
  });
}

/** Records the first bytes of content while the content passes through. */
export class Head {
  readonly #pieces: Buffer[] = [];
  readonly #whole = Promise.withResolvers<Buffer>();
  #missing: number;

  constructor(bytes: number) {
    this.#missing = bytes;
  }

  /** Resolves when these bytes have passed; never resolves if the content is aborted before. */
  get whole(): Promise<Buffer> {
    return this.#whole.promise;
  }

  /** Passes the content through. */
  async *record(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      if (this.#missing > 0) this.#add(chunk);
      yield chunk;
    }
    this.#end();
  }

  #add(chunk: Uint8Array): void {
    const piece = Buffer.from(chunk.subarray(0, this.#missing));
    this.#pieces.push(piece);
    this.#missing -= piece.length;
    if (this.#missing === 0) this.#end();
  }

  #end(): void {
    this.#whole.resolve(Buffer.concat(this.#pieces));
  }
}

/**
 * Passes the content through; only its reader may use the chunks. It frees the memory of a chunk when the next one is
 * requested: the garbage collector would scan the whole heap for every few chunks.
 */
export async function* freeingChunks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    yield chunk;
    detachBuffer(chunk);
  }
}

/** A blob of known size with random access. Rejects as `get` does. */
export function readableBlob(blobs: BlobStore, key: string, size: number): ReadableContent {
  const read = async (start: number, end: number) => {
    const range = { start: Math.max(0, start), end: Math.min(end, size) };
    return range.start < range.end ? buffer(await blobs.get(key, range)) : Buffer.alloc(0);
  };
  return { size, read };
}

/** The media type of a stored blob. Rejects as `get` does. */
export async function storedType(
  blobs: BlobStore,
  key: string,
  size: number,
  filename: string,
): Promise<string> {
  const content = readableBlob(blobs, key, size);
  const head = await content.read(0, HEAD_BYTES);
  return contentTypeOf({ filename, head, whole: async () => content });
}
