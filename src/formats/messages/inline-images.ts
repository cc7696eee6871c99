import { firstValue } from './header-section.ts';
import { type MessageSource, messagePieces } from './message-pieces.ts';
import type { Part } from './part.ts';
import { PartScanner, type PartSink } from './part-scanner.ts';
import { type TransferDecoder, transferDecoder } from './transfer-encodings.ts';

/** An image that the HTML of a message shows by its Content-ID (RFC 2392). */
export interface InlineImage {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** Image types that hold nothing but pixels. SVG may hold references and scripts. */
const RASTER_TYPES = ['image/png', 'image/jpeg', 'image/jpg', 'image/gif', 'image/webp', 'image/bmp'];

/** The Content-ID that a cid: URL names, decoded as RFC 2392, section 2 says; undefined for another URL. */
export function contentIdOf(url: string): string | undefined {
  if (!/^cid:/i.test(url)) return undefined;
  const encoded = url.slice('cid:'.length);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/**
 * The images of a message by their Content-ID, of those that are wanted; an image that would bring them together above
 * `most` bytes is left out. Rejects with the error of the source.
 */
export async function readInlineImages(
  source: MessageSource,
  wanted: ReadonlySet<string>,
  most: number,
): Promise<Map<string, InlineImage>> {
  const sink = new InlineImageSink(wanted, most);
  const scanner = new PartScanner(sink);
  for await (const piece of messagePieces(source)) scanner.push(piece);
  scanner.end();
  return sink.images;
}

class InlineImageSink implements PartSink {
  readonly images = new Map<string, InlineImage>();
  readonly #wanted: ReadonlySet<string>;
  #room: number;
  #current:
    | { id: string; part: Part; decoder: TransferDecoder; pieces: Uint8Array[]; size: number }
    | undefined;

  constructor(wanted: ReadonlySet<string>, most: number) {
    this.#wanted = wanted;
    this.#room = most;
  }

  open(part: Part): void {
    const id = contentId(part);
    this.#current =
      this.#wanted.has(id) && !this.images.has(id) && RASTER_TYPES.includes(part.mediaType)
        ? { id, part, decoder: transferDecoder(part.encoding), pieces: [], size: 0 }
        : undefined;
  }

  data(_part: Part, bytes: Uint8Array): void {
    if (this.#current) this.#take(this.#current.decoder.update(bytes));
  }

  close(part: Part): void {
    if (this.#current?.part !== part) return;
    this.#take(this.#current.decoder.finish());
    const image = this.#current;
    this.#current = undefined;
    if (!image) return;
    this.#room -= image.size;
    this.images.set(image.id, { mimeType: part.mediaType, bytes: Buffer.concat(image.pieces) });
  }

  #take(decoded: Uint8Array): void {
    if (!this.#current || decoded.length === 0) return;
    this.#current.size += decoded.length;
    if (this.#current.size > this.#room) this.#current = undefined;
    else this.#current.pieces.push(Buffer.from(decoded));
  }
}

/** RFC 2045, section 7: a Content-ID stands in angle brackets. */
function contentId({ fields }: Part): string {
  return firstValue(fields, 'content-id').trim().replace(/^<|>$/g, '');
}
