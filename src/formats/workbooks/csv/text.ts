import { decodeText, NotText } from '../../../text/decode.ts';
import { UnreadableWorkbook } from '../workbook.ts';

/**
 * The text of a file of separated values, in portions.
 * @throws UnreadableWorkbook when the bytes are no text
 */
export function* textOf(bytes: Uint8Array): Generator<string> {
  try {
    yield* decodeText(bytes);
  } catch (cause) {
    if (!(cause instanceof NotText)) throw cause;
    const message = 'it is neither an .xlsx workbook nor text in UTF-8; save it as one of them';
    throw new UnreadableWorkbook(message, { cause });
  }
}
