import { createCipheriv, createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** The same bytes on every call, without pattern: a piece out of place shows. */
export function bytesOf(size: number, seed = 0): Buffer {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(size));
}

/** The bytes in pieces as a network would deliver them; afterwards fails with the error, when one is given. */
export async function* arriving(bytes: Buffer, failure?: Error, piece = 60_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  if (failure !== undefined) throw failure;
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export async function read(stream: Promise<Readable>): Promise<Buffer> {
  return buffer(await stream);
}
