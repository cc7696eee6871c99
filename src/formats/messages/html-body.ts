import { type SanitizedHtml, sanitizeHtml } from './html-sanitizer.ts';
import { htmlText } from './html-text.ts';
import { cutAt, MAX_SHOWN_BODY } from './message.ts';
import { htmlSource, plainText, type TextContent } from './text-content.ts';

/** The body of a message as the API shows it. */
export interface ShownBody {
  text: string;
  html: string;
  truncated: boolean;
}

/** Whether a text is longer than the API shows. */
export function isTooLong(text: string): boolean {
  return text.length > MAX_SHOWN_BODY;
}

/** Joins texts, each starting on its own line, without the empty ones. */
export function joinText(texts: string[]): string {
  return texts
    .filter((text, index) => text.trim() !== '' || (index === 0 && texts.length === 1))
    .map((text, index, all) => (index < all.length - 1 && !text.endsWith('\n') ? `${text}\n` : text))
    .join('');
}

/** Makes the shown text and HTML of a message from the entities of its two forms. */
export function readHtmlBody(textForm: TextContent[], htmlForm: TextContent[]): ShownBody {
  const sanitized = new Map<TextContent, SanitizedHtml>();
  const sanitizedOf = (content: TextContent): SanitizedHtml => {
    const result = sanitized.get(content) ?? sanitizeHtml(htmlSource(content));
    sanitized.set(content, result);
    return result;
  };
  const html = joinHtml(htmlForm, (content) => sanitizedOf(content).html);
  let isCut = false;
  const textOf = (source: string): string => {
    const { text, truncated } = htmlText(source);
    isCut ||= truncated;
    return text;
  };
  const text = joinText(
    textForm.map((part) => (part.html ? textOf(sanitizedOf(part).html) : plainText(part))),
  );
  // Many senders of HTML add an empty plain form.
  const shown = text.trim() === '' && html !== '' ? textOf(html) : text;
  isCut ||= [...sanitized.values()].some(({ truncated }) => truncated) || isTooLong(shown) || isTooLong(html);
  return {
    text: cutAt(shown, MAX_SHOWN_BODY),
    html: isTooLong(html) ? sanitizeHtml(html).html : html,
    truncated: isCut,
  };
}

/**
 * "" without any HTML entity. Plain entities between HTML ones, such as mailing-list footers, become preformatted
 * text.
 */
function joinHtml(contents: TextContent[], sanitized: (content: TextContent) => string): string {
  if (!contents.some((content) => content.html)) return '';
  return contents
    .map((content) => (content.html ? sanitized(content) : preformatted(plainText(content))))
    .filter((html) => html !== '')
    .join('\n');
}

/** Plain text as HTML that shows its spaces and lines; "" for blanks. */
export function preformatted(text: string): string {
  if (text.trim() === '') return '';
  const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return `<div style="white-space: pre-wrap">${escaped}</div>`;
}
