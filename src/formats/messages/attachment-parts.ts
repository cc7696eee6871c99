import { Readable } from 'node:stream';
import { attachmentName, isMessage } from './attachment-name.ts';
import { roleOf } from './body.ts';
import { type MessageSource, messagePieces } from './message-pieces.ts';
import type { Part } from './part.ts';
import { PartScanner, type PartSink } from './part-scanner.ts';
import { type TransferDecoder, transferDecoder } from './transfer-encodings.ts';

/** Deepest nesting of messages within messages that is listed; a deeper one is an attachment without a list. */
export const MAX_NESTED_MESSAGES = 10;

/** An attachment of a message, or of a message within it. */
export interface AttachmentPart {
  /** Its position in the message, after the positions of the messages that it is within. */
  path: readonly number[];
  filename: string;
  /** Lower case, as the message declares it. */
  declaredType: string;
  /** Whether it is a message whose own attachments are listed. */
  isMessage: boolean;
  /** Bytes, decoded. */
  size: number;
  /** The first decoded bytes. */
  head: Uint8Array;
}

/**
 * The attachments of a message as parseMessage counts them, and those of the messages within it, which come before the
 * message that holds them. Reads the source once and holds `headBytes` of each. Linear in the size of the source.
 */
export async function* readAttachmentParts(
  source: MessageSource,
  headBytes: number,
): AsyncGenerator<AttachmentPart> {
  const found: AttachmentPart[] = [];
  const scanner = new PartScanner(new PartLister([], headBytes, found));
  for await (const piece of messagePieces(source)) {
    scanner.push(piece);
    yield* found.splice(0);
  }
  scanner.end();
  yield* found;
}

/** An attachment while it is read. */
interface OpenPart {
  part: Part;
  position: number;
  decoder: TransferDecoder;
  pieces: Uint8Array[];
  room: number;
  size: number;
  nested: PartScanner | undefined;
}

class PartLister implements PartSink {
  readonly #path: readonly number[];
  readonly #headBytes: number;
  readonly #found: AttachmentPart[];
  #count = 0;
  #open: OpenPart | null = null;

  constructor(path: readonly number[], headBytes: number, found: AttachmentPart[]) {
    this.#path = path;
    this.#headBytes = headBytes;
    this.#found = found;
  }

  open(part: Part): void {
    if (roleOf(part) !== 'attachment') return;
    const position = this.#count++;
    const decoder = transferDecoder(part.encoding);
    this.#open = { part, position, decoder, pieces: [], room: this.#headBytes, size: 0, nested: undefined };
    if (isMessage(part) && this.#path.length < MAX_NESTED_MESSAGES)
      this.#open.nested = new PartScanner(
        new PartLister([...this.#path, position], this.#headBytes, this.#found),
      );
  }

  data(_part: Part, bytes: Uint8Array): void {
    if (this.#open) take(this.#open, this.#open.decoder.update(bytes));
  }

  close(): void {
    if (!this.#open) return;
    const { part, position, decoder, nested } = this.#open;
    take(this.#open, decoder.finish());
    nested?.end();
    const { pieces, size } = this.#open;
    const head = Buffer.concat(pieces);
    this.#open = null;
    this.#found.push({
      path: [...this.#path, position],
      filename: attachmentName(part, position, head),
      declaredType: part.mediaType,
      isMessage: nested !== undefined,
      size,
      head,
    });
  }
}

function take(open: OpenPart, decoded: Uint8Array): void {
  open.size += decoded.length;
  // A copy: the decoded bytes may be a view of a large piece.
  const kept = Buffer.from(decoded.subarray(0, open.room));
  open.room -= kept.length;
  if (kept.length > 0) open.pieces.push(kept);
  open.nested?.push(decoded);
}

/**
 * The decoded bytes of the attachment at this path. A stream: memory does not grow with the size. Fails with a
 * RangeError without such an attachment, and with the error of the source.
 */
export function readAttachmentAt(
  source: MessageSource,
  [position = 0, ...within]: readonly number[],
): Readable {
  const content = readAttachment(source, position);
  return within.length === 0 ? content : readAttachmentAt(content, within);
}

/** The attachment at `position` in the parsed message's `attachments`, as readAttachmentAt. */
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
