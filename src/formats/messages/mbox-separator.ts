const LF = 10;
const CR = 13;

/** Longest line that is taken for a separator. */
export const MAX_SEPARATOR = 2000;

/**
 * "From sender date": RFC 4155 with what mailers write instead, senders with spaces, other date forms, zones;
 * Mozilla writes "From -" with or without a date. A sentence that starts with "From" has no month and time.
 */
function isSeparator(line: string): boolean {
  const sender = line.slice('From '.length);
  if (sender === '' || sender === '-') return true;
  if (sender.startsWith(' ')) return false;
  const month = MONTH.exec(sender);
  return month !== null && TIME.test(sender.slice(month.index + month[0].length));
}

/** Not at the beginning, where the sender stands. */
const MONTH = /(?<=.)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b/i;
const TIME = /\b\d{1,2}:\d{2}\b/;

export interface Separator {
  /** Where the line starts, and where the one after it starts. */
  start: number;
  end: number;
  line: string;
}

/** The separator line at `start`, if there is one; "unknown" when its end is not there yet. */
export function separatorAt(bytes: Buffer, start: number, final: boolean): Separator | 'unknown' | null {
  const head = bytes.toString('latin1', start, start + 5);
  if (head !== 'From '.slice(0, head.length)) return null;
  const lineFeed = bytes.subarray(start, start + MAX_SEPARATOR).indexOf(LF);
  if (lineFeed < 0 && bytes.length - start < MAX_SEPARATOR && !final) return 'unknown';
  const end = lineFeed < 0 ? Math.min(bytes.length, start + MAX_SEPARATOR) : start + lineFeed + 1;
  const line = bytes.toString('latin1', start, end).trimEnd();
  return isSeparator(line) ? { start, end, line } : null;
}

/**
 * The first separator at or after `from`: "From " separates only after a blank line. Mozilla leaves that out
 * after a message without a last line end, but quotes every such line: there a header field must follow.
 */
export function findSeparator(bytes: Buffer, from: number, final: boolean): Separator | 'unknown' | null {
  for (let at = bytes.indexOf('\nFrom ', from); at >= 0; at = bytes.indexOf('\nFrom ', at + 1)) {
    const found = separatorAfter(bytes, at + 1, final);
    if (found !== null) return found;
  }
  return null;
}

/** The separator line at `start`, if what stands before and behind it lets it separate. */
export function separatorAfter(bytes: Buffer, start: number, final: boolean): Separator | 'unknown' | null {
  const found = separatorAt(bytes, start, final);
  if (found === null || found === 'unknown') return found;
  if (blankLineBefore(bytes, found.start) > 0) return found;
  if (!found.line.startsWith('From -')) return null;
  if (bytes.length - found.end < FIELD_WINDOW && !final) return 'unknown';
  return FIELD.test(bytes.toString('latin1', found.end, found.end + FIELD_WINDOW)) ? found : null;
}

const FIELD = /^[!-9;-~]+:/;
const FIELD_WINDOW = 100;

/** The length of the blank line that ends at `start`; 0 when there is none. */
export function blankLineBefore(bytes: Buffer, start: number): number {
  if (bytes[start - 1] !== LF) return 0;
  if (bytes[start - 2] === LF) return 1;
  return bytes[start - 2] === CR && bytes[start - 3] === LF ? 2 : 0;
}

/** How many bytes of line ends stand at `at`, at most two line ends. */
export function lineEndsAt(bytes: Buffer, at: number): number {
  let end = at;
  for (let count = 0; count < 2; count++) {
    if (bytes[end] === CR && bytes[end + 1] === LF) end += 2;
    else if (bytes[end] === LF) end += 1;
  }
  return end - at;
}
