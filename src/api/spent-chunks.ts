import type { Readable, Writable } from 'node:stream';

/**
 * The same stream, of whose chunks nobody else may know. Piped into a response, it gives the memory of each back as soon
 * as the system has taken it: the collector would let a hundred million bytes of them pile up beside one download.
 */
export function givingChunksBack(source: Readable): Readable {
  source.pipe = <T extends NodeJS.WritableStream>(target: T): T => {
    pump(source, target as unknown as Writable);
    return target;
  };
  return source;
}

function pump(source: Readable, target: Writable): void {
  source.on('data', (chunk: Uint8Array) => {
    if (!target.write(chunk, () => giveBack(chunk))) source.pause();
  });
  target.on('drain', () => source.resume());
  source.once('end', () => target.end());
}

/** A chunk that shares its memory with others is left to the collector. */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
