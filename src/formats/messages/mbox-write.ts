import { MAX_HEAD_BYTES } from './message.ts';

const LF = 10;
const GREATER = 62;

/**
 * Undoes what writing to a mailbox file did to lines that look like separators: of each line matching
 * `^>+From ` one ">" goes (mboxrd). In an mboxo file, which does not quote quoted lines, the same is right for
 * ">From "; that ">>From " was written there by a person cannot be told.
 */
export function unquoteFromLines(message: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let done = 0;
  for (let at = message.indexOf('>From '); at >= 0; at = message.indexOf('>From ', at + 1)) {
    const start = quoteStart(message, at);
    if (start < 0) continue;
    pieces.push(message.subarray(done, start));
    done = start + 1;
  }
  return done === 0 ? message : Buffer.concat([...pieces, message.subarray(done)]);
}

/** Where the line starts, if it holds nothing but ">" up to here; else -1. */
function quoteStart(message: Buffer, at: number): number {
  let start = at;
  while (start > 0 && message[start - 1] === GREATER) start--;
  return start === 0 || message[start - 1] === LF ? start : -1;
}

const FROM = Buffer.from('From ');

/** What `unquoteFromLines` undoes: each line matching `^>*From ` gets one more ">" (mboxrd). The pieces, in order. */
function quoteFromLines(message: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let done = 0;
  for (let at = message.indexOf(FROM); at >= 0; at = message.indexOf(FROM, at + 1)) {
    const start = quoteStart(message, at);
    if (start < 0) continue;
    pieces.push(message.subarray(done, start), Buffer.of(GREATER));
    done = start;
  }
  return [...pieces, message.subarray(done)];
}

/** A message on its way into a mailbox file. */
interface WrittenMessage {
  /** Byte for byte as it was received. */
  raw: Uint8Array;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** Header lines for readers of the file that stand before the message, each without its end. */
  notes: readonly string[];
}

/**
 * A message as an entry of a mailbox file (mboxrd). Its Content-Length is right, so that neither one that the message
 * brought along nor anything in it can hide the next entry. Line ends within the message stay as they are.
 */
export function mboxEntry({ raw, receivedAt, notes }: WrittenMessage): Uint8Array[] {
  const message = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const quoted = quoteFromLines(message);
  const length = bodyLength(quoted);
  const head = [separator(receivedAt), ...notes, `Content-Length: ${length}`];
  // A blank line has to follow, also after a message whose last line has no end.
  const end = message.at(-1) === LF ? '\n' : '\n\n';
  return [Buffer.from(`${head.join('\n')}\n`), ...quoted, Buffer.from(end)];
}

/** RFC 4155, appendix A: "a timestamp indicating the UTC date and time when the message was originally received". */
function separator(receivedAt: number): string {
  const [day = '', date = '', month = '', year = '', time = ''] = new Date(receivedAt)
    .toUTCString()
    .split(/,? /);
  return `From MAILER-DAEMON ${day} ${month} ${date} ${time} ${year}`;
}

/** Bytes after the header section; 0 for a message that has nothing else. */
function bodyLength(quoted: readonly Buffer[]): number {
  const total = quoted.reduce((sum, { length }) => sum + length, 0);
  // The line before is the last of the notes.
  const head = `\n${headOf(quoted).toString('latin1')}`;
  const blank = /\n\r?\n/.exec(head);
  return blank ? total - (blank.index + blank[0].length - 1) : 0;
}

function headOf(quoted: readonly Buffer[]): Buffer {
  const pieces: Buffer[] = [];
  let left = MAX_HEAD_BYTES;
  for (const piece of quoted) {
    pieces.push(piece.subarray(0, left));
    left -= piece.length;
    if (left <= 0) break;
  }
  return Buffer.concat(pieces);
}
