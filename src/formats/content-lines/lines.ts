import { MAX_LINE } from './limits.ts';

/**
 * Takes the lines of a file apart as its bytes arrive: as one character a byte, unfolded, because RFC 6350, 3.2 folds
 * between octets, so that only a whole line can be decoded. A line of more than MAX_LINE bytes is cut after one byte
 * more. Blank lines are left out.
 */
export class LineReader {
  /** The beginning of a physical line whose end has not come yet. */
  #open = '';
  #afterReturn = false;
  #line: LogicalLine | undefined;
  /** Physical lines so far. */
  #count = 0;
  #lineNumber = 0;

  /** Where the line that was answered last begins in the file, from 1. */
  get lineNumber(): number {
    return this.#lineNumber;
  }

  /** The lines that end with what is in these bytes. */
  *read(bytes: Uint8Array): Generator<string> {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    let start = this.#afterReturn && text.startsWith('\n') ? 1 : 0;
    // RFC 6350 ends lines with CRLF; files of other systems end them with either.
    const ends = /\r\n?|\n/g;
    ends.lastIndex = start;
    for (let end = ends.exec(text); end; end = ends.exec(text)) {
      yield* this.#take(this.#open + text.slice(start, end.index));
      this.#open = '';
      start = ends.lastIndex;
    }
    this.#open = cut(this.#open + text.slice(start));
    this.#afterReturn = text === '' ? this.#afterReturn : text.endsWith('\r');
  }

  /** The line that ends with the file. */
  *end(): Generator<string> {
    yield* this.#take(this.#open);
    yield* this.#take('');
  }

  *#take(physical: string): Generator<string> {
    this.#count++;
    if (this.#line?.takes(physical)) return;
    if (this.#line) {
      this.#lineNumber = this.#line.number;
      yield this.#line.text();
    }
    this.#line = physical === '' ? undefined : new LogicalLine(physical, this.#count);
  }
}

function cut(line: string): string {
  return line.length > MAX_LINE ? line.slice(0, MAX_LINE + 1) : line;
}

/** A line that others may continue. */
class LogicalLine {
  readonly number: number;
  readonly #isQuotedPrintable: boolean;
  readonly #parts: string[];
  #length: number;

  constructor(first: string, number: number) {
    this.number = number;
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
    return cut(this.#parts.length === 1 ? (this.#parts[0] ?? '') : this.#parts.join(''));
  }

  #add(part: string): void {
    if (this.#length > MAX_LINE) return;
    this.#parts.push(part);
    this.#length += part.length;
  }
}
