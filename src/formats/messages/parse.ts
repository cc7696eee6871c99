import { Readable } from 'node:stream';
import { nextTurn } from '../../turns/next-turn.ts';
import { roleOf } from './body.ts';
import { readHeadFields } from './head.ts';
import type { ParsedMessage } from './message.ts';
import { MessageReader } from './message-reader.ts';
import { charsetOf, type Part } from './part.ts';
import { PartScanner, type PartSink } from './part-scanner.ts';
import { type TransferDecoder, transferDecoder } from './transfer-encodings.ts';

/** A raw message: whole, or as it comes. */
type MessageSource = Uint8Array | AsyncIterable<Uint8Array>;

/** How much is looked at for line feeds before a message is held to have none. */
const WINDOW = 64 * 1024;

/** Bytes handled in one turn of the event loop. */
const SLICE = 64 * 1024;

const LF = 10;
const CR = 13;

/**
 * The bytes of a message piece by piece, giving other work a turn in between. Where lines end with a bare CR,
 * as in files of old Macintosh mailers, they come with LF.
 */
async function* messagePieces(source: MessageSource): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array && source.length <= SLICE) {
    yield endsLinesWithReturn(source) ? withLineFeeds(source) : source;
    return;
  }
  const pieces = source instanceof Uint8Array ? slices(source) : sliced(source);
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

async function* sliced(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
 * Reads a whole message. What cannot be read is shown as far as it can be: rejects with TooManyWaiting only, where so much
 * waits for the threads that the message should come again. Time and memory are linear in the size, whatever the bytes;
 * `truncated` tells where a limit left something out.
 */
export async function parseMessage(raw: Uint8Array): Promise<ParsedMessage> {
  return readMessage(raw);
}

/**
 * Reads a message as it comes, with the same result as parseMessage of all its bytes. Attachments are counted
 * and not kept: memory does not grow with them. Rejects only with what the source rejects with, and TooManyWaiting.
 */
export async function parseMessageStream(source: AsyncIterable<Uint8Array>): Promise<ParsedMessage> {
  return readMessage(source);
}

/**
 * The header fields of a message, as `headers` of parseMessage gives them; the source is read no further than they go.
 * Rejects only with what the source rejects with, and TooManyWaiting.
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
  const safely = careful();
  for await (const piece of messagePieces(source)) safely(() => scanner.push(piece));
  safely(() => scanner.end());
  return reader.message(scanner.truncated || safely.hasFailed());
}

/** Runs steps until one throws, which none should: what is read by then is shown, and a warning tells of it. */
function careful(): { (step: () => void): void; hasFailed(): boolean } {
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
 * The decoded bytes of the attachment that stands at `position` of the parsed message's `attachments`; its
 * name, type and size stand there. Streams: memory does not grow with its size. Fails with a RangeError where
 * the message has no such attachment, and with what the source fails with.
 */
export function readAttachment(source: MessageSource, position: number): Readable {
  const content = Readable.from(attachmentBytes(source, position), { objectMode: false });
  // Destroyed before it was read, it has not begun with the source and does not end it.
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

/** Takes the message itself, which its header section tells of, and nothing else of it. */
class HeaderReader implements PartSink {
  /** Null until the header section is read. */
  root: Part | null = null;

  open(part: Part): void {
    this.root ??= part;
  }

  data(): void {}

  close(): void {}
}

/** Picks one attachment out of a message, counting as the parsed message does, and decodes its bytes. */
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

  /** What was decoded since the last call. */
  take(): Uint8Array[] {
    const decoded = this.#decoded.filter((bytes) => bytes.length > 0);
    this.#decoded = [];
    return decoded;
  }
}
