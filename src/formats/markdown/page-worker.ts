import { parentPort } from 'node:worker_threads';
import { markdownToPage } from './page.ts';

parentPort?.on('message', ({ markdown, title }: { markdown: Uint8Array; title: string }) => {
  parentPort?.postMessage(markdownToPage(new TextDecoder().decode(markdown), title));
});
