import { nextTurn } from '../../turns/next-turn.ts';

/** A raw message: complete, or as a stream. */
export type MessageSource = Uint8Array | AsyncIterable<Uint8Array>;

/** Bytes searched for a line feed before the message counts as one without. */
const WINDOW = 64 * 1024;

/** Bytes parsed in one turn of the event loop. */
const SLICE = 64 * 1024;

const LF = 10;
const CR = 13;

/**
 * The bytes of a message in pieces, with a yield to other work in between. Bare CR line ends, as in files of old
 * Macintosh mailers, become LF.
 */
export async function* messagePieces(source: MessageSource): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array && source.length <= SLICE) {
    yield endsLinesWithReturn(source) ? withLineFeeds(source) : source;
    return;
  }
  const pieces = source instanceof Uint8Array ? slices(source) : splitLargeChunks(source);
  let start: Uint8Array | null = new Uint8Array(0);
  let bareReturns = false;
  for await (const piece of pieces) {
    if (start === null) {
      yield bareReturns ? withLineFeeds(piece) : piece;
      continue;
    }
    start = start.length > 0 ? Buffer.concat([start, piece]) : piece;
    if (start.length < WINDOW && !start.includes(LF)) continue;
    bareReturns = endsLinesWithReturn(start);
    yield bareReturns ? withLineFeeds(start) : start;
    start = null;
  }
  if (start) yield endsLinesWithReturn(start) ? withLineFeeds(start) : start;
}

async function* slices(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE) {
    if (at > 0) await nextTurn();
    yield bytes.subarray(at, at + SLICE);
  }
}

async function* splitLargeChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    if (piece.length <= SLICE) yield piece;
    else yield* slices(piece);
  }
}

function endsLinesWithReturn(start: Uint8Array): boolean {
  const window = start.subarray(0, WINDOW);
  return window.includes(CR) && !window.includes(LF);
}

function withLineFeeds(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte === CR ? LF : byte));
}
