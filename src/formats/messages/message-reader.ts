import { attachmentName, isMessage, SUBJECT_WINDOW } from './attachment-names.ts';
import { readBody } from './body.ts';
import { BodyForms, type Role, roleOf } from './body-choice.ts';
import { readHead } from './head.ts';
import { Leaf, type LeafContent } from './leaf.ts';
import { MAX_TEXT_BYTES } from './limits.ts';
import type { AttachmentInfo, ParsedMessage } from './message.ts';
import { charsetOf, type Part } from './part.ts';
import type { PartSink } from './part-scanner.ts';
import { type TextContent, textContent } from './text-content.ts';

/** Gathers what a message says from its entities: texts are kept, attachments only counted. */
export class MessageReader implements PartSink {
  #root: Part | null = null;
  #forms = new BodyForms<TextContent>();
  #attachments: AttachmentInfo[] = [];
  /** What is read now: an entity, or what stands before the first entity of a multipart. */
  #leaf: Leaf | null = null;
  #room = MAX_TEXT_BYTES;
  #truncated = false;

  open(part: Part): void {
    this.#root ??= part;
    const role = roleOf(part);
    if (role === 'multipart') this.#forms.enter(part);
    this.#leaf = new Leaf(part, role === 'multipart' ? '' : part.encoding, this.#bytesToKeep(part, role));
  }

  data(_part: Part, bytes: Uint8Array): void {
    this.#leaf?.add(bytes);
  }

  close(part: Part): void {
    const role = roleOf(part);
    const content = this.#leaf?.part === part ? this.#leaf.finish() : null;
    this.#leaf = null;
    if (content && role === 'attachment') this.#addAttachment(part, content);
    // A multipart in which no entity was found, as where a bounce cuts a message off, shows its lines as text.
    else if (content) this.#addText(part, role === 'html' ? 'html' : 'plain', content);
    if (role === 'multipart') this.#forms.leave();
  }

  /** The message, after its last byte. `hidden`: whether a limit hid some of its entities. */
  async message(hidden: boolean): Promise<ParsedMessage> {
    const headers = await readHead(this.#root?.fields ?? [], this.#root ? charsetOf(this.#root) : '');
    const body = await readBody(this.#forms.text, this.#forms.html);
    const truncated = hidden || this.#truncated || headers.truncated || body.truncated;
    return { ...headers, text: body.text, html: body.html, attachments: this.#attachments, truncated };
  }

  #bytesToKeep(part: Part, role: Role): number {
    if (role !== 'attachment') return this.#room;
    return isMessage(part) ? SUBJECT_WINDOW : 0;
  }

  #addText(part: Part, role: 'plain' | 'html', { kept, size }: LeafContent): void {
    this.#room -= kept.length;
    this.#truncated ||= kept.length < size;
    this.#forms.add(role, textContent(part, role === 'html', kept));
  }

  #addAttachment(part: Part, { kept, size }: LeafContent): void {
    const filename = attachmentName(part, this.#attachments.length, kept);
    this.#attachments.push({ filename, mimeType: part.mediaType, size });
  }
}
