import { Thread } from '../thread.ts';
import type { PageAnswer } from './page-worker.ts';

/**
 * Bytes of Markdown that are made a page. Text that is made for it takes seven hundred times its size in memory, and a
 * thread that runs out of it may take the process along.
 */
export const MAX_PAGE_SOURCE = 1_000_000;

/** What is written by people takes a second or two, what is made to take long some more. */
const RENDER_WITHIN_MS = 20_000;
const HEAP_MEGABYTES = 1_024;

const thread = new Thread<{ markdown: Uint8Array; title: string }, PageAnswer>({
  module: new URL('./page-worker.ts', import.meta.url),
  answerWithinMs: RENDER_WITHIN_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/**
 * `markdownToPage` of at most MAX_PAGE_SOURCE bytes, in UTF-8, beside the event loop; nothing where it would be too long.
 * Rejects when it takes too long, and as threads do.
 */
export function renderPage(markdown: Uint8Array, title: string): Promise<PageAnswer> {
  return thread.ask({ markdown, title }, markdown.length);
}
