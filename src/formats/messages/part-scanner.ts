import { HeaderSection } from './header-section.ts';
import { MAX_FIELD_BYTES, MAX_PARTS } from './message.ts';
import { makePart, type Part } from './part.ts';

/** Receives the entities of a message in order. */
export interface PartSink {
  /** A header section is complete; the entity lies within the multiparts that are open. */
  open(part: Part): void;
  /** Bytes of a leaf's body, not decoded, or of the preamble of a multipart. */
  data(part: Part, bytes: Uint8Array): void;
  close(part: Part): void;
}

interface OpenMultipart {
  part: Part;
  boundary: string;
  children: number;
}

interface Delimiter {
  /** The index among the open multiparts. */
  index: number;
  closes: boolean;
}

type State = 'head' | 'long line' | 'body' | 'past limit';

const LF = 10;
const CR = 13;
const DASH = 45;
const DELIMITER_START = Buffer.from('\n--');

/** RFC 2046 5.1.1 allows 70 characters; a longer line than this is no delimiter. */
const MAX_DELIMITER_LINE = 20_000;

/**
 * Finds the entities of a message in its bytes as they arrive, without holding them (RFC 2046 5.1). Never throws;
 * the limits bound memory and time for any bytes. Call push for each piece, then end.
 */
export class PartScanner {
  /** True when a limit hid something. */
  truncated = false;
  #sink: PartSink;
  #state: State = 'head';
  #head = new HeaderSection();
  #open: OpenMultipart[] = [];
  /** The entity whose body is being read; null in an epilogue. */
  #current: Part | null = null;
  #parts = 0;
  /** 1 for each byte that starts a boundary of this message. */
  #firstBytes = new Uint8Array(256);
  #rest: Buffer = Buffer.alloc(0);
  #starved = false;
  /** Whether the body offset is the start of a line. */
  #lineStart = true;

  constructor(sink: PartSink) {
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    this.#scan(this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes, false);
  }

  end(): void {
    this.#scan(this.#rest, true);
    while (this.#state === 'head' || this.#state === 'long line') this.#startBody(this.#head.end());
    this.#closeTo(0);
  }

  #scan(bytes: Buffer, final: boolean): void {
    let at = 0;
    this.#starved = false;
    while (at < bytes.length && !this.#starved) at = this.#step(bytes, at, final);
    // A copy, so that a few remaining bytes do not retain a large piece in memory.
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  /** Reads on from `at`; sets starved when it needs more bytes. @returns the next offset */
  #step(bytes: Buffer, at: number, final: boolean): number {
    switch (this.#state) {
      case 'head':
        return this.#stepHead(bytes, at, final);
      case 'long line':
        return this.#skipLine(bytes, at);
      case 'body':
        return this.#stepBody(bytes, at, final);
      case 'past limit':
        return bytes.length;
    }
  }

  #stepHead(bytes: Buffer, at: number, final: boolean): number {
    const end = lineEnd(bytes, at, final);
    if (end < 0 && bytes.length - at <= MAX_FIELD_BYTES) return this.#starve(at);
    if (end < 0 || end - at > MAX_FIELD_BYTES) return this.#cutLine(bytes, at);
    this.#takeHeadLine(bytes.toString('latin1', at, end));
    return end;
  }

