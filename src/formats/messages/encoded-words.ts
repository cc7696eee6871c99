import { decodeText } from './charsets.ts';
import { oneLine, trimBlanks } from './message.ts';
import { decodeQuotedPrintable } from './transfer-encodings.ts';

interface EncodedWord {
  charset: string;
  bytes: Buffer;
  /** The offset behind the word in the raw value. */
  end: number;
}

/** Printable ASCII without spaces at its ends. */
const PLAIN = /^(?! )[ -~]*(?<! )$/;

/**
 * Decodes a raw header value (one character for each byte) to one line of text. Decodes RFC 2047 encoded words
 * everywhere, also within quotes and next to other text: common mailers write them there, and common readers
 * decode them.
 */
export function decodeHeader(raw: string): string {
  const hasWords = raw.includes('=?');
  if (!hasWords && PLAIN.test(raw)) return raw;
  return oneLine(hasWords ? decodeWords(raw) : decodeBytes(raw));
}

/** The same without encoded words: what looks like one is text. */
export function decodePlainHeader(raw: string): string {
  return PLAIN.test(raw) ? raw : oneLine(decodeBytes(raw));
}

/** Decodes the bytes of a raw value: UTF-8 by RFC 6532; older mail uses any charset. */
function decodeBytes(raw: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ESC opens ISO-2022-JP
  return /[\x80-\xff\x1b]/.test(raw) ? decodeText(Buffer.from(raw, 'latin1')) : raw;
}

function decodeWords(raw: string): string {
  const lastClose = raw.lastIndexOf('?=');
  const pieces: string[] = [];
  let run: EncodedWord[] = [];
  let done = 0;
  for (
    let at = raw.indexOf('=?');
    at >= 0 && at < lastClose;
    at = raw.indexOf('=?', Math.max(done, at + 2))
  ) {
    const word = readWord(raw, at);
    if (!word) continue;
    const between = raw.slice(done, at);
    // RFC 2047 6.2: white space between adjacent encoded words is not shown.
    if (run.length === 0 || trimBlanks(between) !== '') {
      pieces.push(decodeRun(run), decodeBytes(between));
      run = [];
    }
    run.push(word);
    done = word.end;
  }
  pieces.push(decodeRun(run), decodeBytes(raw.slice(done)));
  return pieces.join('');
}

const WORD_HEAD = /=\?([^? ]{1,80})\?([QqBb])\?/y;

function readWord(raw: string, at: number): EncodedWord | null {
  WORD_HEAD.lastIndex = at;
  const head = WORD_HEAD.exec(raw);
  if (!head) return null;
  const start = WORD_HEAD.lastIndex;
  const close = raw.indexOf('?=', start);
  if (close < 0) return null;
  const [, charset = '', encoding = ''] = head;
  const content = raw.slice(start, close);
  const bytes = /b/i.test(encoding) ? Buffer.from(content, 'base64') : decodeQ(content);
  return { charset, bytes, end: close + 2 };
}

/** RFC 2047 4.2: quoted-printable in which "_" is a space. */
function decodeQ(content: string): Buffer {
  return decodeQuotedPrintable(Buffer.from(content.replaceAll('_', '=20'), 'latin1'));
}

/** Adjacent words of one charset are decoded together: many mailers split a character between two words. */
function decodeRun(run: EncodedWord[]): string {
  let text = '';
  for (let i = 0; i < run.length; ) {
    const charset = run[i]?.charset ?? '';
    const same: Buffer[] = [];
    for (; run[i]?.charset === charset; i++) same.push(run[i]?.bytes ?? Buffer.alloc(0));
    text += decodeText(Buffer.concat(same), charset);
  }
  return text;
}
