import { NOTHING, type TransferDecoder } from './transfer-decoder.ts';

/** Longest tail kept for the next piece: RFC 2045 lines have 76 characters, so a longer blank run is content. */
const MAX_TAIL = 1000;

export class QuotedPrintableDecoder implements TransferDecoder {
  #tail: Uint8Array = NOTHING;

  update(bytes: Uint8Array): Uint8Array {
    const all = this.#tail.length > 0 ? Buffer.concat([this.#tail, bytes]) : bytes;
    const usable = all.length - openTail(all);
    this.#tail = all.slice(usable);
    return decodeQuotedPrintable(all.subarray(0, usable), { isWhole: false });
  }

  finish(): Uint8Array {
    const last = decodeQuotedPrintable(this.#tail);
    this.#tail = NOTHING;
    return last;
  }
}

/** Bytes at the end whose meaning the next piece decides: blanks before a line end, a begun "=XX". */
function openTail(bytes: Uint8Array): number {
  let start = bytes.length;
  while (start > 0 && isBlank(bytes[start - 1]) && bytes.length - start < MAX_TAIL) start--;
  if (bytes[start - 1] === CR) start--;
  while (start > 0 && isBlank(bytes[start - 1]) && bytes.length - start < MAX_TAIL) start--;
  if (bytes[start - 1] === EQUALS) start--;
  else if (bytes[start - 2] === EQUALS && start === bytes.length) start -= 2;
  return bytes.length - start;
}

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const EQUALS = 61;

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

/**
 * RFC 2045 6.7; what is no valid escape stays as it is.
 * @param options.isWhole false where more follows, so that "=" before the end begins no soft line break
 */
export function decodeQuotedPrintable(bytes: Uint8Array, { isWhole } = { isWhole: true }): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  let size = 0;
  for (let i = 0; i < bytes.length; ) {
    const byte = bytes[i] ?? 0;
    if (byte === EQUALS) {
      const high = hexDigit(bytes[i + 1]);
      const low = hexDigit(bytes[i + 2]);
      if (high >= 0 && low >= 0) {
        out[size++] = high * 16 + low;
        i += 3;
        continue;
      }
      const next = softBreakEnd(bytes, i + 1, isWhole);
      if (next > 0) {
        i = next;
        continue;
      }
    }
    // Rule 3: blanks at the end of a line were added on the way.
    const lineEnd = isBlank(byte) ? blankRunEnd(bytes, i) : i;
    if (lineEnd > i && isLineEnd(bytes, lineEnd)) {
      i = lineEnd;
      continue;
    }
    const stop = Math.max(lineEnd, i + 1);
    while (i < stop) out[size++] = bytes[i++] ?? 0;
  }
  return out.subarray(0, size);
}

function softBreakEnd(bytes: Uint8Array, from: number, isWhole: boolean): number {
  let at = blankRunEnd(bytes, from);
  if (bytes[at] === CR) at++;
  if (bytes[at] === LF) return at + 1;
  return isWhole && at === bytes.length ? at : 0;
}

function blankRunEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isBlank(bytes[at])) at++;
  return at;
}

function isLineEnd(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] === LF);
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 48 && byte <= 57) return byte - 48;
  const upper = byte & 0xdf;
  return upper >= 65 && upper <= 70 ? upper - 55 : -1;
}
