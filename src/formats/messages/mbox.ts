import { ByteWindow } from './byte-window.ts';
import { decodeText } from './charsets.ts';
import { MAX_MESSAGE_BYTES } from './limits.ts';
import { ExtentFinder } from './mbox-extent.ts';
import { unquoteFromLines } from './mbox-quoting.ts';
import { findSeparator, MAX_SEPARATOR, separatorAt } from './mbox-separator.ts';

/** What a mailbox file holds. `offset` is where it starts in the file, with its "From " line. */
export type MboxEntry = MboxMessage | MboxSkipped;

export interface MboxMessage {
  kind: 'message';
  /** The message as it was received: without the separator, the blank line after it, and From_ quoting. */
  raw: Uint8Array;
  /** The separator line, without its end; it names the envelope sender and the time of delivery. */
  fromLine: string;
  offset: number;
}

/** Bytes that were not read: a message over MAX_MESSAGE_BYTES, or what stands before the first separator. */
export interface MboxSkipped {
  kind: 'skipped';
  reason: 'too large' | 'no separator';
  /** Bytes. */
  size: number;
  offset: number;
}

/**
 * Splits a mailbox file of any of the mbox forms (mboxo, mboxrd, mboxcl, mboxcl2; LF or CR LF) as it comes.
 * Memory is bounded by the largest message that is read. A Content-Length is followed where the next separator
 * or the end of the file stands right where it leads. Rejects only with what the source rejects with.
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

/** Bytes kept while skipping, so that a separator is found that two chunks share. */
const OVERLAP = 16;

class MboxSplitter {
  #window = new ByteWindow();
  /** Where the window starts in the file. */
  #offset = 0;
  /** What the window starts with. */
  #state: 'file' | 'message' | 'skipped' = 'file';
  #extent: ExtentFinder | null = null;
  #skipped: MboxSkipped = { kind: 'skipped', reason: 'no separator', size: 0, offset: 0 };

  add(chunk: Uint8Array): void {
    this.#window.append(chunk);
  }

  /** The next entry that is complete, or null when there is none yet; `final` when nothing will be added. */
  next(final: boolean): MboxEntry | null {
    if (this.#state === 'file' && !this.#openFile(final)) return null;
    if (this.#window.bytes.length === 0) return null;
    return this.#state === 'message' ? this.#nextMessage(final) : this.#nextSkipped(final);
  }

  /** @returns false while it cannot be told what the file starts with */
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
    // The separator of the skipped message itself stands at 0.
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
