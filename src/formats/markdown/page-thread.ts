import { Thread } from '../../turns/thread.ts';
import type { RenderedPage } from './page-worker.ts';

/**
 * Most bytes of Markdown for a page. A hostile text takes seven hundred times its size in memory, and a thread
 * that runs out of memory can crash the process.
 */
export const MAX_PAGE_SOURCE = 1_000_000;

/** Ordinary texts take a second or two; texts made to be slow take longer. */
const TIMEOUT_MS = 20_000;
const HEAP_MEGABYTES = 1_024;

const thread = new Thread<{ markdown: Uint8Array; title: string }, RenderedPage>({
  module: new URL('./page-worker.ts', import.meta.url),
  timeoutMs: TIMEOUT_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/**
 * Runs `markdownToPage` in a worker thread, for at most MAX_PAGE_SOURCE bytes of UTF-8; undefined when the page
 * would be too long. Rejects after a timeout, and like Thread.ask.
 */
export function renderPage(markdown: Uint8Array, title: string): Promise<RenderedPage> {
  return thread.ask({ markdown, title }, markdown.length);
}
