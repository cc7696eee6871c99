import type { Readable, Writable } from 'node:stream';

/**
 * Pipes a stream whose chunks nobody else uses, and frees the memory of each chunk when the target has consumed it. The
 * garbage collector would let a hundred megabytes of chunks accumulate during one download.
 */
export function pipeDetaching(source: Readable, target: Writable): void {
  source.on('data', (chunk: Uint8Array) => {
    if (!target.write(chunk, () => detachBuffer(chunk))) source.pause();
  });
  target.on('drain', () => source.resume());
  source.once('end', () => target.end());
  source.resume();
}

/** A chunk that shares its buffer with others is left to the garbage collector. */
export function detachBuffer({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
