import { markdownToHtml } from './html.ts';

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
