import type { Readable, Writable } from 'node:stream';

/**
 * Pipes a stream of whose chunks nobody else knows: the memory of each is given back as soon as the target has taken it.
 * The collector would let a hundred million bytes of them pile up beside one download.
 */
export function pipeDetaching(source: Readable, target: Writable): void {
  source.on('data', (chunk: Uint8Array) => {
    if (!target.write(chunk, () => detachBuffer(chunk))) source.pause();
  });
  target.on('drain', () => source.resume());
  source.once('end', () => target.end());
  source.resume();
}

/** A chunk that shares its memory with others is left to the collector. */
export function detachBuffer({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
