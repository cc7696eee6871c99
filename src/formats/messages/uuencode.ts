import { latin1 } from './charsets.ts';
import { NOTHING, type TransferDecoder } from './transfer-decoder.ts';

const MAX_UU_LINE = 200;

/** POSIX uuencode, as messages before MIME and a few since carry it. */
export class UuDecoder implements TransferDecoder {
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
  // Blanks at the end, which mean zeros, are often lost on the way.
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
