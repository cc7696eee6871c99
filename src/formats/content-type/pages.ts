import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { wholePages } from '../../whole-pages.ts';

/** A whole file, in memory that the system gets back as soon as it is given back. */
export function readIntoPages(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.from(wholePages(size), 0, size);
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
