import { Readable } from 'node:stream';
import { BlobsFull } from '../blobs/blob-store.ts';
import type { StagedBytes, Staging } from '../blobs/staging.ts';
import { StorageFull } from '../storage/database.ts';
import { TooManyWaiting } from '../turns/fair-queue.ts';
import { JsonStream } from './answers.ts';

/**
 * Writes JSON completely to a staged file before it is sent: a slow reader then holds no memory. Rejects when
 * `pieces` fails, and with TooManyWaiting when there is no space for the file.
 */
export async function stagedText(staging: Staging, pieces: AsyncIterable<string>): Promise<JsonStream> {
  const staged = await staging.stage(encoded(pieces)).catch((cause) => {
    const isFull = cause instanceof BlobsFull || cause instanceof StorageFull;
    throw isFull ? new TooManyWaiting('there is no room for a large answer', { cause }) : cause;
  });
  const { size, discard } = staged;
  return new JsonStream({ size, open: () => openStaged(staging, staged), discard });
}

async function openStaged(staging: Staging, { location }: StagedBytes): Promise<Readable> {
  const source = await staging.open(location);
  return source instanceof Readable ? source : Readable.from([source], { objectMode: false });
}

/** Encodes texts as UTF-8. */
export async function* encoded(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}
