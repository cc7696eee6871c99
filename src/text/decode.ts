import iconv from 'iconv-lite';

/** The encodings supported for uploaded texts, by their IANA names in lower case. */
export const TEXT_ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'utf-32le',
  'utf-32be',
  'windows-1252',
] as const;
export type TextEncoding = (typeof TEXT_ENCODINGS)[number];

/** Bytes decoded in one step. */
export const PORTION = 64 * 1024;

/** The bytes are no text. */
export class NotText extends Error {
  override readonly name = 'NotText';
}

/**
 * Decodes the text of a file in an encoding, without its byte-order mark, in portions.
 * @throws NotText when the bytes are invalid in the encoding, or contain U+0000, which no text does
 */
export function* decodeText(bytes: Uint8Array, encoding: TextEncoding): Generator<string> {
  const decoder = decoderOf(encoding, bytes.length);
  for (let start = 0; start < bytes.length; start += PORTION) {
    yield requireText(decoder.decode(bytes.subarray(start, start + PORTION)));
  }
  yield requireText(decoder.end());
}

function requireText(text: string): string {
  if (text.includes('\0')) throw new NotText('there is U+0000 in it');
  return text;
}

/** Decodes portions that may end within a character. Throws NotText. */
interface Decoder {
  decode(bytes: Uint8Array): string;
  end(): string;
}

function decoderOf(encoding: TextEncoding, size: number): Decoder {
  if (encoding === 'utf-32le' || encoding === 'utf-32be') return decoderOfUtf32(encoding, size);
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes: Uint8Array, stream: boolean) => {
    try {
      return decoder.decode(bytes, { stream });
    } catch (cause) {
      throw new NotText(`it is not ${encoding}`, { cause });
    }
  };
  return { decode: (bytes) => decode(bytes, true), end: () => decode(new Uint8Array(), false) };
}

/** TextDecoder does not support UTF-32. iconv-lite replaces invalid characters with U+FFFD. */
function decoderOfUtf32(encoding: TextEncoding, size: number): Decoder {
  const decoder = iconv.getDecoder(encoding);
  const checkedText = (text: string) => {
    if (size % 4 > 0 || text.includes('\ufffd') || !text.isWellFormed()) {
      throw new NotText(`it is not ${encoding}`);
    }
    return text;
  };
  return {
    decode: (bytes) =>
      checkedText(decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))),
    end: () => checkedText(decoder.end() ?? ''),
  };
}
