export { readAttachment } from './attachment-parts.ts';

import { decodeHeader } from './encoded-words.ts';
import { readHead, readHeadFields } from './head.ts';
import type { HeaderField } from './header-section.ts';
import { type ParsedMessage, storable } from './message.ts';
import type { Headers } from './message-headers.ts';
import { type MessageSource, messagePieces } from './message-pieces.ts';
import { MessageReader } from './message-reader.ts';
import { charsetOf, type Part } from './part.ts';
import { PartScanner, type PartSink } from './part-scanner.ts';

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
  const root = await readRoot(source);
  return root ? readHeadFields(root.fields, charsetOf(root)) : [];
}

/** The values of the header fields of this name (in lower case) as they are written, unfolded and not decoded. */
export async function parseRawValues(source: MessageSource, header: string): Promise<string[]> {
  const root = await readRoot(source);
  const fields = (root?.fields ?? []).filter(({ name }) => name === header);
  return fields.map(({ raw }) => Buffer.from(raw, 'latin1').toString());
}

/** The header section of a message: what parseMessage reads of it, and its fields under their names as written. */
export interface MessageHead extends Headers {
  shown: { name: string; value: string }[];
}

/** Reads only the header section of a message. Rejects only with the error of the source and TooManyWaiting. */
export async function parseHead(source: MessageSource): Promise<MessageHead> {
  const root = await readRoot(source);
  const fields = root?.fields ?? [];
  const headers = await readHead(fields, root ? charsetOf(root) : '');
  const named = headers.headers.map(({ value }, i) => ({ name: writtenName(fields[i]), value }));
  return { ...headers, shown: named };
}

function writtenName(field: HeaderField | undefined): string {
  return field ? storable(decodeHeader(field.written)) : '';
}

async function readRoot(source: MessageSource): Promise<Part | null> {
  const reader = new HeaderReader();
  const scanner = new PartScanner(reader);
  for await (const piece of messagePieces(source)) {
    scanner.push(piece);
    if (reader.root) break;
  }
  if (!reader.root) scanner.end();
  return reader.root;
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
