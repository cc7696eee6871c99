import { compile } from 'html-to-text';
import { MAX_SHOWN_BODY } from './limits.ts';

const LIMITS = { maxInputLength: MAX_SHOWN_BODY, maxDepth: 300, maxChildNodes: 100_000, ellipsis: '' };

const convert = compile({
  wordwrap: false,
  limits: LIMITS,
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** The text of sanitized HTML as a person reads it, without addresses of links and images. */
export function htmlText(html: string): string {
  return convert(html);
}
