import { MAX_SHOWN_BODY } from './limits.ts';
import { cutAt } from './plain-strings.ts';
import { isTooLong, joinText, type ShownBody } from './shown-body.ts';
import { plainText, type TextContent } from './text-content.ts';

/** Makes the shown text and HTML of a message from the entities that belong to the one and the other. */
export async function readBody(textForm: TextContent[], htmlForm: TextContent[]): Promise<ShownBody> {
  if (![...textForm, ...htmlForm].some(({ html }) => html)) return readPlainBody(textForm);
  // Loaded with the first message that has HTML: its libraries are a fifth of what an idle server would hold.
  const { readHtmlBody } = await import('./html-body.ts');
  return readHtmlBody(textForm, htmlForm);
}

function readPlainBody(contents: TextContent[]): ShownBody {
  const text = joinText(contents.map(plainText));
  return { text: cutAt(text, MAX_SHOWN_BODY), html: '', truncated: isTooLong(text) };
}
