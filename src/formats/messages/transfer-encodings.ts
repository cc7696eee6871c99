import { Base64Decoder } from './base64.ts';
import { QuotedPrintableDecoder } from './quoted-printable.ts';
import { NOTHING, type TransferDecoder } from './transfer-decoder.ts';
import { UuDecoder } from './uuencode.ts';

/** The decoder for the value of a Content-Transfer-Encoding header; unknown ones leave the bytes alone. */
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
