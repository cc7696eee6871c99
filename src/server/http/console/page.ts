import type { Exchange } from '../exchange.ts';
import { type ConsoleManifest, readManifest } from './assets.ts';

/**
 * The page may load what this server sends and nothing else: no inline script or style, no other host, no frame but the letter
 * of a message, and no script that is made from text.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // Of the scripts of the page, one module makes addresses of scripts, of its own build alone.
  'trusted-types atrium',
].join('; ');

/**
 * Sends the page of the console; its script decides by the address what it shows. It needs no key: it shows no data. Where the
 * console is not built, as beside sources that nobody has set up, it leads to the reference.
 */
export async function sendPage(exchange: Exchange): Promise<void> {
  const manifest = await readManifest();
  if (!manifest) {
    exchange.headers.location = '/docs';
    return exchange.send(302, '');
  }
  const page = pageOf(manifest);
  Object.assign(exchange.headers, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'cross-origin-opener-policy': 'same-origin',
    // A later version of the program has other files.
    'cache-control': 'no-cache',
  });
  exchange.send(200, page);
}

/**
 * The style sheet has the id of the element in which the accessible parts look for a rule of theirs: it is in the sheet, so
 * they add no inline style.
 */
function pageOf({ main, styles }: ConsoleManifest): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Atrium</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" id="react-aria-pressable-style" href="/console/assets/${styles}">
<script type="module" src="/console/assets/${main}"></script>
</head>
<body>
<noscript>This page needs JavaScript. Programs use the API: <a href="/docs">reference</a>.</noscript>
<div id="console"></div>
</body>
</html>
`;
}

const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%223%22 fill=%22%233257d6%22/%3E%3Cpath d=%22M4 12V7.5a4 4 0 0 1 8 0V12%22 fill=%22none%22 stroke=%22white%22 stroke-width=%222%22/%3E%3C/svg%3E';
