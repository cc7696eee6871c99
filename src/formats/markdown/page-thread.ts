import { Thread } from '../thread.ts';

/** A megabyte takes a second or two; text that is made for it takes any time. */
const RENDER_WITHIN_MS = 20_000;
/** Some fifty times the text. */
const MAX_HEAP_MIB = 512;

const thread = new Thread<{ markdown: Uint8Array; title: string }, string>({
  module: new URL('./page-worker.ts', import.meta.url),
  answerWithinMs: RENDER_WITHIN_MS,
  resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
});

/** `markdownToPage`, beside the event loop. Rejects when that takes too much time or memory. */
export function renderPage(markdown: Uint8Array, title: string): Promise<string> {
  return thread.ask({ markdown, title });
}
