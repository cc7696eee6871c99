import MarkdownIt from 'markdown-it';
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

/** Markdown (CommonMark, with tables and strike-through) as HTML that is safe to show, without a page around it. */
export function markdownToHtml(markdown: string): string {
  return sanitize(renderer.render(markdown), OPTIONS);
}

/** Of a block of HTML the text is shown, and nothing of scripts and style sheets. */
function textOfHtml(html: string): string {
  const text = sanitize(html, { allowedTags: [], allowedAttributes: {} }).trim();
  return text === '' ? '' : `<p>${text}</p>\n`;
}
