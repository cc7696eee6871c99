import { UnreadableWorkbook } from '../workbook.ts';

/** Bytes that are decoded together. */
const PORTION = 64 * 1024;

/**
 * The text of a file, in portions: UTF-8, or with a byte-order mark UTF-16.
 * @throws UnreadableWorkbook when the bytes are no such text
 */
export function* decodeText(bytes: Uint8Array): Generator<string> {
  const encoding = encodingOf(bytes);
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (let start = 0; start < bytes.length; start += PORTION) {
    yield refuseNul(decode(decoder, bytes.subarray(start, start + PORTION), encoding));
  }
  yield refuseNul(decode(decoder, new Uint8Array(), encoding, true));
}

function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function decode(decoder: TextDecoder, bytes: Uint8Array, encoding: string, isLast = false): string {
  try {
    return decoder.decode(bytes, { stream: !isLast });
  } catch (cause) {
    const name = encoding.toUpperCase();
    throw new UnreadableWorkbook(`it is not text in ${name}; save it in UTF-8`, { cause });
  }
}

/** Text has none, but UTF-16 without its mark has, and so has what is no text at all. */
function refuseNul(text: string): string {
  if (!text.includes('\0')) return text;
  throw new UnreadableWorkbook('it is neither an .xlsx workbook nor text in UTF-8; save it as one of them');
}
