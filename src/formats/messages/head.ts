import { TooManyWaiting } from '../../turns/fair-queue.ts';
import { Thread } from '../thread.ts';
import { decodesFast } from './charsets.ts';
import type { HeaderField } from './header-section.ts';
import { type Headers, readFields, readHeaders, type WrittenHead } from './message-headers.ts';

/** The largest header section takes up to a second; one that takes longer than this is made to. */
const ANSWER_WITHIN_MS = 15_000;
const HEAP_MEGABYTES = 256;

const thread = new Thread<WrittenHead, Headers>({
  module: new URL('./head-worker.ts', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/** What a header section says. Rejects when the thread cannot read it, as for want of memory or of time. */
function readHeadInThread(head: WrittenHead): Promise<Headers> {
  const size = head.fields.reduce((sum, { name, raw }) => sum + name.length + raw.length, 0);
  return thread.ask(head, size);
}

/** Header sections up to this many characters take less time to read, a millisecond or two, than another thread to ask. */
const MAX_HERE = 20 * 1024;

/** The same of fields in charsets that no fast decoder knows. */
const MAX_SLOW_HERE = 4 * 1024;

/** What is decoded in the charset of the message. */
const EIGHT_BIT = /[\x80-\xff]/;

/** What is read of a field that no thread could read. */
const START_OF_FIELD = 1024;

/**
 * What a message says in its header section. What cannot be read in time is left out, and `truncated` set. Rejects with
 * TooManyWaiting, after which the same may be read.
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

/** Every header field in order, as readHead gives them. */
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

/** The first fields as far as they fit, each cut where it is long: as much as is read here whatever it is. */
function startOf(fields: HeaderField[]): HeaderField[] {
  let room = MAX_SLOW_HERE;
  const kept: HeaderField[] = [];
  for (const { name, raw } of fields) {
    const size = name.length + Math.min(raw.length, START_OF_FIELD);
    if (size > room) continue;
    room -= size;
    kept.push({ name, raw: raw.slice(0, START_OF_FIELD) });
  }
  return kept;
}
