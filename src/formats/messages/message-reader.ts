import { attachmentName, isMessage, SUBJECT_WINDOW } from './attachment-name.ts';
import { BodyForms, type Role, readBody, roleOf } from './body.ts';
import { readHead } from './head.ts';
import { type AttachmentInfo, MAX_TEXT_BYTES, type ParsedMessage } from './message.ts';
import { charsetOf, type Part } from './part.ts';
import type { PartSink } from './part-scanner.ts';
import { type TextContent, textContent } from './text-content.ts';
import { type TransferDecoder, transferDecoder } from './transfer-encodings.ts';

/** Collects the content of a message from its entities: holds texts, only counts attachments. */
export class MessageReader implements PartSink {
  #root: Part | null = null;
  #forms = new BodyForms<TextContent>();
  #attachments: AttachmentInfo[] = [];
  /** The current entity, or the preamble of the current multipart. */
  #leaf: Leaf | null = null;
  #room = MAX_TEXT_BYTES;
  #truncated = false;

  open(part: Part): void {
    this.#root ??= part;
    const role = roleOf(part);
    if (role === 'multipart') this.#forms.enter(part);
    this.#leaf = new Leaf(part, role === 'multipart' ? '' : part.encoding, this.#byteLimit(part, role));
  }

  data(_part: Part, bytes: Uint8Array): void {
    this.#leaf?.add(bytes);
  }

  close(part: Part): void {
    const role = roleOf(part);
    const content = this.#leaf?.part === part ? this.#leaf.finish() : null;
    this.#leaf = null;
    if (content && role === 'attachment') this.#addAttachment(part, content);
    // A multipart without entities, as after a truncating bounce, shows its lines as text.
    else if (content) this.#addText(part, role === 'html' ? 'html' : 'plain', content);
    if (role === 'multipart') this.#forms.leave();
  }

  /** The result, after the last byte. `hidden`: whether a limit hid some of the entities. */
  async message(hidden: boolean): Promise<ParsedMessage> {
    const headers = await readHead(this.#root?.fields ?? [], this.#root ? charsetOf(this.#root) : '');
    const body = await readBody(this.#forms.text, this.#forms.html);
    const truncated = hidden || this.#truncated || headers.truncated || body.truncated;
    return { ...headers, text: body.text, html: body.html, attachments: this.#attachments, truncated };
  }

  #byteLimit(part: Part, role: Role): number {
    if (role !== 'attachment') return this.#room;
    return isMessage(part) ? SUBJECT_WINDOW : 0;
  }

  #addText(part: Part, role: 'plain' | 'html', { start, size }: LeafContent): void {
    this.#room -= start.length;
    this.#truncated ||= start.length < size;
    this.#forms.add(role, textContent(part, role === 'html', start));
  }

  #addAttachment(part: Part, { start, size }: LeafContent): void {
    const filename = attachmentName(part, this.#attachments.length, start);
    this.#attachments.push({ filename, mimeType: part.mediaType, size });
  }
}

interface LeafContent {
  /** The first decoded bytes, up to the limit. */
  start: Uint8Array;
  /** The number of all decoded bytes. */
  size: number;
}

/** The body of one entity during reading: decoded, counted, and held up to a limit. */
class Leaf {
  readonly part: Part;
  #decoder: TransferDecoder;
  #room: number;
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(part: Part, encoding: string, keep: number) {
    this.part = part;
    this.#decoder = transferDecoder(encoding);
    this.#room = keep;
  }

  add(bytes: Uint8Array): void {
    this.#take(this.#decoder.update(bytes));
  }

  finish(): LeafContent {
    this.#take(this.#decoder.finish());
    const [only] = this.#pieces;
    return {
      start: only && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces),
      size: this.#size,
    };
  }

  #take(decoded: Uint8Array): void {
    this.#size += decoded.length;
    if (this.#room === 0 || decoded.length === 0) return;
    const piece = decoded.subarray(0, this.#room);
    this.#room -= piece.length;
    this.#pieces.push(piece);
  }
}
