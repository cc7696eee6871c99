import type { FileHandle } from 'node:fs/promises';
import { inBlocks } from '../parts.ts';
import { onDisk } from './errors.ts';
import { ALIGNMENT, isAligned, withBlock } from './write-blocks.ts';

/** Opens a file to be written, with O_DIRECT in `flags` or with nothing; rejects as the port does. */
export type Opening = (flags: number) => Promise<FileHandle>;

/**
 * Writes content into a file, from `start` on: whole blocks past the page cache, where the store has `direct`, the rest by
 * way of it. The kernel would take new pages for all that comes and copy it there, which may cost more than anything else
 * that is done with it, and throw out what is read often for what may never be. Answers the file and how many bytes it
 * has got. Rejects with BlobsUnavailable, or as the content does; the file is closed then.
 */
export async function writeContent(
  open: Opening,
  { direct, start }: { direct: number; start: number },
  content: AsyncIterable<Uint8Array>,
): Promise<{ file: BlockFile; size: number }> {
  const file = new BlockFile(open, start % ALIGNMENT === 0 ? direct : 0);
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

  constructor(open: Opening, direct: number) {
    this.#open = open;
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
