import { Thread } from '../thread.ts';
import type { Headers, WrittenHead } from './message-headers.ts';

/** The largest header section takes up to a second; one that takes longer than this is made to. */
const ANSWER_WITHIN_MS = 15_000;
const HEAP_MEGABYTES = 256;

const thread = new Thread<WrittenHead, Headers>({
  module: new URL('./head-worker.ts', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/** What a header section says. Rejects when the thread cannot read it, as for want of memory or of time. */
export function readHeadInThread(head: WrittenHead): Promise<Headers> {
  const size = head.fields.reduce((sum, { name, raw }) => sum + name.length + raw.length, 0);
  return thread.ask(head, size);
}
