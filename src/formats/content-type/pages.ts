import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * A whole file, in memory that the system gets back as soon as it is given back. Of a usual buffer of this size the
 * allocator of the thread would keep all for later.
 */
export function readIntoPages(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    // Of memory that can change its size V8 takes whole pages.
    const bytes = Buffer.from(new ArrayBuffer(size, { maxByteLength: size }), 0, size);
    for (let read = -1, at = 0; read !== 0; at += read) read = readSync(file, bytes, at, size - at, at);
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** Nobody may look at the bytes any more. */
export function giveBack({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) buffer.transferToFixedLength(0);
}
