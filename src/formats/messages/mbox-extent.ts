import { MAX_HEAD_BYTES, MAX_MESSAGE_BYTES } from './limits.ts';
import {
  blankLineBefore,
  findSeparator,
  lineEndsAt,
  MAX_SEPARATOR,
  type Separator,
  separatorAfter,
  separatorAt,
} from './mbox-separator.ts';

/** The place of a message in bytes that start with its separator line. */
export interface Extent {
  end: number;
  /** Where the next separator starts, or the bytes end. */
  next: number;
  /** Whether lines that look like separators stand in it unquoted, so that none is quoted. */
  verbatim: boolean;
}

/** Finds where a message of a mailbox file ends, while its bytes come in. */
export class ExtentFinder {
  readonly separator: Separator;
  /** Up to here there is no further separator. */
  #scanned: number;
  /** Where the header line starts that is read next, and from where its end is looked for. */
  #line: number;
  #looked: number;
  /** Where Content-Length says that the message ends; null when it says nothing to be trusted. */
  #declared: number | null | undefined;

  /** @param bytes start with a whole separator line */
  constructor(bytes: Buffer) {
    const found = separatorAt(bytes, 0, true);
    if (found === null || found === 'unknown')
      throw new RangeError('the bytes do not start with a separator');
    this.separator = found;
    this.#scanned = found.end - 1;
    this.#line = found.end;
    this.#looked = found.end;
  }

  /** @param bytes all so far, from the separator on. @returns null when more are needed */
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

  /** undefined while the header section is not whole. */
  #declaredEnd(bytes: Buffer, final: boolean): number | null | undefined {
    const { end: start } = this.separator;
    const bodyStart = this.#bodyStart(bytes, final);
    if (typeof bodyStart !== 'number') return bodyStart;
    const head = bytes.toString('latin1', start, bodyStart);
    const length = Number(/^content-length:[ \t]*(\d{1,9})[ \t]*\r?$/im.exec(head)?.[1] ?? Number.NaN);
    return length <= MAX_MESSAGE_BYTES ? bodyStart + length : null;
  }

  /**
   * Looks at each line once, and at none behind the next separator: messages without a blank line would each be looked
   * through to the end of all of them. null where the header section is too long or not ended; undefined as above.
   */
  #bodyStart(bytes: Buffer, final: boolean): number | null | undefined {
    const most = this.separator.end + MAX_HEAD_BYTES;
    const window = bytes.subarray(0, most);
    for (;;) {
      const separator = separatorAfter(bytes, this.#line, final);
      if (separator === 'unknown') return undefined;
      if (separator !== null) return null;
      const lineFeed = window.indexOf(10, this.#looked);
      this.#looked = lineFeed < 0 ? window.length : lineFeed + 1;
      if (lineFeed < 0) return bytes.length < most && !final ? undefined : null;
      const isBlank = lineFeed === this.#line || (lineFeed === this.#line + 1 && bytes[this.#line] === 13);
      this.#line = lineFeed + 1;
      if (isBlank) return this.#line;
    }
  }

  /** Mailers edit messages and leave the old Content-Length: it counts only where a message does end there. */
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
