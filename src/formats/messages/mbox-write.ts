import { MAX_HEAD_BYTES } from './message.ts';

const LF = 10;
const GREATER = 62;

/**
 * Removes the quoting of lines that look like separators: one ">" from each line matching `^>+From ` (mboxrd). An
 * mboxo file does not quote lines that are already quoted. There ">From " is restored correctly, but a ">>From "
 * that a person wrote cannot be recognized.
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

/** The start of the line if only ">" precedes `at`; else -1. */
function quoteStart(message: Buffer, at: number): number {
  let start = at;
  while (start > 0 && message[start - 1] === GREATER) start--;
  return start === 0 || message[start - 1] === LF ? start : -1;
}

const FROM = Buffer.from('From ');

/**
 * The inverse of `unquoteFromLines`: adds a ">" to each line matching `^>*From ` (mboxrd). Returns the pieces in
 * order.
 */
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

/** A message to be written to a mailbox file. */
interface WrittenMessage {
  /** Unchanged, as received. */
  raw: Uint8Array;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** Header lines before the message, for readers of the file; without line ends. */
  notes: readonly string[];
}

/**
 * Formats a message as an entry of a mailbox file (mboxrd). The entry has a correct Content-Length before the
 * message, so that neither the message's own Content-Length nor its content can hide the next entry. Line ends
 * within the message stay unchanged.
 */
export function mboxEntry({ raw, receivedAt, notes }: WrittenMessage): Uint8Array[] {
  const message = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const quoted = quoteFromLines(message);
  const length = bodyLength(quoted);
  const head = [separator(receivedAt), ...notes, `Content-Length: ${length}`];
  // A blank line must follow, also after a message whose last line has no end.
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

/** Bytes after the header section; 0 for a message without a body. */
function bodyLength(quoted: readonly Buffer[]): number {
  const total = quoted.reduce((sum, { length }) => sum + length, 0);
  // The "\n" stands for the end of the last notes line before the message.
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
