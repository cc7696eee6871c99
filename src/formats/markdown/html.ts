import MarkdownIt, { type Env, type Token } from 'markdown-it';
import sanitize from 'sanitize-html';

/**
 * The tags that Markdown itself generates. The sanitizer removes all others, so HTML in the source never becomes
 * HTML of the result.
 */
const OPTIONS: sanitize.IOptions = {
  allowedTags:
    `a blockquote br code del em h1 h2 h3 h4 h5 h6 hr img li ol p pre s strong table tbody td th thead tr
    ul`.split(/\s+/),
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    code: ['class'],
    img: ['src', 'alt', 'title'],
    ol: ['start'],
    td: [{ name: 'style', values: ['text-align:left', 'text-align:center', 'text-align:right'] }],
    th: [{ name: 'style', values: ['text-align:left', 'text-align:center', 'text-align:right'] }],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel', 'ftp'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  selfClosing: ['br', 'hr', 'img'],
  transformTags: { a: sanitize.simpleTransform('a', { rel: 'noopener noreferrer' }) },
  // Style values are compared literally.
  parseStyleAttributes: false,
};

const renderer = new MarkdownIt({ html: true });
// The sanitizer checks URLs; a link without a safe URL keeps only its text.
renderer.validateLink = () => true;
renderer.renderer.rules.html_block = (tokens, at) => textOfHtml(tokens[at]?.content ?? '');
renderer.renderer.rules.html_inline = () => '';

/**
 * Characters of HTML. Each use of a reference link repeats its URL and title, so the HTML can be a thousand times
 * as long as the source.
 */
export const MAX_HTML = 10_000_000;

/** Thrown when the HTML would have more than MAX_HTML characters. */
export class TooMuchHtml extends Error {}

/**
 * Renders Markdown (CommonMark, with tables and strike-through) to safe HTML without a surrounding page. Throws
 * TooMuchHtml before it renders too much.
 */
export function markdownToHtml(markdown: string): string {
  const env: Env = {};
  const tokens = renderer.parse(markdown, env);
  checkLength(tokens);
  return sanitize(renderer.renderer.render(tokens, renderer.options, env), OPTIONS);
}

/** Adds the length of the tokens' HTML, without tag names, to `before`. Throws TooMuchHtml. */
function checkLength(tokens: readonly Token[], before = 0): number {
  let length = before;
  for (const { type, content, attrs, children } of tokens) {
    // The content of an inline token is the source of its children.
    if (type !== 'inline') length += lengthOf(content);
    for (const [name, value] of attrs ?? []) length += name.length + lengthOf(String(value));
    if (length > MAX_HTML) throw new TooMuchHtml(`The HTML would have more than ${MAX_HTML} characters`);
    if (children !== null) length = checkLength(children, length);
  }
  return length;
}

function lengthOf(text: string): number {
  return renderer.utils.escapeHtml(text).length;
}

/** The text of an HTML block, without scripts and style sheets. */
function textOfHtml(html: string): string {
  const text = sanitize(html, { allowedTags: [], allowedAttributes: {} }).trim();
  return text === '' ? '' : `<p>${text}</p>\n`;
}
