import { isAttached, namedBy, type Part } from './part.ts';

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
