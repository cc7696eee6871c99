import { isDiskImage, mayBeDiskImage, TRAILER_BYTES } from './disk-image.ts';
import { askLibmagic } from './libmagic.ts';
import { correctedType, isOle } from './signatures.ts';
import { endOfTag, hasFooter, TAG_HEADER_BYTES } from './tags.ts';
import { textType } from './text-types.ts';

/** How many bytes, from the first, tell most types. */
export const HEAD_BYTES = 64 * 1024;

/** How many bytes are looked at where those of the head are not enough. */
export const LONG_HEAD_BYTES = 1024 * 1024;

const UNKNOWN_TYPE = 'application/octet-stream';
export const EMPTY_TYPE = 'application/x-empty';
/** What OLE documents are called of which no more is known. */
const UNTOLD_OLE = new Set([UNKNOWN_TYPE, 'application/vnd.ms-office', 'application/x-ole-storage']);
const APPLE_DISK_IMAGE = 'application/x-apple-diskimage';
/** What most audio with a tag is. */
const TAGGED_AUDIO = 'audio/mpeg';
/** Programs that add a tag to one that is there are wrong, but there are some. */
const MOST_TAGS = 8;

/** What a type is told by. */
export interface TypedContent {
  filename: string;
  /** The first HEAD_BYTES, or all that there are. */
  head: Uint8Array;
  /** All of the content, as soon as it can be read. */
  whole(): Promise<ReadableContent>;
}

/** Content of which any part can be read. */
export interface ReadableContent {
  readonly size: number;
  /** The bytes from one place up to another, or to the end where that is nearer. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/**
 * The type of content by its first bytes, and where these do not tell by others. The filename is asked only where they are
 * text without a signature. docs/content-types.md tells what the answers agree with. Rejects where `whole` does.
 */
export async function contentTypeOf(content: TypedContent): Promise<string> {
  const { filename, head } = content;
  if (head.length === 0) return EMPTY_TYPE;
  const found = await typeOf(head, filename);
  const type = needsMore(found, head) ? await typeByMore(content, found) : found;
  return mayBeDiskImage(type) && isDiskImage(await trailerOf(content)) ? APPLE_DISK_IMAGE : type;
}

async function typeOf(head: Uint8Array, filename: string): Promise<string> {
  const type = correctedType(await typeBySignature(head), head);
  return textType(type, head, filename) ?? type;
}

/** JSON is told by its end as well, an OLE document by its directory, which may be anywhere, and audio by what follows its tag. */
function needsMore(type: string, head: Uint8Array): boolean {
  if (isTagged(type, head) && hasFooter(head)) return true;
  if (head.length < HEAD_BYTES) return false;
  if (isOle(head)) return UNTOLD_OLE.has(type);
  if (isTagged(type, head)) return true;
  const isText = type.startsWith('text/') || type === 'application/x-ndjson';
  return isText && /^(?:\xEF\xBB\xBF)?\s*[[{]/.test(beginning(head));
}

function isTagged(type: string, head: Uint8Array): boolean {
  return (type === UNKNOWN_TYPE || hasFooter(head)) && endOfTag(head) !== undefined;
}

async function typeByMore({ filename, head, whole }: TypedContent, found: string): Promise<string> {
  const content = await whole();
  if (isTagged(found, head)) return typeBehindTags(content);
  return typeOf(await content.read(0, LONG_HEAD_BYTES), filename);
}

async function typeBehindTags({ read }: ReadableContent): Promise<string> {
  let at = 0;
  for (let tags = 0; tags < MOST_TAGS; tags++) {
    const end = endOfTag(await read(at, at + TAG_HEADER_BYTES));
    if (end === undefined) break;
    at += end;
  }
  const audio = await read(at, at + HEAD_BYTES);
  const type = correctedType(await typeBySignature(audio), audio);
  return type.startsWith('audio/') ? type : TAGGED_AUDIO;
}

async function trailerOf({ head, whole }: TypedContent): Promise<Uint8Array> {
  if (head.length < HEAD_BYTES) return head.subarray(Math.max(0, head.length - TRAILER_BYTES));
  const { size, read } = await whole();
  return read(size - TRAILER_BYTES, size);
}

function beginning(head: Uint8Array): string {
  return Buffer.from(head.subarray(0, 1024)).toString('latin1');
}

/** Content that libmagic cannot cope with has no type that is known; that is no reason to refuse it. */
async function typeBySignature(head: Uint8Array): Promise<string> {
  try {
    return (await askLibmagic(head)).toLowerCase();
  } catch {
    return UNKNOWN_TYPE;
  }
}
