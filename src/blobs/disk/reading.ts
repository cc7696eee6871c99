import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ByteRange } from '../blob-store.ts';
import { onDisk } from './errors.ts';

/** Bytes that all who read at the same time may hold together, as far as pieces of the smallest size allow. */
const HELD_TOGETHER = 64 * 1024 * 1024;
const LARGEST_PIECE = 256 * 1024;
const SMALLEST_PIECE = 16 * 1024;

let reading = 0;

/**
 * The bytes of a file, or a range of them, as a stream that closes the file. A stream reads a piece ahead and no more;
 * the more streams there are, the smaller are their pieces.
 */
export function readStream(file: FileHandle, range?: ByteRange): Readable {
  const content = pieces(file, range ?? { start: 0, end: Number.POSITIVE_INFINITY });
  const stream = Readable.from(content, { objectMode: false, highWaterMark: 1 });
  reading++;
  // Also of a stream that nobody has begun to read.
  return stream.once('close', () => {
    reading--;
    file.close().catch(() => undefined);
  });
}

async function* pieces(file: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer, void> {
  for (let position = start; position < end; ) {
    const size = Math.min(pieceSize(), end - position);
    const { bytesRead, buffer } = await onDisk(file.read(Buffer.allocUnsafeSlow(size), 0, size, position));
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function pieceSize(): number {
  const share = Math.floor(HELD_TOGETHER / reading);
  return Math.max(SMALLEST_PIECE, Math.min(LARGEST_PIECE, share));
}
