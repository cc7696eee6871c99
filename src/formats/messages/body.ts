import { TooManyWaiting } from '../../turns/fair-queue.ts';
import { Thread } from '../thread.ts';
import { decodesFast } from './charsets.ts';
import { isTooLong, joinText, type ShownBody } from './html-body.ts';
import { cutAt, MAX_SHOWN_BODY } from './message.ts';
import { isAttached, namedBy, type Part } from './part.ts';
import { plainText, type TextContent } from './text-content.ts';

/** What an entity is to the reader of a message. */
export type Role = 'multipart' | 'plain' | 'html' | 'attachment';

/** The role of an entity, by RFC 8621 4.1.4; only what stands before it in the message counts. */
export function roleOf(part: Part): Role {
  if (part.boundary !== null) return 'multipart';
  if (isAttached(part) || !maybeBody(part)) return 'attachment';
  return part.mediaType === 'text/html' ? 'html' : 'plain';
}

function maybeBody(part: Part): boolean {
  if (part.parent === null) return readsAsText(part.mediaType);
  if (part.mediaType !== 'text/plain' && part.mediaType !== 'text/html') return false;
  return part.index === 0 || (part.parent.mediaType !== 'multipart/related' && namedBy(part) === '');
}

/** RFC 2046 4.1.4: text of an unknown kind is shown as plain text. Calendars and cards are known kinds. */
function readsAsText(mediaType: string): boolean {
  return (
    mediaType.startsWith('text/') &&
    !/^text\/(?:calendar|x-vcalendar|vcard|x-vcard|directory)$/.test(mediaType)
  );
}

interface Scope {
  part: Part;
  /** Whether what follows here still belongs to the plain, and to the HTML form of the body. */
  toText: boolean;
  toHtml: boolean;
  textBefore: number;
  htmlBefore: number;
  inAlternative: boolean;
}

/**
 * Sorts the text entities into the two forms of a body, plain and HTML: RFC 8621 4.1.4, `parseStructure`.
 * An entity without a counterpart in the other form belongs to both.
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

/** A large body takes up to a second; one that takes longer than this is made to. */
const ANSWER_WITHIN_MS = 15_000;
const HEAP_MEGABYTES = 512;

const thread = new Thread<{ textForm: TextContent[]; htmlForm: TextContent[] }, ShownBody>({
  module: new URL('./html-worker.ts', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/** What people see of a message with HTML. Rejects when the thread cannot read it, as for want of memory or of time. */
function readInThread(textForm: TextContent[], htmlForm: TextContent[]): Promise<ShownBody> {
  const size = [...textForm, ...htmlForm].reduce((sum, { bytes }) => sum + bytes.length, 0);
  return thread.ask({ textForm, htmlForm }, size);
}

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
