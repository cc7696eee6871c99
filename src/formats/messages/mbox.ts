import { decodeText } from './charsets.ts';
import { unquoteFromLines } from './mbox-write.ts';
import { MAX_HEAD_BYTES, MAX_MESSAGE_BYTES } from './message.ts';

const LF = 10;
const CR = 13;

/** A longer line is no separator. */
const MAX_SEPARATOR = 2000;

/**
 * "From sender date" of RFC 4155, and its variants in practice: senders with spaces, other date forms, zones, and
 * "From -" of Mozilla with or without a date. A sentence that starts with "From" has no month and time.
 */
function isSeparatorLine(line: string): boolean {
  const sender = line.slice('From '.length);
  if (sender === '' || sender === '-') return true;
  if (sender.startsWith(' ')) return false;
  const month = MONTH.exec(sender);
  return month !== null && TIME.test(sender.slice(month.index + month[0].length));
}

/** Not at the start, which is the sender. */
const MONTH = /(?<=.)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b/i;
const TIME = /\b\d{1,2}:\d{2}\b/;

interface Separator {
  /** The offsets of the line and of the line after it. */
  start: number;
  end: number;
  line: string;
}

/** The separator line at `start`, or null; "unknown" while the end of the line is missing. */
function separatorAt(bytes: Buffer, start: number, final: boolean): Separator | 'unknown' | null {
  const head = bytes.toString('latin1', start, start + 5);
  if (head !== 'From '.slice(0, head.length)) return null;
  const lineFeed = bytes.subarray(start, start + MAX_SEPARATOR).indexOf(LF);
  if (lineFeed < 0 && bytes.length - start < MAX_SEPARATOR && !final) return 'unknown';
  const end = lineFeed < 0 ? Math.min(bytes.length, start + MAX_SEPARATOR) : start + lineFeed + 1;
  const line = bytes.toString('latin1', start, end).trimEnd();
  return isSeparatorLine(line) ? { start, end, line } : null;
}

/**
 * The first separator at or after `from`. A "From " line separates only after a blank line. Mozilla omits the
 * blank line after a message without a final line end, but quotes all other such lines: there a header field must
 * follow.
 */
function findSeparator(bytes: Buffer, from: number, final: boolean): Separator | 'unknown' | null {
  for (let at = bytes.indexOf('\nFrom ', from); at >= 0; at = bytes.indexOf('\nFrom ', at + 1)) {
    const found = separatorAfter(bytes, at + 1, final);
    if (found !== null) return found;
  }
  return null;
}

/** The line at `start` if it is a separator in its context. */
function separatorAfter(bytes: Buffer, start: number, final: boolean): Separator | 'unknown' | null {
  const found = separatorAt(bytes, start, final);
  if (found === null || found === 'unknown') return found;
  if (blankLineBefore(bytes, found.start) > 0) return found;
  if (!found.line.startsWith('From -')) return null;
  if (bytes.length - found.end < FIELD_WINDOW && !final) return 'unknown';
  return FIELD.test(bytes.toString('latin1', found.end, found.end + FIELD_WINDOW)) ? found : null;
}

const FIELD = /^[!-9;-~]+:/;
const FIELD_WINDOW = 100;

/** The length of the blank line that ends at `start`; 0 without one. */
function blankLineBefore(bytes: Buffer, start: number): number {
  if (bytes[start - 1] !== LF) return 0;
  if (bytes[start - 2] === LF) return 1;
  return bytes[start - 2] === CR && bytes[start - 3] === LF ? 2 : 0;
}

/** The length of the line ends at `at`, at most two. */
function lineEndsAt(bytes: Buffer, at: number): number {
  let end = at;
  for (let count = 0; count < 2; count++) {
    if (bytes[end] === CR && bytes[end + 1] === LF) end += 2;
    else if (bytes[end] === LF) end += 1;
  }
  return end - at;
}

/** An entry of a mailbox file. `offset` is the offset of its "From " line in the file. */
export type MboxEntry = MboxMessage | MboxSkipped;

interface MboxMessage {
  kind: 'message';
  /** The message as received: without the separator, the blank line after it, and From_ quoting. */
  raw: Uint8Array;
  /** The separator line without its end. It holds the envelope sender and the time of delivery. */
  fromLine: string;
  offset: number;
}

/** Skipped bytes: a message over MAX_MESSAGE_BYTES, or the content before the first separator. */
interface MboxSkipped {
  kind: 'skipped';
  reason: 'too large' | 'no separator';
  /** In bytes. */
  size: number;
  offset: number;
}

