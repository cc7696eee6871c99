import { latin1 } from './charsets.ts';

/** Decodes a Content-Transfer-Encoding piece by piece. Broken input is decoded as far as possible. */
export interface TransferDecoder {
  update(bytes: Uint8Array): Uint8Array;
  finish(): Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** RFC 2045 6.8: characters outside the alphabet are skipped; padding ends a unit, since some mailers pad each line. */
class Base64Decoder implements TransferDecoder {
  /** The digits of an incomplete unit. */
  #rest = '';

  update(bytes: Uint8Array): Uint8Array {
    const text = this.#rest + latin1(bytes).replace(/[^A-Za-z0-9+/=]+/g, '');
    const digits = text.length - 1 - text.lastIndexOf('=');
    const end = text.length - (digits % 4);
    this.#rest = text.slice(end);
    return decodeUnits(text.slice(0, end));
  }

  finish(): Uint8Array {
    const last = decodeUnits(this.#rest);
    this.#rest = '';
    return last;
  }
}

/** Decodes unit by unit: Node stops at padding within a text. */
function decodeUnits(text: string): Uint8Array {
  const out = Buffer.allocUnsafe(Math.ceil((text.length * 3) / 4));
  let size = 0;
  for (const unit of text.split(/=+/)) size += out.write(unit, size, 'base64');
  return out.subarray(0, size);
}

/** Longest tail held for the next piece: RFC 2045 lines have 76 characters, so a longer blank run is content. */
const MAX_TAIL = 1000;

class QuotedPrintableDecoder implements TransferDecoder {
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

/**
 * The number of bytes at the end whose meaning depends on the next piece: blanks before a line end, an incomplete
 * "=XX".
 */
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
 * RFC 2045 6.7; an invalid escape stays unchanged.
 * @param options.isWhole false when more bytes follow, so that "=" at the end starts no soft line break
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
    // Rule 3: blanks at the end of a line were added in transit.
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

const MAX_UU_LINE = 200;

/** POSIX uuencode, in messages before MIME and in a few later ones. */
class UuDecoder implements TransferDecoder {
  #rest = '';
  #inside = false;

  update(bytes: Uint8Array): Uint8Array {
    const lines = (this.#rest + latin1(bytes)).split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, MAX_UU_LINE);
    return Buffer.concat(lines.map((line) => this.#line(line)));
  }

  finish(): Uint8Array {
    return this.#line(this.#rest);
  }

  #line(line: string): Uint8Array {
    if (!this.#inside) {
      this.#inside = /^begin [0-7]{3,4} /.test(line);
      return NOTHING;
    }
    const length = (line.charCodeAt(0) - 32) & 63;
    if (line.trim() === 'end' || line === '') this.#inside = false;
    return this.#inside && length > 0 ? decodeUuLine(line, length) : NOTHING;
  }
}

function decodeUuLine(line: string, length: number): Uint8Array {
  // Blanks at the end, which mean zeros, are often lost in transit.
  const out = new Uint8Array(Math.ceil(length / 3) * 3);
  const six = (at: number) => (line.charCodeAt(at) - 32) & 63;
  for (let from = 1, to = 0; to < length && from < line.length; from += 4, to += 3) {
    const [a, b] = [six(from), from + 1 < line.length ? six(from + 1) : 0];
    const [c, d] = [from + 2 < line.length ? six(from + 2) : 0, from + 3 < line.length ? six(from + 3) : 0];
    out[to] = (a << 2) | (b >> 4);
    out[to + 1] = (b << 4) | (c >> 2);
    out[to + 2] = (c << 6) | d;
  }
  return out.subarray(0, length);
}

/** The decoder for the value of a Content-Transfer-Encoding header; an unknown encoding leaves the bytes unchanged. */
export function transferDecoder(encoding: string): TransferDecoder {
  switch (encoding) {
    case 'base64':
      return new Base64Decoder();
    case 'quoted-printable':
      return new QuotedPrintableDecoder();
    case 'x-uuencode':
    case 'uuencode':
    case 'x-uue':
    case 'uue':
      return new UuDecoder();
    default:
      return { update: (bytes) => bytes, finish: () => NOTHING };
  }
}
