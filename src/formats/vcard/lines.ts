import { MAX_LINE } from './limits.ts';

/**
 * The lines of a file as one character a byte, unfolded: RFC 6350, 3.2 folds between octets, so only a whole line can
 * be decoded. A line of more than MAX_LINE bytes is cut after one byte more. Blank lines are left out.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let line: LogicalLine | undefined;
  for await (const physical of physicalLines(chunks)) {
    if (line?.takes(physical)) continue;
    if (line) yield line.text();
    line = physical === '' ? undefined : new LogicalLine(physical);
  }
  if (line) yield line.text();
}

/** RFC 6350 ends lines with CRLF; files of other systems end them with either. */
async function* physicalLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let open = '';
  let afterReturn = false;
  for await (const chunk of chunks) {
    const text = latin1(chunk);
    let start = afterReturn && text.startsWith('\n') ? 1 : 0;
    const ends = text.slice(start).matchAll(/\r\n?|\n/g);
    for (const end of offsets(ends, start)) {
      yield cut(open + text.slice(start, end.at));
      open = '';
      start = end.after;
    }
    open = cut(open + text.slice(start));
    afterReturn = text.endsWith('\r');
  }
  if (open !== '') yield open;
}

function* offsets(ends: Iterable<RegExpExecArray>, start: number): Generator<{ at: number; after: number }> {
  for (const { index, 0: end } of ends) yield { at: start + index, after: start + index + end.length };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

function cut(line: string): string {
  return line.length > MAX_LINE ? line.slice(0, MAX_LINE + 1) : line;
}

/** A line that others may continue. */
class LogicalLine {
  readonly #isQuotedPrintable: boolean;
  readonly #parts: string[];
  #length: number;

  constructor(first: string) {
    this.#isQuotedPrintable = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i.test(first);
    this.#parts = [first];
    this.#length = first.length;
  }

  /** Whether a line continues this one; then it is part of it from now on. */
  takes(line: string): boolean {
    // vCard 2.1: a line of quoted-printable that ends with "=" goes on in the next, whatever that begins with.
    if (this.#isQuotedPrintable && this.#parts.at(-1)?.endsWith('=')) {
      this.#parts.push(this.#parts.pop()?.slice(0, -1) ?? '');
      this.#add(line);
      return true;
    }
    if (!line.startsWith(' ') && !line.startsWith('\t')) return false;
    this.#add(line.slice(1));
    return true;
  }

  text(): string {
    return cut(this.#parts.join(''));
  }

  #add(part: string): void {
    if (this.#length > MAX_LINE) return;
    this.#parts.push(part);
    this.#length += part.length;
  }
}