/**
 * Splits a mailbox file of any mbox form (mboxo, mboxrd, mboxcl, mboxcl2; LF or CR LF) while it is read. The
 * largest accepted message bounds the memory. Uses a Content-Length only when it leads exactly to the next
 * separator or the end of the file. Rejects only with the error of the source.
 */
export async function* splitMbox(source: AsyncIterable<Uint8Array>): AsyncGenerator<MboxEntry> {
  const splitter = new MboxSplitter();
  for await (const chunk of source) {
    splitter.add(chunk);
    for (let entry = splitter.next(false); entry; entry = splitter.next(false)) yield entry;
  }
  for (let entry = splitter.next(true); entry; entry = splitter.next(true)) yield entry;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Bytes held while skipping, to find a separator that two chunks share. */
const OVERLAP = 16;

class MboxSplitter {
  #window = new ByteWindow();
  /** The offset of the window in the file. */
  #offset = 0;
  /** The kind of content at the start of the window. */
  #state: 'file' | 'message' | 'skipped' = 'file';
  #extent: ExtentFinder | null = null;
  #skipped: MboxSkipped = { kind: 'skipped', reason: 'no separator', size: 0, offset: 0 };

  add(chunk: Uint8Array): void {
    this.#window.append(chunk);
  }

  /** The next complete entry; null without one yet. `final`: no bytes will be added. */
  next(final: boolean): MboxEntry | null {
    if (this.#state === 'file' && !this.#openFile(final)) return null;
    if (this.#window.bytes.length === 0) return null;
    return this.#state === 'message' ? this.#nextMessage(final) : this.#nextSkipped(final);
  }

  /** @returns false while the start of the file cannot be classified */
  #openFile(final: boolean): boolean {
    const bytes = this.#window.bytes;
    if (bytes.length < MAX_SEPARATOR && !final) return false;
    let start = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    while (bytes[start] === 10 || bytes[start] === 13) start++;
    this.#drop(start);
    if (separatorAt(this.#window.bytes, 0, true)) this.#state = 'message';
    else this.#startSkipping('no separator');
    return true;
  }

  #nextMessage(final: boolean): MboxEntry | null {
    this.#extent ??= new ExtentFinder(this.#window.bytes);
    const { separator } = this.#extent;
    const found = this.#extent.find(this.#window.bytes, final);
    const size = (found?.end ?? this.#window.bytes.length) - separator.end;
    if (size > MAX_MESSAGE_BYTES) {
      this.#startSkipping('too large');
      return this.#nextSkipped(final);
    }
    if (!found) return null;
    const stored = Buffer.from(this.#window.bytes.subarray(separator.end, found.end));
    const raw = found.verbatim ? stored : unquoteFromLines(stored);
    const fromLine = decodeText(Buffer.from(separator.line, 'latin1'));
    const entry: MboxMessage = { kind: 'message', raw, fromLine, offset: this.#offset };
    this.#drop(found.next);
    return entry;
  }

  #startSkipping(reason: MboxSkipped['reason']): void {
    this.#state = 'skipped';
    this.#extent = null;
    this.#skipped = { kind: 'skipped', reason, size: 0, offset: this.#offset };
  }

  #nextSkipped(final: boolean): MboxEntry | null {
    const { bytes } = this.#window;
    // The separator of the skipped message itself is at 0.
    const found = findSeparator(bytes, 0, final);
    if (found === 'unknown') return null;
    const end = found?.start ?? (final ? bytes.length : Math.max(0, bytes.length - OVERLAP));
    this.#skipped.size += end;
    this.#drop(end);
    if (!found && !final) return null;
    this.#state = 'message';
    return this.#skipped;
  }

  #drop(count: number): void {
    this.#window.drop(count);
    this.#offset += count;
    this.#extent = null;
  }
}

/** The bytes of a stream still in use: appended at the end, dropped at the start, in linear time. */
class ByteWindow {
  #buffer: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  /** A view, valid until the next append. */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  append(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#buffer.length) this.#makeRoom(chunk.length);
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  drop(count: number): void {
    this.#start += count;
  }

  #makeRoom(size: number): void {
    const bytes = this.bytes;
    const room = Buffer.allocUnsafe(Math.max(64 * 1024, 2 * (bytes.length + size)));
    bytes.copy(room);
    this.#buffer = room;
    this.#start = 0;
    this.#end = bytes.length;
  }
}

/** The extent of a message, as offsets in bytes that start with its separator line. */
interface Extent {
  end: number;
  /** The offset of the next separator, or of the end. */
  next: number;
  /** Whether the message contains unquoted separator lines, so that its lines are not quoted at all. */
  verbatim: boolean;
}

/** Finds the end of a message of a mailbox file while its bytes arrive. */
class ExtentFinder {
  readonly separator: Separator;
  /** No further separator lies before this offset. */
  #scanned: number;
  /** The offset of the next header line, and the offset to search for its end from. */
  #line: number;
  #searched: number;
  /** The end of the message by its Content-Length; null without a trustworthy one. */
  #declared: number | null | undefined;

  /** @param bytes start with a complete separator line */
  constructor(bytes: Buffer) {
    const found = separatorAt(bytes, 0, true);
    if (found === null || found === 'unknown')
      throw new RangeError('the bytes do not start with a separator');
    this.separator = found;
    this.#scanned = found.end - 1;
    this.#line = found.end;
    this.#searched = found.end;
  }

  /** @param bytes all bytes so far, from the separator on. @returns null when more are needed */
  find(bytes: Buffer, final: boolean): Extent | null {
    if (this.#declared === undefined) this.#declared = this.#declaredEnd(bytes, final);
    if (this.#declared === undefined) return null;
    if (this.#declared !== null) {
      if (bytes.length < this.#declared + MAX_SEPARATOR && !final) return null;
      const extent = this.#confirm(bytes, this.#declared);
      if (extent) return extent;
      this.#declared = null;
    }
    return this.#search(bytes, final);
  }

  /** undefined while the header section is incomplete. */
  #declaredEnd(bytes: Buffer, final: boolean): number | null | undefined {
    const { end: start } = this.separator;
    const bodyStart = this.#bodyStart(bytes, final);
    if (typeof bodyStart !== 'number') return bodyStart;
    const head = bytes.toString('latin1', start, bodyStart);
    const length = Number(/^content-length:[ \t]*(\d{1,9})[ \t]*\r?$/im.exec(head)?.[1] ?? Number.NaN);
    return length <= MAX_MESSAGE_BYTES ? bodyStart + length : null;
  }

  /**
   * Reads each line once and stops at the next separator: otherwise messages without a blank line would be scanned
   * to the end of the file, each. null when the header section is too long or does not end; undefined while it is
   * incomplete.
   */
  #bodyStart(bytes: Buffer, final: boolean): number | null | undefined {
    const most = this.separator.end + MAX_HEAD_BYTES;
    const window = bytes.subarray(0, most);
    for (;;) {
      const separator = separatorAfter(bytes, this.#line, final);
      if (separator === 'unknown') return undefined;
      if (separator !== null) return null;
      const lineFeed = window.indexOf(10, this.#searched);
      this.#searched = lineFeed < 0 ? window.length : lineFeed + 1;
      if (lineFeed < 0) return bytes.length < most && !final ? undefined : null;
      const isBlank = lineFeed === this.#line || (lineFeed === this.#line + 1 && bytes[this.#line] === 13);
      this.#line = lineFeed + 1;
      if (isBlank) return this.#line;
    }
  }

  /** Mailers edit messages and leave the old Content-Length. It counts only when the message really ends there. */
  #confirm(bytes: Buffer, end: number): Extent | null {
    const next = end + lineEndsAt(bytes, end);
    const atEnd = end <= bytes.length && next === bytes.length;
    const atSeparator = bytes[next - 1] === 10 && isSeparator(separatorAt(bytes, next, true));
    if (!atEnd && !atSeparator) return null;
    const inside = findSeparator(bytes.subarray(0, end), this.separator.end, true);
    return { end, next, verbatim: isSeparator(inside) };
  }

  #search(bytes: Buffer, final: boolean): Extent | null {
    const found = findSeparator(bytes, this.#scanned, final);
    if (found === 'unknown') return null;
    if (found)
      return { end: found.start - blankLineBefore(bytes, found.start), next: found.start, verbatim: false };
    this.#scanned = Math.max(this.separator.end - 1, bytes.length - 'From '.length - 1);
    if (!final) return null;
    return { end: bytes.length - blankLineBefore(bytes, bytes.length), next: bytes.length, verbatim: false };
  }
}

function isSeparator(found: Separator | 'unknown' | null): boolean {
  return found !== null && found !== 'unknown';
}
