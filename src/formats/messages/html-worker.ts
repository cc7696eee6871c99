import { parentPort } from 'node:worker_threads';
import { readHtmlBody } from './html-body.ts';
import type { TextContent } from './text-content.ts';

parentPort?.on('message', (forms: { textForm: TextContent[]; htmlForm: TextContent[] }) => {
  parentPort?.postMessage(readHtmlBody(forms.textForm, forms.htmlForm));
});
