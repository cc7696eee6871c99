import { Readable } from 'node:stream';
import type { Problem } from '../../contract/operation.ts';
import { refuse } from '../../contract/validation.ts';
import { decodeText, NotText, type TextEncoding } from '../../text/decode.ts';
import { encodingOf } from '../../text/encoding.ts';
import { nextTurn } from '../../turns/next-turn.ts';
import type { StoredFile } from '../drive/service.ts';
import { refuseSource } from './new-contents.ts';

/** Bytes of the content of a document: the same limit as for JSON. */
export const MAX_CONTENT_BYTES = 10_000_000;

/** Bytes of a source file: UTF-32 takes four bytes where UTF-8 takes one. */
const MAX_SOURCE_BYTES = 4 * MAX_CONTENT_BYTES + 4;

/**
 * Passes content through. Fails with ApiError validation_failed if it is not UTF-8 or contains U+0000, which no text
 * may contain.
 */
export async function* verifyUtf8(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of content) {
    check(() => decoder.decode(chunk, { stream: true }));
    if (chunk.includes(0)) refuse([NUL]);
    yield chunk;
  }
  check(() => decoder.decode());
}

const NUL: Problem = {
  pointer: '',
  code: 'unsupported_characters',
  message: 'The content must not contain U+0000.',
};

function check(decode: () => unknown): void {
  try {
    decode();
  } catch {
    refuse([{ pointer: '', code: 'wrong_encoding', message: 'The content must be valid UTF-8.' }]);
  }
}

/**
 * Converts an uploaded text to Markdown in UTF-8 without a byte-order mark, with LF line endings. Also returns the
 * encoding of the file. Rejects with ApiError unreadable_file if the file is not text or too large.
 */
export async function markdownOf(source: StoredFile): Promise<{ markdown: Buffer; encoding: TextEncoding }> {
  if (source.size > MAX_SOURCE_BYTES) refuseTooLarge();
  const bytes = Buffer.concat(await (await source.open()).toArray());
  return markdownIn(bytes);
}

async function markdownIn(bytes: Uint8Array): Promise<{ markdown: Buffer; encoding: TextEncoding }> {
  try {
    const encoding = await inTurns(encodingOf(bytes));
    return { markdown: await inTurns(withLineFeeds(decodeText(bytes, encoding))), encoding };
  } catch (cause) {
    if (!(cause instanceof NotText)) throw cause;
    refuseSource('it is not text in UTF-8, UTF-16, UTF-32 or Windows-1252; save it as UTF-8', { cause });
  }
}

/**
 * Encodes the portions of a text as UTF-8, and converts CR LF and bare CR to LF. Throws ApiError if the result is too
 * large.
 */
function* withLineFeeds(portions: Iterable<string>): Generator<void, Buffer> {
  const whole: Buffer[] = [];
  let size = 0;
  let isAfterReturn = false;
  for (const text of portions) {
    const rest = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') isAfterReturn = text.endsWith('\r');
    const bytes = Buffer.from(rest.replace(/\r\n?/g, '\n'));
    size += bytes.length;
    if (size > MAX_CONTENT_BYTES) refuseTooLarge();
    whole.push(bytes);
    yield;
  }
  return Buffer.concat(whole);
}

/** Runs work step by step, and yields to the event loop between steps. */
async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}

function refuseTooLarge(): never {
  refuseSource(`the content of a document has at most ${MAX_CONTENT_BYTES} bytes`);
}

/** Bytes in memory, as a stream. */
export function streamOf(bytes: Uint8Array): Readable {
  return Readable.from(bytes.length === 0 ? [] : [bytes]);
}
