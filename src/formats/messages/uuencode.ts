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
  const out = Buffer.alloc(Math.ceil(length / 3) * 3);
  const six = (at: number) => ((at < line.length ? line.charCodeAt(at) : 32) - 32) & 63;
  for (let from = 1, to = 0; to < length; from += 4, to += 3) {
    const group = (six(from) << 18) | (six(from + 1) << 12) | (six(from + 2) << 6) | six(from + 3);
    out.writeUIntBE(group, to, 3);
  }
  return out.subarray(0, length);
}
