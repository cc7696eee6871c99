import { parentPort } from 'node:worker_threads';
import { markdownToHtml, TooMuchHtml } from './html.ts';

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

/** Markdown as a whole page of its own, which fetches nothing but images and runs nothing wherever it is opened. Throws TooMuchHtml. */
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
