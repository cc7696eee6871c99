import type { TransferDecoder } from './transfer-decoder.ts';

/** RFC 2045 6.8: what is not of the alphabet is skipped; padding ends a unit, since some mailers pad each line. */
export class Base64Decoder implements TransferDecoder {
  #bits = 0;
  #digits = 0;

  update(bytes: Uint8Array): Uint8Array {
    const out = Buffer.allocUnsafe(Math.ceil(bytes.length / 4) * 3 + 3);
    let size = 0;
    for (let i = 0; i < bytes.length; i++) {
      const digit = BASE64_DIGITS[bytes[i] ?? 0] ?? SKIPPED;
      if (digit < 64) {
        this.#bits = (this.#bits << 6) | digit;
        if (++this.#digits === 4) {
          out[size++] = this.#bits >> 16;
          out[size++] = this.#bits >> 8;
          out[size++] = this.#bits;
          this.#reset();
        }
      } else if (digit === PADDING) {
        size = this.#endUnit(out, size);
      }
    }
    return out.subarray(0, size);
  }

  finish(): Uint8Array {
    const out = Buffer.alloc(2);
    return out.subarray(0, this.#endUnit(out, 0));
  }

  /** Two digits left over hold one byte, three hold two, one holds none. */
  #endUnit(out: Buffer, size: number): number {
    let end = size;
    if (this.#digits === 2) out[end++] = this.#bits >> 4;
    if (this.#digits === 3) {
      out[end++] = this.#bits >> 10;
      out[end++] = this.#bits >> 2;
    }
    this.#reset();
    return end;
  }

  #reset(): void {
    this.#bits = 0;
    this.#digits = 0;
  }
}

const PADDING = 64;
const SKIPPED = 255;
const BASE64_DIGITS = base64Digits();

function base64Digits(): Uint8Array {
  const digits = new Uint8Array(256).fill(SKIPPED);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=';
  for (let i = 0; i < alphabet.length; i++) digits[alphabet.charCodeAt(i)] = i;
  return digits;
}
