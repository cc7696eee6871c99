import { parentPort } from 'node:worker_threads';
import { TooMuchHtml } from './html.ts';
import { markdownToPage } from './page.ts';

/** A page in UTF-8; nothing where it would be too long. */
export type PageAnswer = Uint8Array<ArrayBuffer> | undefined;

parentPort?.on('message', ({ markdown, title }: { markdown: Uint8Array; title: string }) => {
  const page = pageOf(new TextDecoder().decode(markdown), title);
  parentPort?.postMessage(page, page ? [page.buffer] : []);
});

function pageOf(markdown: string, title: string): PageAnswer {
  try {
    return new TextEncoder().encode(markdownToPage(markdown, title));
  } catch (error) {
    if (error instanceof TooMuchHtml) return undefined;
    throw error;
  }
}
