import { decodeText, NotText, PORTION, type TextEncoding } from './decode.ts';

/** Byte-order marks; UTF-32LE comes before UTF-16LE, because its mark starts with the mark of UTF-16LE. */
const MARKS: readonly (readonly [mark: readonly number[], encoding: TextEncoding])[] = [
  [[0xff, 0xfe, 0, 0], 'utf-32le'],
  [[0, 0, 0xfe, 0xff], 'utf-32be'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xef, 0xbb, 0xbf], 'utf-8'],
];

/**
 * Detects the encoding of a text: by its byte-order mark; else UTF-8 if valid; else UTF-32 or UTF-16 if the zero
 * bytes are in their positions; else Windows-1252. Linear time in short steps, so that the caller can yield to
 * others in between.
 * @throws NotText when the bytes are no text in any of these encodings
 */
export function* encodingOf(bytes: Uint8Array): Generator<void, TextEncoding> {
  const marked = MARKS.find(([mark]) => mark.every((byte, i) => bytes[i] === byte))?.[1];
  if (marked) return marked;
  if (yield* isText(bytes, 'utf-8', hasText)) return 'utf-8';
  for (const encoding of yield* candidates(bytes)) {
    if (yield* isText(bytes, encoding, isPlain)) return encoding;
  }
  throw new NotText('it is in none of the encodings that are read');
}

/** Runs a generator to its end and returns the result. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The possible encodings by the zero bytes of a file that is not UTF-8. */
function* candidates(bytes: Uint8Array): Generator<void, TextEncoding[]> {
  const { zeros, letterPairs } = yield* countBytes(bytes);
  const [first, second, third, fourth] = zeros;
  if (first + second + third + fourth === 0) return ['windows-1252'];
  const units = bytes.length / 4;
  // In UTF-32 the most significant byte of a character is always 0, and the next one nearly always.
  if (fourth === units && third * 2 > units) return ['utf-32le'];
  if (first === units && second * 2 > units) return ['utf-32be'];
  // In Chinese UTF-16 about two fifths of the characters look like two ASCII letters; in binary files with texts
  // among zero bytes most pairs do.
  if (bytes.length % 2 > 0 || letterPairs * 4 >= bytes.length || first + third === second + fourth) return [];
  return [second + fourth > first + third ? 'utf-16le' : 'utf-16be'];
}

interface ByteCounts {
  /** The number of zero bytes at each offset modulo four. */
  readonly zeros: [number, number, number, number];
  /** The number of byte pairs that are two printable ASCII characters. */
  readonly letterPairs: number;
}

function* countBytes(bytes: Uint8Array): Generator<void, ByteCounts> {
  const zeros: ByteCounts['zeros'] = [0, 0, 0, 0];
  let letterPairs = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0) zeros[at % 4] = (zeros[at % 4] ?? 0) + 1;
    if (at % 2 === 1 && isPrintable(bytes[at]) && isPrintable(bytes[at - 1])) letterPairs++;
    if (at % PORTION === 0) yield;
  }
  return { zeros, letterPairs };
}

function isPrintable(byte = 0): boolean {
  return byte >= 0x20 && byte <= 0x7e;
}

function* isText(
  bytes: Uint8Array,
  encoding: TextEncoding,
  accepts: (text: string) => boolean,
): Generator<void, boolean> {
  try {
    for (const text of decodeText(bytes, encoding)) {
      if (!accepts(text)) return false;
      yield;
    }
    return true;
  } catch (error) {
    if (error instanceof NotText) return false;
    throw error;
  }
}

/** Valid UTF-8 is hardly ever anything else, so no further check is needed. */
function hasText(): boolean {
  return true;
}

const BINARY = /(?![\t\n\f\r])[\p{Cc}\p{Cn}\p{Co}]/u;

/**
 * A guessed text must not contain control characters other than line breaks and tabs, private-use or unassigned
 * characters: bytes that are no text contain some.
 */
function isPlain(text: string): boolean {
  return !BINARY.test(text);
}
