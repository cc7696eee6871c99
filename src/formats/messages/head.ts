import { TooManyWaiting } from '../../turns/fair-queue.ts';
import { Thread } from '../../turns/thread.ts';
import { decodesFast } from './charsets.ts';
import type { HeaderField } from './header-section.ts';
import { type Headers, type RawHead, readFields, readHeaders } from './message-headers.ts';

/** The largest header section takes up to a second. A section that takes longer than this limit is hostile. */
const TIMEOUT_MS = 15_000;
const HEAP_MEGABYTES = 256;

const thread = new Thread<RawHead, Headers>({
  module: new URL('./head-worker.ts', import.meta.url),
  timeoutMs: TIMEOUT_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/** Reads a header section in a worker thread. Rejects when the thread fails, for example on lack of memory or time. */
function readHeadInThread(head: RawHead): Promise<Headers> {
  const size = head.fields.reduce((sum, { name, raw }) => sum + name.length + raw.length, 0);
  return thread.ask(head, size);
}

/** Header sections up to this many characters are read faster here, in a millisecond or two, than through a thread. */
const MAX_HERE = 20 * 1024;

/** The same limit for fields in charsets without a fast decoder. */
const MAX_SLOW_HERE = 4 * 1024;

/** Bytes that are decoded in the charset of the message. */
const EIGHT_BIT = /[\x80-\xff]/;

/** Characters read from each field after the thread has failed. */
const START_OF_FIELD = 1024;

/**
 * Reads the header section of a message. Leaves out content that takes too long and sets `truncated`. Rejects only
 * with TooManyWaiting; the caller may then try again.
 */
export async function readHead(fields: HeaderField[], charset: string): Promise<Headers> {
  if (isReadHere(fields, charset)) return readHeaders(fields, charset);
  try {
    return await readHeadInThread({ fields, charset });
  } catch (cause) {
    if (cause instanceof TooManyWaiting) throw cause;
    return { ...readHeaders(startOf(fields), ''), truncated: true };
  }
}

/** Every header field in order, with the same values as in the result of readHead. */
export async function readHeadFields(fields: HeaderField[], charset: string): Promise<Headers['headers']> {
  return isReadHere(fields, charset)
    ? readFields(fields, charset)
    : (await readHead(fields, charset)).headers;
}

function isReadHere(fields: HeaderField[], charset: string): boolean {
  let all = 0;
  for (const { name, raw } of fields) all += name.length + raw.length;
  if (all > MAX_HERE) return false;
  const isSlow = !decodesFast(charset);
  let slow = 0;
  for (const { raw } of fields) {
    if (raw.includes('=?') ? namesSlowCharset(raw) : isSlow && EIGHT_BIT.test(raw)) slow += raw.length;
  }
  return slow <= MAX_SLOW_HERE;
}

function namesSlowCharset(raw: string): boolean {
  for (const [, label = ''] of raw.matchAll(/=\?([^? ]{1,80})\?/g)) {
    if (!decodesFast(label)) return true;
  }
  return false;
}

/** The first fields that fit, long ones cut, up to a size that is always read in this thread. */
function startOf(fields: HeaderField[]): HeaderField[] {
  let room = MAX_SLOW_HERE;
  const start: HeaderField[] = [];
  for (const { name, written, raw } of fields) {
    const size = name.length + Math.min(raw.length, START_OF_FIELD);
    if (size > room) continue;
    room -= size;
    start.push({ name, written, raw: raw.slice(0, START_OF_FIELD) });
  }
  return start;
}
