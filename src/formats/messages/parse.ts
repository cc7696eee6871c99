import { Readable } from 'node:stream';
import { nextTurn } from '../../turns/next-turn.ts';
import { roleOf } from './body.ts';
import { readHeadFields } from './head.ts';
import type { ParsedMessage } from './message.ts';
import { MessageReader } from './message-reader.ts';
import { charsetOf, type Part } from './part.ts';
import { PartScanner, type PartSink } from './part-scanner.ts';
import { type TransferDecoder, transferDecoder } from './transfer-encodings.ts';

/** A raw message: complete, or as a stream. */
type MessageSource = Uint8Array | AsyncIterable<Uint8Array>;

/** Bytes searched for a line feed before the message counts as one without. */
const WINDOW = 64 * 1024;

/** Bytes parsed in one turn of the event loop. */
const SLICE = 64 * 1024;

const LF = 10;
const CR = 13;

/**
 * The bytes of a message in pieces, with a yield to other work in between. Bare CR line ends, as in files of old
 * Macintosh mailers, become LF.
 */
async function* messagePieces(source: MessageSource): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array && source.length <= SLICE) {
    yield endsLinesWithReturn(source) ? withLineFeeds(source) : source;
    return;
  }
  const pieces = source instanceof Uint8Array ? slices(source) : splitLargeChunks(source);
  let start: Uint8Array | null = new Uint8Array(0);
  let bareReturns = false;
  for await (const piece of pieces) {
    if (start === null) {
      yield bareReturns ? withLineFeeds(piece) : piece;
      continue;
    }
    start = start.length > 0 ? Buffer.concat([start, piece]) : piece;
    if (start.length < WINDOW && !start.includes(LF)) continue;
    bareReturns = endsLinesWithReturn(start);
    yield bareReturns ? withLineFeeds(start) : start;
    start = null;
  }
  if (start) yield endsLinesWithReturn(start) ? withLineFeeds(start) : start;
}

async function* slices(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE) {
    if (at > 0) await nextTurn();
    yield bytes.subarray(at, at + SLICE);
  }
}

async function* splitLargeChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    if (piece.length <= SLICE) yield piece;
    else yield* slices(piece);
  }
}

function endsLinesWithReturn(start: Uint8Array): boolean {
  const window = start.subarray(0, WINDOW);
  return window.includes(CR) && !window.includes(LF);
}

function withLineFeeds(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte === CR ? LF : byte));
}

/**
 * Parses a complete message. Unreadable content is shown as far as possible: rejects only with TooManyWaiting,
 * when the thread queue is full and the caller should try again. Time and memory are linear in the size for any
 * bytes. `truncated` reports that a limit left something out.
 */
export async function parseMessage(raw: Uint8Array): Promise<ParsedMessage> {
  return readMessage(raw);
}

/**
 * Parses a message from a stream, with the same result as parseMessage. Attachments are only counted: memory does
 * not grow with them. Rejects only with the error of the source and TooManyWaiting.
 */
export async function parseMessageStream(source: AsyncIterable<Uint8Array>): Promise<ParsedMessage> {
  return readMessage(source);
}

/**
 * The header fields of a message, as in `headers` of parseMessage. Reads the source only to the end of the header
 * section. Rejects only with the error of the source and TooManyWaiting.
 */
export async function parseHeaders(source: MessageSource): Promise<ParsedMessage['headers']> {
  const reader = new HeaderReader();
  const scanner = new PartScanner(reader);
  for await (const piece of messagePieces(source)) {
    scanner.push(piece);
    if (reader.root) break;
  }
  if (!reader.root) scanner.end();
  return reader.root ? readHeadFields(reader.root.fields, charsetOf(reader.root)) : [];
}

async function readMessage(source: MessageSource): Promise<ParsedMessage> {
  const reader = new MessageReader();
  const scanner = new PartScanner(reader);
  const safely = stepsUntilError();
  for await (const piece of messagePieces(source)) safely(() => scanner.push(piece));
  safely(() => scanner.end());
  return reader.message(scanner.truncated || safely.hasFailed());
}

/**
 * Runs steps until one throws, which is a defect: the content read so far is shown, and a process warning reports
 * the error.
 */
function stepsUntilError(): { (step: () => void): void; hasFailed(): boolean } {
  let failed = false;
  const run = (step: () => void) => {
    if (failed) return;
    try {
      step();
    } catch (error) {
      failed = true;
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  };
  return Object.assign(run, { hasFailed: () => failed });
}

/**
 * The decoded bytes of the attachment at `position` in the parsed message's `attachments`. A stream: memory does
 * not grow with the size. Fails with a RangeError without such an attachment, and with the error of the source.
 */
export function readAttachment(source: MessageSource, position: number): Readable {
  const content = Readable.from(attachmentBytes(source, position), { objectMode: false });
  // A stream destroyed before its first read has not started the generator, which would close the source.
  return source instanceof Readable ? content.once('close', () => source.destroy()) : content;
}

async function* attachmentBytes(source: MessageSource, position: number): AsyncGenerator<Uint8Array> {
  const sink = new AttachmentSink(position);
  const scanner = new PartScanner(sink);
  for await (const piece of messagePieces(source)) {
    scanner.push(piece);
    yield* sink.take();
    if (sink.state === 'past') return;
  }
  scanner.end();
  yield* sink.take();
  if (sink.state === 'before') throw new RangeError(`the message has no attachment ${position}`);
}

/** Takes the root part, which has the header section of the message, and ignores the others. */
class HeaderReader implements PartSink {
  /** Null until the header section is complete. */
  root: Part | null = null;

  open(part: Part): void {
    this.root ??= part;
  }

  data(): void {}

  close(): void {}
}

/** Selects one attachment of a message, counted as in the parsed message, and decodes its bytes. */
class AttachmentSink implements PartSink {
  state: 'before' | 'inside' | 'past' = 'before';
  #skip: number;
  #decoder: TransferDecoder | null = null;
  #decoded: Uint8Array[] = [];

  constructor(position: number) {
    this.#skip = position;
  }

  open(part: Part): void {
    if (roleOf(part) !== 'attachment' || this.state !== 'before') return;
    if (this.#skip-- > 0) return;
    this.state = 'inside';
    this.#decoder = transferDecoder(part.encoding);
  }

  data(_part: Part, bytes: Uint8Array): void {
    if (this.#decoder) this.#decoded.push(this.#decoder.update(bytes));
  }

  close(): void {
    if (!this.#decoder) return;
    this.#decoded.push(this.#decoder.finish());
    this.#decoder = null;
    this.state = 'past';
  }

  /** The bytes decoded since the last call. */
  take(): Uint8Array[] {
    const decoded = this.#decoded.filter((bytes) => bytes.length > 0);
    this.#decoded = [];
    return decoded;
  }
}
