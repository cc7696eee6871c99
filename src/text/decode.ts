/** Bytes that are decoded together. */
const PORTION = 64 * 1024;

/** Bytes that are no text. */
export class NotText extends Error {
  override readonly name = 'NotText';
}

/**
 * The text of a file without its byte-order mark, in portions: UTF-8, or with the mark UTF-16.
 * @throws NotText when the bytes are neither, or hold U+0000, as UTF-16 without its mark does and what is no text at all
 */
export function* decodeText(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder(encodingOf(bytes), { fatal: true });
  for (let start = 0; start < bytes.length; start += PORTION) {
    yield decode(decoder, bytes.subarray(start, start + PORTION));
  }
  yield decode(decoder, new Uint8Array(), true);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function decode(decoder: TextDecoder, bytes: Uint8Array, isLast = false): string {
  const text = validText(decoder, bytes, isLast);
  if (text.includes('\0')) throw new NotText('there is U+0000 in it');
  return text;
}

function validText(decoder: TextDecoder, bytes: Uint8Array, isLast: boolean): string {
  try {
    return decoder.decode(bytes, { stream: !isLast });
  } catch (cause) {
    throw new NotText(`it is not ${decoder.encoding}`, { cause });
  }
}
