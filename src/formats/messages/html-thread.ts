import { Thread } from '../thread.ts';
import type { ShownBody } from './shown-body.ts';
import type { TextContent } from './text-content.ts';

/** A large body takes up to a second; one that takes longer than this is made to. */
const ANSWER_WITHIN_MS = 15_000;
const HEAP_MEGABYTES = 512;

const thread = new Thread<{ textForm: TextContent[]; htmlForm: TextContent[] }, ShownBody>({
  module: new URL('./html-worker.ts', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/** What people see of a message with HTML. Rejects when the thread cannot read it, as for want of memory or of time. */
export function readInThread(textForm: TextContent[], htmlForm: TextContent[]): Promise<ShownBody> {
  const size = [...textForm, ...htmlForm].reduce((sum, { bytes }) => sum + bytes.length, 0);
  return thread.ask({ textForm, htmlForm }, size);
}
