import { TooManyWaiting } from '../../turns/fair-queue.ts';
import { decodesFast } from './charsets.ts';
import { readInThread } from './html-thread.ts';
import { MAX_SHOWN_BODY } from './limits.ts';
import { cutAt } from './plain-strings.ts';
import { isTooLong, joinText, type ShownBody } from './shown-body.ts';
import { plainText, type TextContent } from './text-content.ts';

/** Plain text up to this many bytes takes less time to read, tens of milliseconds at worst, than another thread to ask. */
const MAX_PLAIN_HERE = 256 * 1024;

/** The same of HTML and of charsets that no fast decoder knows: each byte costs a hundred times as much. */
const MAX_SLOW_HERE = 32 * 1024;

/** An entity counts as this much at least: to begin with one takes as long as to read so many bytes. */
const LEAST_SIZE = 1024;

/**
 * Makes the shown text and HTML of a message from the entities that belong to the one and the other. What cannot be read is
 * left out, like everything that is past a limit. Rejects with TooManyWaiting, after which the same may be read.
 */
export async function readBody(textForm: TextContent[], htmlForm: TextContent[]): Promise<ShownBody> {
  try {
    if (!isReadHere(textForm, htmlForm)) return await readInThread(textForm, htmlForm);
    if (![...textForm, ...htmlForm].some(({ html }) => html)) return readPlainBody(textForm);
    // Loaded with the first message that has HTML: its libraries are a fifth of what an idle server would hold.
    const { readHtmlBody } = await import('./html-body.ts');
    return readHtmlBody(textForm, htmlForm);
  } catch (cause) {
    if (cause instanceof TooManyWaiting) throw cause;
    return { ...readPlainBody(startOf(textForm)), truncated: true };
  }
}

function isReadHere(textForm: TextContent[], htmlForm: TextContent[]): boolean {
  let all = 0;
  let slow = 0;
  for (const content of new Set([...textForm, ...htmlForm])) {
    const size = Math.max(content.bytes.length, LEAST_SIZE);
    all += size;
    if (content.html || !decodesFast(content.charset)) slow += size;
  }
  return all <= MAX_PLAIN_HERE && slow <= MAX_SLOW_HERE;
}

/** Of the plain texts as much as is read here whatever it is. */
function startOf(contents: TextContent[]): TextContent[] {
  let room = MAX_SLOW_HERE;
  const kept: TextContent[] = [];
  for (const content of contents) {
    if (content.html || room <= 0) continue;
    const bytes = content.bytes.subarray(0, room);
    room -= Math.max(bytes.length, LEAST_SIZE);
    kept.push({ ...content, bytes });
  }
  return kept;
}

function readPlainBody(contents: TextContent[]): ShownBody {
  const text = joinText(contents.map(plainText));
  return { text: cutAt(text, MAX_SHOWN_BODY), html: '', truncated: isTooLong(text) };
}
