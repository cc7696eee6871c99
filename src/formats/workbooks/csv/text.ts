import { decodeText, NotText, type TextEncoding } from '../../../text/decode.ts';
import { atOnce, encodingOf } from '../../../text/encoding.ts';
import { UnreadableWorkbook } from '../workbook.ts';

/** The text of a file of separated values. */
export interface SeparatedText {
  readonly encoding: TextEncoding;
  /** In portions, which throw UnreadableWorkbook where the bytes are not in the encoding that their mark names. */
  readonly portions: Generator<string>;
}

/** Throws UnreadableWorkbook when the bytes are no text. */
export function textOf(bytes: Uint8Array): SeparatedText {
  const encoding = asWorkbook(() => atOnce(encodingOf(bytes)));
  return { encoding, portions: portionsOf(bytes, encoding) };
}

function* portionsOf(bytes: Uint8Array, encoding: TextEncoding): Generator<string> {
  const portions = decodeText(bytes, encoding);
  for (;;) {
    const { done, value } = asWorkbook(() => portions.next());
    if (done) return;
    yield value;
  }
}

function asWorkbook<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof NotText)) throw cause;
    const message =
      'it is neither an .xlsx workbook nor text in UTF-8, UTF-16, UTF-32 or Windows-1252; save it as one of them';
    throw new UnreadableWorkbook(message, { cause });
  }
}
