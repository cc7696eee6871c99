import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { inBlocks } from '../parts.ts';
import { onDisk } from './layout.ts';

// Bytes past the page cache: what this buys and how it was measured says docs/decisions/0021-direct-writes.md.

/** Bytes that all who write at the same time may hold together, as far as blocks of the smallest size allow. */
const HELD_TOGETHER = 64 * 1024 * 1024;
const SMALLEST_BLOCK = 64 * 1024;

/** Bytes of a whole block: as many as a write past the page cache should have to be worth its wait for the disk. */
export const BLOCK_BYTES = 1024 * 1024;

/** Whole blocks that are kept for the next writers: new memory costs more than what is done with it. */
const KEPT_BLOCKS = 16;

/** The bytes to whose multiples memory, places and sizes are aligned that a disk is to take without the page cache. */
const ALIGNMENT = 4096;

/** Opens a file to be written, with O_DIRECT in `flags` or with nothing; rejects as the port does. */
export type Opening = (flags: number) => Promise<FileHandle>;

/**
 * Writes content into a file, from `start` on: whole blocks past the page cache, where the store has `direct`, the rest by
 * way of it. The kernel would take new pages for all that comes and copy it there, which may cost more than anything else
 * that is done with it, and throw out what is read often for what may never be. Answers the file and how many bytes it
 * has got. Rejects with BlobsUnavailable, or as the content does; the file is closed then.
 */
export async function writeContent(
  opening: Opening,
  { direct, start }: { direct: number; start: number },
  content: AsyncIterable<Uint8Array>,
): Promise<{ file: BlockFile; size: number }> {
  const file = new BlockFile(opening, start % ALIGNMENT === 0 ? direct : 0);
  try {
    const size = await withBlock((block) => writeBlocks(file, start, inBlocks(content, block)));
    return { file, size };
  } catch (error) {
    // Why it was not written matters more than why it cannot be closed.
    await file.close().catch(() => undefined);
    throw error;
  }
}

async function writeBlocks(file: BlockFile, start: number, blocks: AsyncIterable<Buffer>): Promise<number> {
  let position = start;
  for await (const block of blocks) {
    await file.write(block, position);
    position += block.length;
  }
  if (position === start) await file.touch();
  return position - start;
}

/** A file that is being written, by one handle past the page cache and by another one through it. */
export class BlockFile {
  readonly #open: Opening;
  readonly #direct: number;
  #past: FileHandle | undefined;
  #through: FileHandle | undefined;

  constructor(opening: Opening, direct: number) {
    this.#open = opening;
    this.#direct = direct;
  }

  async write(bytes: Buffer, position: number): Promise<void> {
    await onDisk(writeWhole(await this.#handleFor(bytes), bytes, position));
  }

  /** Makes the file, of which nothing may have been written. */
  async touch(): Promise<void> {
    await this.#cached();
  }

  /** A sync of either handle is one of the file. */
  async datasync(): Promise<void> {
    const handle = this.#through ?? this.#past;
    if (handle) await onDisk(handle.datasync());
  }

  async close(): Promise<void> {
    await onDisk(Promise.all([this.#past?.close(), this.#through?.close()]));
  }

  async #handleFor(bytes: Buffer): Promise<FileHandle> {
    if (this.#direct === 0 || !isAligned(bytes)) return this.#cached();
    this.#past ??= await this.#open(this.#direct);
    return this.#past;
  }

  async #cached(): Promise<FileHandle> {
    this.#through ??= await this.#open(0);
    return this.#through;
  }
}

/** A write may stop short, at the end of a full disk for example; the next one then says why. */
async function writeWhole(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

/** Which other systems than Linux do not have. */
const { O_DIRECT = 0 } = constants as { O_DIRECT?: number };

/**
 * O_DIRECT where the file system takes bytes past the page cache, otherwise nothing: also where it takes none at all now,
 * as those who write will hear. `path` is free to try it.
 */
export async function directFlag(path: string): Promise<number> {
  if (O_DIRECT === 0) return 0;
  try {
    await withBlock((block) => tryOut(path, block.subarray(0, ALIGNMENT)));
    return O_DIRECT;
  } catch {
    return 0;
  } finally {
    await rm(path, { force: true });
  }
}

async function tryOut(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | O_DIRECT, 0o600);
  await file.write(bytes).finally(() => file.close());
}

const kept: Buffer[] = [];
let made = 0;
let lent = 0;

/** Lends a block while something is written by way of it; the more write at the same time, the smaller it may be. */
async function withBlock<T>(work: (block: Buffer) => Promise<T>): Promise<T> {
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
function isAligned(block: Buffer): boolean {
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
