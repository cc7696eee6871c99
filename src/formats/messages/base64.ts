import { latin1 } from './charsets.ts';
import type { TransferDecoder } from './transfer-decoder.ts';

/** RFC 2045 6.8: what is not of the alphabet is skipped; padding ends a unit, since some mailers pad each line. */
export class Base64Decoder implements TransferDecoder {
  /** The digits of a unit that has begun. */
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

/** Unit by unit: of a text with padding within, Node decodes only what stands before that. */
function decodeUnits(text: string): Uint8Array {
  const out = Buffer.allocUnsafe(Math.ceil((text.length * 3) / 4));
  let size = 0;
  for (const unit of text.split(/=+/)) size += out.write(unit, size, 'base64');
  return out.subarray(0, size);
}
