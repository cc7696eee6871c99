import { isUtf8 } from 'node:buffer';
import { decodeText, NotText, type TextEncoding } from '../../text/decode.ts';
import { atOnce, encodingOf } from '../../text/encoding.ts';
import { decodeText as decodeCharset } from '../messages/charsets.ts';
import { UnreadableContent } from './extracted-texts.ts';

/** Bytes in which a file declares its encoding. */
const DECLARATION_WINDOW = 2_048;

/** Of undecoded bytes and characters outside ASCII, most undecoded ones of damaged UTF-8: one in so many. */
const DAMAGED_ONE_IN = 5;

/** Most undecoded bytes of a text: one in so many characters. */
const UNDECODED_ONE_IN = 10;

/**
 * The text of a file that is said to be text: by its byte-order mark; as UTF-8 where it is valid; by the encoding
 * that an XML or HTML document declares; by zero bytes as UTF-16 or UTF-32; as UTF-8 where little is damaged; as
 * Windows-1252. Linear in the size. With `keepsMark`, UTF-8 is decoded to the byte, with its byte-order mark.
 * @throws UnreadableContent when it is in none of these encodings
 */
export function decodeFile(bytes: Uint8Array, { keepsMark = false } = {}): string {
  if (isUtf8(bytes)) return new TextDecoder('utf-8', { ignoreBOM: keepsMark }).decode(bytes);
  const declared = declaredEncoding(bytes);
  if (declared !== undefined) return decodeCharset(bytes, declared);
  const encoding = certainEncoding(bytes);
  if (encoding !== undefined && encoding !== 'windows-1252') return decodeIn(bytes, encoding);
  const lenient = new TextDecoder().decode(bytes);
  const undecoded = lenient.match(/\ufffd/g)?.length ?? 0;
  const others = lenient.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0;
  if (undecoded * DAMAGED_ONE_IN <= undecoded + others) return lenient;
  if (encoding !== undefined) return decodeIn(bytes, encoding);
  if (undecoded * UNDECODED_ONE_IN <= lenient.length) return lenient;
  throw new UnreadableContent('it is text in no encoding that is read');
}

function certainEncoding(bytes: Uint8Array): TextEncoding | undefined {
  try {
    return atOnce(encodingOf(bytes));
  } catch (error) {
    if (error instanceof NotText) return undefined;
    throw error;
  }
}

function decodeIn(bytes: Uint8Array, encoding: TextEncoding): string {
  try {
    return [...decodeText(bytes, encoding)].join('');
  } catch (cause) {
    if (!(cause instanceof NotText)) throw cause;
    throw new UnreadableContent(`it is damaged text in ${encoding}`, { cause });
  }
}

/** A declaration that can be read byte by byte rules out UTF-16 and UTF-32, whatever it declares. */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, DECLARATION_WINDOW)).toString('latin1');
  const declared =
    /^<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(start)?.[1] ??
    /<meta\b[^<>]*?charset\s*=\s*["']?([\w:.-]+)/i.exec(start)?.[1];
  return declared === undefined || /^utf/i.test(declared) ? undefined : declared;
}
