import { Readable } from 'node:stream';
import { BlobsFull } from '../../../blobs/blob-store.ts';
import { Content } from '../../../contract/answers.ts';
import { contentIdOf, type InlineImage, readInlineImages } from '../../../formats/messages/inline-images.ts';
import { StorageFull } from '../../../storage/database.ts';
import { FairGate } from '../../../turns/fair-gate.ts';
import { TooManyWaiting } from '../../../turns/fair-queue.ts';
import type { MessageStaging } from '../arrival/staging.ts';

/** Whether a reader lets the pictures be loaded that a message keeps on servers of others, which tells them of it. */
export type RemoteImages = 'none' | 'remote';

/** What a letter is made of. */
export interface LetterSource {
  /** The sanitized HTML; "" for a message of text only. */
  readonly html: string;
  readonly text: string;
  readonly openRaw: () => Promise<Readable | Uint8Array>;
  /** Keeps a long letter while it is sent. */
  readonly staging: Pick<MessageStaging, 'stageContent' | 'open'>;
}

/** Most bytes of the images of one letter. Those that come later in the message are left out (MAIL-94). */
const MOST_IMAGES = 8 * 1024 * 1024;
/** Bytes. A shorter letter is sent from memory; a longer one is staged, so that a slow reader holds nothing in memory. */
const LONGEST_FROM_MEMORY = 256 * 1024;
/** Letters whose images are in memory together. */
const AT_ONCE = { all: 4, each: 1 };

/** The sanitizer writes "<" and ">" for tags only: in texts and attributes they are entities. */
const IMAGE = /<img\b[^<>]*>/g;
/** An attribute with its value, in which a quote is an entity. */
const ATTRIBUTE = / ([^\s="<>/]+)(?:="([^"]*)")?/g;

const gate = new FairGate(AT_ONCE);

/** A message as a page of its own, to be shown in a frame. */
export function letterOf(letter: LetterSource, images: RemoteImages): Content {
  return new Content({
    mediaType: 'text/html; charset=utf-8',
    contentSecurityPolicy: policyOf(images),
    open: () => openLetter(letter, images),
  });
}

/** Nothing of it runs, is sent or loaded, but the pictures that the reader asks for; only pages of the same origin frame it. */
function policyOf(images: RemoteImages): string {
  const sources = images === 'remote' ? 'data: https:' : 'data:';
  return [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src ${sources}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-popups allow-popups-to-escape-sandbox',
  ].join('; ');
}

/** Rejects with TooManyWaiting. */
async function openLetter(letter: LetterSource, images: RemoteImages): Promise<Readable | Uint8Array> {
  const { html, text, openRaw, staging } = letter;
  const ids = contentIdsIn(html);
  if (ids.size === 0) return Buffer.from(documentOf(html, text, images, new Map()));
  return gate.pass(async () => {
    const found = await readInlineImages(await openRaw(), ids, MOST_IMAGES);
    const bytes = Buffer.from(documentOf(html, text, images, found));
    return bytes.length > LONGEST_FROM_MEMORY ? staged(staging, bytes) : bytes;
  });
}

/** The bytes from the store, which forgets them when they have been read. */
async function staged(staging: LetterSource['staging'], bytes: Uint8Array): Promise<Readable | Uint8Array> {
  const { location, discard } = await staging.stageContent(Readable.from([bytes])).catch((cause) => {
    const isFull = cause instanceof BlobsFull || cause instanceof StorageFull;
    throw isFull ? new TooManyWaiting('there is no room for a long letter', { cause }) : cause;
  });
  try {
    const source = await staging.open(location);
    return source instanceof Readable ? source.once('close', () => void discard()) : source;
  } catch (error) {
    await discard();
    throw error;
  }
}

function contentIdsIn(html: string): Set<string> {
  const ids = [...html.matchAll(IMAGE)].map(([tag]) => contentIdOf(sourceOf(tag)));
  return new Set(ids.filter((id) => id !== undefined));
}

function documentOf(
  html: string,
  text: string,
  images: RemoteImages,
  found: ReadonlyMap<string, InlineImage>,
): string {
  const body =
    html === '' ? `<pre style="white-space: pre-wrap">${escaped(text)}</pre>` : shown(html, images, found);
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head><body>${body}</body></html>`;
}

/** The HTML with its own pictures in it, as often as fits; without addresses of those that are not to be loaded. */
function shown(html: string, images: RemoteImages, found: ReadonlyMap<string, InlineImage>): string {
  const urls = new Map<string, string>();
  let room = MOST_IMAGES;
  return html.replace(IMAGE, (tag) => {
    const source = sourceOf(tag);
    const id = contentIdOf(source);
    if (id === undefined) return images === 'remote' || /^data:/i.test(source) ? tag : withSource(tag, '');
    const image = found.get(id);
    room -= image?.bytes.length ?? 0;
    if (!image || room < 0) return withSource(tag, '');
    const url = urls.get(id) ?? dataUrl(image);
    urls.set(id, url);
    return withSource(tag, ` src="${url}"`);
  });
}

/** The tag with this attribute in place of its source. */
function withSource(tag: string, source: string): string {
  return tag.replace(ATTRIBUTE, (attribute: string, name: string) => (name === 'src' ? source : attribute));
}

function sourceOf(tag: string): string {
  const value = [...tag.matchAll(ATTRIBUTE)].find(([, name]) => name === 'src')?.[2] ?? '';
  return value
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

function dataUrl({ mimeType, bytes }: InlineImage): string {
  return `data:${mimeType};base64,${Buffer.from(bytes).toString('base64')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
