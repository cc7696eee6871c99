import MarkdownIt, { type Env, type Token } from 'markdown-it';
import sanitize from 'sanitize-html';

/**
 * The tags that Markdown itself makes. What is in the result beside them, sanitizing takes out: nothing of HTML in the
 * source becomes HTML of the result.
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
  // They are compared as they are.
  parseStyleAttributes: false,
};

const renderer = new MarkdownIt({ html: true });
// Which addresses are safe sanitizing decides; a link without one keeps its text only.
renderer.validateLink = () => true;
renderer.renderer.rules.html_block = (tokens, at) => textOfHtml(tokens[at]?.content ?? '');
renderer.renderer.rules.html_inline = () => '';

/**
 * Characters of HTML. A reference brings its address and its title to each place that names it, so the HTML of a small text
 * may be a thousand times as long.
 */
export const MAX_HTML = 10_000_000;

/** The HTML would have more than MAX_HTML characters. */
export class TooMuchHtml extends Error {}

/**
 * Markdown (CommonMark, with tables and strike-through) as HTML that is safe to show, without a page around it. Throws
 * TooMuchHtml before that is made.
 */
export function markdownToHtml(markdown: string): string {
  const env: Env = {};
  const tokens = renderer.parse(markdown, env);
  checkLength(tokens);
  return sanitize(renderer.renderer.render(tokens, renderer.options, env), OPTIONS);
}

/** Counts what tokens bring to the HTML beside the names of tags; answers `before` with that added. Throws TooMuchHtml. */
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

/** Of a block of HTML the text is shown, and nothing of scripts and style sheets. */
function textOfHtml(html: string): string {
  const text = sanitize(html, { allowedTags: [], allowedAttributes: {} }).trim();
  return text === '' ? '' : `<p>${text}</p>\n`;
}
