import { Thread } from '../thread.ts';

/**
 * Bytes of Markdown that are made a page. Text that is made for it takes seven hundred times its size in memory, and a
 * thread that runs out of it may take the process along.
 */
export const MAX_PAGE_SOURCE = 1_000_000;

/** What is written by people takes a second or two, what is made to take long some more. */
const RENDER_WITHIN_MS = 20_000;
const HEAP_MEGABYTES = 1_024;

const thread = new Thread<{ markdown: Uint8Array; title: string }, string>({
  module: new URL('./page-worker.ts', import.meta.url),
  answerWithinMs: RENDER_WITHIN_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/** `markdownToPage` of at most MAX_PAGE_SOURCE bytes, beside the event loop. Rejects when that takes too long, and as threads do. */
export function renderPage(markdown: Uint8Array, title: string): Promise<string> {
  return thread.ask({ markdown, title }, markdown.length);
}
