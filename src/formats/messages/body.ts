import { readInThread } from './html-thread.ts';
import { MAX_SHOWN_BODY } from './limits.ts';
import { cutAt } from './plain-strings.ts';
import { isTooLong, joinText, type ShownBody } from './shown-body.ts';
import { plainText, type TextContent } from './text-content.ts';

/** HTML up to this many bytes takes less time to read, tens of milliseconds at worst, than another thread to ask. */
const MAX_READ_HERE = 64 * 1024;

/** Makes the shown text and HTML of a message from the entities that belong to the one and the other. */
export async function readBody(textForm: TextContent[], htmlForm: TextContent[]): Promise<ShownBody> {
  const htmls = new Set([...textForm, ...htmlForm].filter(({ html }) => html));
  if (htmls.size === 0) return readPlainBody(textForm);
  const size = [...htmls].reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > MAX_READ_HERE) return readLargeHtml(textForm, htmlForm);
  // Loaded with the first message that has HTML: its libraries are a fifth of what an idle server would hold.
  const { readHtmlBody } = await import('./html-body.ts');
  return readHtmlBody(textForm, htmlForm);
}

/** HTML that the thread cannot read is left out, like everything that is past a limit. */
async function readLargeHtml(textForm: TextContent[], htmlForm: TextContent[]): Promise<ShownBody> {
  try {
    return await readInThread(textForm, htmlForm);
  } catch {
    return { ...readPlainBody(textForm.filter(({ html }) => !html)), truncated: true };
  }
}

function readPlainBody(contents: TextContent[]): ShownBody {
  const text = joinText(contents.map(plainText));
  return { text: cutAt(text, MAX_SHOWN_BODY), html: '', truncated: isTooLong(text) };
}
