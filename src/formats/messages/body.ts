import { TooManyWaiting } from '../../turns/fair-queue.ts';
import { Thread } from '../../turns/thread.ts';
import { decodesFast } from './charsets.ts';
import { isTooLong, joinText, type ShownBody } from './html-body.ts';
import { cutAt, MAX_SHOWN_BODY } from './message.ts';
import { declaredFileName, isAttached, type Part } from './part.ts';
import { plainText, type TextContent } from './text-content.ts';

/** How the API shows an entity. */
export type Role = 'multipart' | 'plain' | 'html' | 'attachment';

/** The role of an entity by RFC 8621 4.1.4; depends only on the entity and on the entities before it. */
export function roleOf(part: Part): Role {
  if (part.boundary !== null) return 'multipart';
  if (isAttached(part) || !maybeBody(part)) return 'attachment';
  return part.mediaType === 'text/html' ? 'html' : 'plain';
}

function maybeBody(part: Part): boolean {
  if (part.parent === null) return readsAsText(part.mediaType);
  if (part.mediaType !== 'text/plain' && part.mediaType !== 'text/html') return false;
  return part.index === 0 || (part.parent.mediaType !== 'multipart/related' && declaredFileName(part) === '');
}

/** RFC 2046 4.1.4: an unknown text type is shown as plain text. Calendar and vCard types are known. */
function readsAsText(mediaType: string): boolean {
  return (
    mediaType.startsWith('text/') &&
    !/^text\/(?:calendar|x-vcalendar|vcard|x-vcard|directory)$/.test(mediaType)
  );
}

interface Scope {
  part: Part;
  /** Whether the following entities still belong to the plain form and to the HTML form of the body. */
  toText: boolean;
  toHtml: boolean;
  textBefore: number;
  htmlBefore: number;
  inAlternative: boolean;
}

/**
 * Sorts the text entities into the two forms of a body, plain and HTML, as `parseStructure` in RFC 8621 4.1.4. An
 * entity without a counterpart in the other form belongs to both.
 */
export class BodyForms<T> {
  readonly text: T[] = [];
  readonly html: T[] = [];
  #scopes: Scope[] = [];

  enter(part: Part): void {
    const outer = this.#scopes.at(-1);
    this.#scopes.push({
      part,
      toText: outer?.toText ?? true,
      toHtml: outer?.toHtml ?? true,
      textBefore: this.text.length,
      htmlBefore: this.html.length,
      inAlternative: (outer?.inAlternative ?? false) || part.mediaType === 'multipart/alternative',
    });
  }

  add(role: 'plain' | 'html', body: T): void {
    const scope = this.#scopes.at(-1);
    if (scope?.part.mediaType === 'multipart/alternative') {
      (role === 'plain' ? this.text : this.html).push(body);
      return;
    }
    if (scope?.inAlternative && role === 'plain') scope.toHtml = false;
    if (scope?.inAlternative && role === 'html') scope.toText = false;
    if (scope?.toText ?? true) this.text.push(body);
    if (scope?.toHtml ?? true) this.html.push(body);
  }

  leave(): void {
    const scope = this.#scopes.pop();
    if (scope?.part.mediaType !== 'multipart/alternative') return;
    const texts = this.text.slice(scope.textBefore);
    const htmls = this.html.slice(scope.htmlBefore);
    if (htmls.length === 0) this.html.push(...texts);
    if (texts.length === 0) this.text.push(...htmls);
  }
}

/** A large body takes up to a second. A body that takes longer than this limit is hostile. */
const TIMEOUT_MS = 15_000;
const HEAP_MEGABYTES = 512;

const thread = new Thread<{ textForm: TextContent[]; htmlForm: TextContent[] }, ShownBody>({
  module: new URL('./html-worker.ts', import.meta.url),
  timeoutMs: TIMEOUT_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/** Reads an HTML body in a worker thread. Rejects when the thread fails, for example on lack of memory or time. */
function readInThread(textForm: TextContent[], htmlForm: TextContent[]): Promise<ShownBody> {
  const size = [...textForm, ...htmlForm].reduce((sum, { bytes }) => sum + bytes.length, 0);
  return thread.ask({ textForm, htmlForm }, size);
}

/** Plain text up to this size is read faster here, in tens of milliseconds at worst, than through a thread. */
const MAX_PLAIN_HERE = 256 * 1024;

/** The same limit for HTML and for charsets without a fast decoder: each byte costs a hundred times as much. */
const MAX_SLOW_HERE = 32 * 1024;

/** The least size that an entity counts with: the fixed cost of reading one entity. */
const LEAST_SIZE = 1024;

/**
 * Makes the shown text and HTML of a message from the entities of its two forms. Leaves out unreadable content and
 * content beyond a limit. Rejects only with TooManyWaiting; the caller may then try again.
 */
export async function readBody(textForm: TextContent[], htmlForm: TextContent[]): Promise<ShownBody> {
  try {
    if (!isReadHere(textForm, htmlForm)) return await readInThread(textForm, htmlForm);
    if (![...textForm, ...htmlForm].some(({ html }) => html)) return readPlainBody(textForm);
    // Imported with the first HTML message: its libraries would be a fifth of the memory of an idle server.
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

/** The start of the plain texts, up to a size that is always read in this thread. */
function startOf(contents: TextContent[]): TextContent[] {
  let room = MAX_SLOW_HERE;
  const start: TextContent[] = [];
  for (const content of contents) {
    if (content.html || room <= 0) continue;
    const bytes = content.bytes.subarray(0, room);
    room -= Math.max(bytes.length, LEAST_SIZE);
    start.push({ ...content, bytes });
  }
  return start;
}

function readPlainBody(contents: TextContent[]): ShownBody {
  const text = joinText(contents.map(plainText));
  return { text: cutAt(text, MAX_SHOWN_BODY), html: '', truncated: isTooLong(text) };
}
