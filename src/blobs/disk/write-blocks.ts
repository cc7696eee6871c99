/** Bytes that all who write at the same time may hold together, as far as blocks of the smallest size allow. */
const HELD_TOGETHER = 64 * 1024 * 1024;
const SMALLEST_BLOCK = 64 * 1024;

/** Bytes of a whole block: as many as a write past the page cache should have to be worth its wait for the disk. */
export const BLOCK_BYTES = 1024 * 1024;

/** Whole blocks that are kept for the next writers: new memory costs more than what is done with it. */
const KEPT_BLOCKS = 16;

/** The bytes to whose multiples memory, places and sizes are aligned that a disk is to take without the page cache. */
export const ALIGNMENT = 4096;

const kept: Buffer[] = [];
let made = 0;
let lent = 0;

/** Lends a block while something is written by way of it; the more write at the same time, the smaller it may be. */
export async function withBlock<T>(work: (block: Buffer) => Promise<T>): Promise<T> {
  lent++;
  const block = takeBlock();
  try {
    return await work(block);
  } finally {
    lent--;
    if (isAligned(block)) kept.push(block);
  }
}

/** Whether it is a whole block that lies on whole pages of memory. */
export function isAligned(block: Buffer): boolean {
  return block.buffer === memory() && block.length === BLOCK_BYTES;
}

function takeBlock(): Buffer {
  if (kept.length === 0 && made < KEPT_BLOCKS)
    return Buffer.from(memory(), made++ * BLOCK_BYTES, BLOCK_BYTES);
  const share = Math.floor(HELD_TOGETHER / lent);
  return kept.pop() ?? Buffer.allocUnsafeSlow(Math.max(SMALLEST_BLOCK, Math.min(BLOCK_BYTES, share)));
}

let pages: ArrayBuffer | undefined;

function memory(): ArrayBuffer {
  pages ??= wholePages(KEPT_BLOCKS * BLOCK_BYTES);
  return pages;
}

/**
 * So many bytes of memory that begin with a page of it, and whose pages the system gets back as soon as they are given
 * back; those that are never used take none. V8 sees to that for what may change its size: other memory it has from an
 * allocator, which puts it anywhere and keeps it for later.
 */
function wholePages(bytes: number): ArrayBuffer {
  return new ArrayBuffer(bytes, { maxByteLength: bytes });
}
