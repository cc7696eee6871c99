import type { FileHandle } from 'node:fs/promises';
import { onDisk } from './disk-errors.ts';
import { inBlocks } from './parts.ts';

/** Bytes that all who write at the same time may hold together, as far as blocks of the smallest size allow. */
const HELD_TOGETHER = 64 * 1024 * 1024;
const LARGEST_BLOCK = 1024 * 1024;
const SMALLEST_BLOCK = 64 * 1024;

/** Blocks that are kept for the next writers: new memory costs more than what is done with it. */
const KEPT_BLOCKS = 16;

const kept: Buffer[] = [];
let writing = 0;

/** Writes content into a file, from `start` on. Answers how many bytes it has. Rejects with BlobsUnavailable. */
export function writeContent(
  file: FileHandle,
  start: number,
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
  return withBlock(async (block) => {
    let position = start;
    for await (const bytes of inBlocks(content, block)) {
      await onDisk(writeWhole(file, bytes, position));
      position += bytes.length;
    }
    return position - start;
  });
}

/** Lends a block while something is written by way of it; the more write at the same time, the smaller it is. */
async function withBlock<T>(work: (block: Buffer) => Promise<T>): Promise<T> {
  writing++;
  const block = takeBlock();
  try {
    return await work(block);
  } finally {
    writing--;
    if (block.length === LARGEST_BLOCK && kept.length < KEPT_BLOCKS) kept.push(block);
  }
}

function takeBlock(): Buffer {
  const share = Math.floor(HELD_TOGETHER / writing);
  if (share >= LARGEST_BLOCK) return kept.pop() ?? Buffer.allocUnsafeSlow(LARGEST_BLOCK);
  return Buffer.allocUnsafeSlow(Math.max(SMALLEST_BLOCK, share));
}

/** A write may stop short, at the end of a full disk for example; the next one then says why. */
async function writeWhole(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}
