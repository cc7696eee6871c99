import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { inBlocks } from '../parts.ts';
import { onDisk } from './layout.ts';

// Writes that bypass the page cache. Benefit and measurements: docs/decisions/0021-direct-writes.md.

/** Memory limit of all concurrent writers together, unless even the smallest blocks exceed it. */
const MEMORY_LIMIT = 64 * 1024 * 1024;
const SMALLEST_BLOCK = 64 * 1024;

/** The size of a whole block: large enough for a direct write to be worth its wait for the disk. */
export const BLOCK_BYTES = 1024 * 1024;

/** The size of the pool of whole blocks: allocating new memory costs more than the write itself. */
const POOLED_BLOCKS = 16;

/** Direct writes need memory, offset and size aligned to multiples of so many bytes. */
const ALIGNMENT = 4096;

/** Opens a file for writing; `flags`: O_DIRECT or 0. Rejects as the port does. */
export type Opening = (flags: number) => Promise<FileHandle>;

/**
 * Writes content into a file from offset `start`: whole blocks bypass the page cache if the store supports `direct`,
 * the rest is written through it. With the page cache the kernel allocates pages for all content and copies it, which
 * may be the most expensive step of an upload, and evicts pages that are read often. Returns the file and the number of
 * bytes written. Rejects with BlobsUnavailable, or as the content does, after it has closed the file.
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
    // The error of the write matters more than an error of close.
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

/** A file being written by two handles: a direct one and one through the page cache. */
export class BlockFile {
  readonly #open: Opening;
  readonly #direct: number;
  #directHandle: FileHandle | undefined;
  #cachedHandle: FileHandle | undefined;

  constructor(opening: Opening, direct: number) {
    this.#open = opening;
    this.#direct = direct;
  }

  async write(bytes: Buffer, position: number): Promise<void> {
    await onDisk(writeWhole(await this.#handleFor(bytes), bytes, position));
  }

  /** Creates the file, for empty content. */
  async touch(): Promise<void> {
    await this.#cached();
  }

  /** Syncs the file; syncing one of its handles is enough. */
  async datasync(): Promise<void> {
    const handle = this.#cachedHandle ?? this.#directHandle;
    if (handle) await onDisk(handle.datasync());
  }

  async close(): Promise<void> {
    await onDisk(Promise.all([this.#directHandle?.close(), this.#cachedHandle?.close()]));
  }

  async #handleFor(bytes: Buffer): Promise<FileHandle> {
    if (this.#direct === 0 || !isAligned(bytes)) return this.#cached();
    this.#directHandle ??= await this.#open(this.#direct);
    return this.#directHandle;
  }

  async #cached(): Promise<FileHandle> {
    this.#cachedHandle ??= await this.#open(0);
    return this.#cachedHandle;
  }
}

/** Repeats short writes, e.g. on a full disk; the next write then reports the error. */
async function writeWhole(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

/** Undefined on systems other than Linux. */
const { O_DIRECT = 0 } = constants as { O_DIRECT?: number };

/**
 * O_DIRECT if the file system supports direct writes, else 0; also 0 if the trial write fails for another reason, which
 * later writes will report. `path`: an unused path for the trial.
 */
export async function directFlag(path: string): Promise<number> {
  if (O_DIRECT === 0) return 0;
  try {
    await withBlock((block) => tryDirectWrite(path, block.subarray(0, ALIGNMENT)));
    return O_DIRECT;
  } catch {
    return 0;
  } finally {
    await rm(path, { force: true });
  }
}

async function tryDirectWrite(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | O_DIRECT, 0o600);
  await file.write(bytes).finally(() => file.close());
}

const pool: Buffer[] = [];
let made = 0;
let lent = 0;

/** Lends a block during `work`. With many concurrent writers, blocks are smaller. */
async function withBlock<T>(work: (block: Buffer) => Promise<T>): Promise<T> {
  lent++;
  const block = takeBlock();
  try {
    return await work(block);
  } finally {
    lent--;
    if (isAligned(block)) pool.push(block);
  }
}

/** Whether a buffer is a whole block of the pool, which is page-aligned. */
function isAligned(block: Buffer): boolean {
  return block.buffer === memory() && block.length === BLOCK_BYTES;
}

function takeBlock(): Buffer {
  if (pool.length === 0 && made < POOLED_BLOCKS)
    return Buffer.from(memory(), made++ * BLOCK_BYTES, BLOCK_BYTES);
  const share = Math.floor(MEMORY_LIMIT / lent);
  return pool.pop() ?? Buffer.allocUnsafeSlow(Math.max(SMALLEST_BLOCK, Math.min(BLOCK_BYTES, share)));
}

let pages: ArrayBuffer | undefined;

function memory(): ArrayBuffer {
  pages ??= wholePages(POOLED_BLOCKS * BLOCK_BYTES);
  return pages;
}

/**
 * Page-aligned memory that costs nothing until it is used. V8 maps whole pages for a resizable ArrayBuffer and returns
 * them to the system when it is freed; other buffers come from an allocator, unaligned, and may be retained by it.
 */
function wholePages(bytes: number): ArrayBuffer {
  return new ArrayBuffer(bytes, { maxByteLength: bytes });
}
