import { decodeText, NotText, PORTION, type TextEncoding } from './decode.ts';

/** Byte-order marks; that of UTF-32 begins as that of UTF-16 does. */
const MARKS: readonly (readonly [mark: readonly number[], encoding: TextEncoding])[] = [
  [[0xff, 0xfe, 0, 0], 'utf-32le'],
  [[0, 0, 0xfe, 0xff], 'utf-32be'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xef, 0xbb, 0xbf], 'utf-8'],
];

/**
 * Which encoding a text is in: the one of its mark; else UTF-8 where that is valid; else UTF-32 or UTF-16 where the zero
 * bytes stand as they do there; else Windows-1252. Takes time linear in the bytes, and little in each step, so that whoever
 * has others waiting lets them have their turn in between.
 * @throws NotText when the bytes are no text in any of these
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

/** The result of work in steps, of which one follows the other. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** What the zero bytes of a file let it be where it is no UTF-8. */
function* candidates(bytes: Uint8Array): Generator<void, TextEncoding[]> {
  const { zeros, letterPairs } = yield* lookedThrough(bytes);
  const [first, second, third, fourth] = zeros;
  if (first + second + third + fourth === 0) return ['windows-1252'];
  const units = bytes.length / 4;
  // The first byte of a character is 0 in UTF-32, and the second one in all but rare ones.
  if (fourth === units && third * 2 > units) return ['utf-32le'];
  if (first === units && second * 2 > units) return ['utf-32be'];
  // Of Chinese in UTF-16, some two fifths look like two letters of ASCII; of files with texts among zero bytes, most do.
  if (bytes.length % 2 > 0 || letterPairs * 4 >= bytes.length || first + third === second + fourth) return [];
  return [second + fourth > first + third ? 'utf-16le' : 'utf-16be'];
}

interface LookedThrough {
  /** How many bytes are 0 of those at each place of four. */
  readonly zeros: [number, number, number, number];
  /** How many of all pairs of bytes are two printable characters of ASCII. */
  readonly letterPairs: number;
}

function* lookedThrough(bytes: Uint8Array): Generator<void, LookedThrough> {
  const zeros: LookedThrough['zeros'] = [0, 0, 0, 0];
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
  isTaken: (text: string) => boolean,
): Generator<void, boolean> {
  try {
    for (const text of decodeText(bytes, encoding)) {
      if (!isTaken(text)) return false;
      yield;
    }
    return true;
  } catch (error) {
    if (error instanceof NotText) return false;
    throw error;
  }
}

/** Nothing is guessed of UTF-8: what is valid in it is hardly ever anything else. */
function hasText(): boolean {
  return true;
}

const TAKEN_FOR_BINARY = /(?![\t\n\f\r])[\p{Cc}\p{Cn}\p{Co}]/u;

/** What was only guessed has no control character but those of lines, none of private use and none that is unassigned: bytes that are no text have some. */
function isPlain(text: string): boolean {
  return !TAKEN_FOR_BINARY.test(text);
}