  #takeHeadLine(line: string): void {
    const delimiter = this.#delimiterIn(line);
    if (delimiter) {
      this.#startBody(this.#head.end());
      this.#passDelimiter(delimiter);
      return;
    }
    const body = this.#head.push(line);
    if (body !== null) this.#startBody(body);
  }

  #cutLine(bytes: Buffer, at: number): number {
    const end = at + MAX_FIELD_BYTES;
    this.truncated = true;
    this.#state = 'long line';
    this.#takeHeadLine(bytes.toString('latin1', at, end));
    return end;
  }

  #skipLine(bytes: Buffer, at: number): number {
    const lineFeed = bytes.indexOf(LF, at);
    if (lineFeed >= 0) this.#state = 'head';
    return lineFeed < 0 ? bytes.length : lineFeed + 1;
  }

  /** Ends the header section. `first`: lines of the body that were read with it. */
  #startBody(first: string): void {
    const parent = this.#open.at(-1);
    const part = makePart(this.#head.fields, parent?.part ?? null, parent ? parent.children - 1 : 0);
    this.truncated ||=
      this.#head.truncated || (part.boundary === null && part.mediaType.startsWith('multipart/'));
    this.#enterBody(part);
    this.#sink.open(part);
    if (part.boundary !== null) this.#openMultipart(part, part.boundary);
    for (const line of first.match(/[^\n]*\n|[^\n]+$/g) ?? []) this.#takeEarlyLine(line);
  }

  #openMultipart(part: Part, boundary: string): void {
    this.#open.push({ part, boundary, children: 0 });
    this.#firstBytes[boundary.charCodeAt(0)] = 1;
  }

  #enterBody(part: Part | null): void {
    this.#state = 'body';
    this.#lineStart = true;
    this.#current = part;
  }

  /** Handles a line returned by the header section. It may be the first delimiter. */
  #takeEarlyLine(line: string): void {
    const delimiter = this.#delimiterIn(line);
    if (this.#state === 'head') this.#takeHeadLine(line);
    else if (delimiter) this.#passDelimiter(delimiter);
    else this.#emit(Buffer.from(line, 'latin1'));
  }

  #stepBody(bytes: Buffer, at: number, final: boolean): number {
    let from = at;
    for (let dashes = this.#nextDashes(bytes, from); dashes >= 0; dashes = this.#nextDashes(bytes, from)) {
      const end = lineEnd(bytes, dashes, final);
      const incomplete = end < 0 && bytes.length - dashes <= MAX_DELIMITER_LINE;
      const delimiter = incomplete ? null : this.#delimiterAt(bytes, dashes, end);
      if (incomplete || delimiter) {
        const before = lineBreakBefore(bytes, at, dashes);
        this.#emit(bytes.subarray(at, before));
        this.#lineStart = dashes === before;
        if (!delimiter) return this.#starve(before);
        this.#passDelimiter(delimiter);
        return end;
      }
      this.#lineStart = false;
      from = dashes + 2;
    }
    return this.#emitUndelimited(bytes, at, final);
  }

  /** The next line that starts with two dashes, or -1. */
  #nextDashes(bytes: Buffer, at: number): number {
    if (this.#open.length === 0) return -1;
    if (this.#lineStart && bytes[at] === DASH && bytes[at + 1] === DASH) return at;
    for (let found = bytes.indexOf(DELIMITER_START, at); found >= 0; found = nextStart(bytes, found)) {
      const first = bytes[found + DELIMITER_START.length];
      if (first === undefined || this.#firstBytes[first] === 1) return found + 1;
    }
    return -1;
  }

  /** A delimiter can start only in the last few bytes. */
  #emitUndelimited(bytes: Buffer, at: number, final: boolean): number {
    const hold = final || this.#open.length === 0 ? 0 : partialDelimiterLength(bytes, at, this.#lineStart);
    const to = bytes.length - hold;
    if (to > at) this.#lineStart = false;
    this.#emit(bytes.subarray(at, to));
    return this.#starve(to);
  }

  #starve(at: number): number {
    this.#starved = true;
    return at;
  }

  #emit(bytes: Buffer): void {
    if (this.#current !== null && bytes.length > 0) this.#sink.data(this.#current, bytes);
  }

  #delimiterAt(bytes: Buffer, start: number, end: number): Delimiter | null {
    if (end < 0 || end - start > MAX_DELIMITER_LINE) return null;
    return this.#delimiterIn(bytes.toString('latin1', start, end));
  }

  /**
   * The innermost open multipart that this line delimits (RFC 2046 5.1.2: a delimiter of an outer one ends all
   * inner ones).
   */
  #delimiterIn(line: string): Delimiter | null {
    if (this.#open.length === 0 || !line.startsWith('--')) return null;
    const text = line.slice(2).trimEnd();
    for (let index = this.#open.length - 1; index >= 0; index--) {
      const boundary = this.#open[index]?.boundary ?? '';
      const rest = text.startsWith(boundary) ? text.slice(boundary.length) : null;
      if (rest !== null && endsWord(rest)) return { index, closes: false };
      if (rest?.startsWith('--') && endsWord(rest.slice(2))) return { index, closes: true };
    }
    return null;
  }

  #passDelimiter({ index, closes }: Delimiter): void {
    this.#closeTo(closes ? index : index + 1);
    const multipart = this.#open[index];
    if (multipart && !closes) this.#expectPart(multipart);
    else this.#enterBody(null);
  }

  #expectPart(multipart: OpenMultipart): void {
    multipart.children++;
    this.#parts++;
    this.#head = new HeaderSection();
    this.#state = this.#parts > MAX_PARTS ? 'past limit' : 'head';
    this.truncated ||= this.#parts > MAX_PARTS;
  }

  #closeTo(length: number): void {
    if (this.#current?.boundary === null) this.#sink.close(this.#current);
    this.#current = null;
    for (let last = this.#open.at(-1); last && this.#open.length > length; last = this.#open.at(-1)) {
      this.#open.pop();
      this.#sink.close(last.part);
    }
  }
}

/**
 * The next DELIMITER_START after the one at `found`. Checks the adjacent bytes first, without a call: bodies may
 * be full of delimiters.
 */
function nextStart(bytes: Buffer, found: number): number {
  const after = found + DELIMITER_START.length;
  if (bytes[after] === LF && bytes[after + 1] === DASH && bytes[after + 2] === DASH) return after;
  return bytes.indexOf(DELIMITER_START, after);
}

/**
 * RFC 2046 5.1.1 allows any text after a boundary on its line. But one boundary is often a prefix of another, also
 * within a nested message, so only white space ends a boundary here.
 */
function endsWord(rest: string): boolean {
  return rest === '' || rest.startsWith(' ') || rest.startsWith('\t');
}

/** The offset of the next line; -1 while the end of this line is missing. */
function lineEnd(bytes: Buffer, at: number, final: boolean): number {
  const lineFeed = bytes.indexOf(LF, at);
  if (lineFeed >= 0) return lineFeed + 1;
  return final ? bytes.length : -1;
}

/** RFC 2046 5.1.1: the line break before a delimiter belongs to it, not to the body. */
function lineBreakBefore(bytes: Buffer, at: number, dashes: number): number {
  if (dashes === at) return at;
  const lineFeed = dashes - 1;
  return lineFeed > at && bytes[lineFeed - 1] === CR ? lineFeed - 1 : lineFeed;
}

/** The number of bytes at the end that may start a delimiter. */
function partialDelimiterLength(bytes: Buffer, at: number, lineStart: boolean): number {
  const size = bytes.length - at;
  if (lineStart && size === 1 && bytes[at] === DASH) return 1;
  const tail = bytes.toString('latin1', Math.max(at, bytes.length - 3));
  return /\r?\n-?$|\r$/.exec(tail)?.[0].length ?? 0;
}
