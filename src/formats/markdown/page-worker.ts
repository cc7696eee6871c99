import { parentPort } from 'node:worker_threads';
import { markdownToHtml, TooMuchHtml } from './html.ts';

/** A page in UTF-8; undefined when it would be too long. */
export type RenderedPage = Uint8Array<ArrayBuffer> | undefined;

parentPort?.on('message', ({ markdown, title }: { markdown: Uint8Array; title: string }) => {
  const page = pageOf(new TextDecoder().decode(markdown), title);
  parentPort?.postMessage(page, page ? [page.buffer] : []);
});

function pageOf(markdown: string, title: string): RenderedPage {
  try {
    return new TextEncoder().encode(markdownToPage(markdown, title));
  } catch (error) {
    if (error instanceof TooMuchHtml) return undefined;
    throw error;
  }
}

/** Renders Markdown as a standalone page that loads only images and runs no script. Throws TooMuchHtml. */
export function markdownToPage(markdown: string, title: string): string {
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src http: https:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
</head>
<body>
${markdownToHtml(markdown)}</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
