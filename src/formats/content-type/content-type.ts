import { Thread } from '../../turns/thread.ts';
import type { LibmagicReply } from './libmagic-worker.ts';
import { textType } from './text-types.ts';

/**
 * Usual texts take about twenty milliseconds, the slowest a quarter of a second. Bytes that take longer than this
 * limit are hostile.
 */
const TIMEOUT_MS = 5_000;
const HEAP_MEGABYTES = 128;
/** Uploads wait with their data in any case; the type of a refused upload would never be known. */
const WAITING = { each: 1_000, all: 10_000 };

const thread = new Thread<Uint8Array, LibmagicReply>({
  module: new URL('./libmagic-worker.ts', import.meta.url),
  timeoutMs: TIMEOUT_MS,
  heapMegabytes: HEAP_MEGABYTES,
  waiting: WAITING,
});

/**
 * The media type by libmagic from the first bytes. Rejects without a reply in time, or when libmagic cannot be
 * loaded.
 */
async function askLibmagic(head: Uint8Array): Promise<string> {
  const reply = await thread.ask(head, head.length);
  if ('unusable' in reply) throw new Error(reply.unusable);
  return reply.type;
}

/** The number of bytes from the start that identify most types. */
export const HEAD_BYTES = 64 * 1024;

/** The number of bytes to read when the head is not enough. */
export const LONG_HEAD_BYTES = 1024 * 1024;

const UNKNOWN_TYPE = 'application/octet-stream';
export const EMPTY_TYPE = 'application/x-empty';
/** The generic types that libmagic reports for OLE documents. */
const GENERIC_OLE_TYPES = new Set([UNKNOWN_TYPE, 'application/vnd.ms-office', 'application/x-ole-storage']);
const APPLE_DISK_IMAGE = 'application/x-apple-diskimage';
/** The usual type of audio with an ID3 tag. */
const TAGGED_AUDIO = 'audio/mpeg';
/** Most consecutive tags skipped. Programs must not add a second tag, but some do. */
const MOST_TAGS = 8;

/** The input for type detection. */
interface TypedContent {
  filename: string;
  /** The first HEAD_BYTES, or the whole content when it is shorter. */
  head: Uint8Array;
  /** The whole content, as soon as it is readable. */
  whole(): Promise<ReadableContent>;
}

/** Content with random access. */
export interface ReadableContent {
  readonly size: number;
  /** The bytes from `start` to `end`, or to the end of the content if that comes first. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/**
 * Detects the type of content by its first bytes, or by others when they do not suffice. Uses the file name only
 * for text without a signature. docs/content-types.md names the references for the results. Rejects when `whole`
 * does.
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

/**
 * JSON needs its end as well, an OLE document its directory, which may be anywhere, and audio the bytes after its
 * tag.
 */
function needsMore(type: string, head: Uint8Array): boolean {
  if (isTagged(type, head) && hasFooter(head)) return true;
  if (head.length < HEAD_BYTES) return false;
  if (isOle(head)) return GENERIC_OLE_TYPES.has(type);
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

/** Content that libmagic fails on has an unknown type. The upload is accepted all the same. */
async function typeBySignature(head: Uint8Array): Promise<string> {
  try {
    return (await askLibmagic(head)).toLowerCase();
  } catch {
    return UNKNOWN_TYPE;
  }
}

/** An Apple disk image is identified by its last 512 bytes; its start can be anything. */
const TRAILER_BYTES = 512;

const TRAILER = Buffer.from('koly');

/** Types detected for the first blocks of such images, compressed or not. */
const FIRST_BLOCKS =
  /^application\/(?:octet-stream|zlib|x-bzip2?|x-xz|x-lzma|x-lzfse|x-apple-diskimage|x-raw-disk-image|x-iso9660-image)$/;

/** Whether content with this detected type may be a disk image. */
function mayBeDiskImage(type: string): boolean {
  return FIRST_BLOCKS.test(type);
}

/** Whether these last bytes of content are those of a disk image. */
function isDiskImage(trailer: Uint8Array): boolean {
  return trailer.length === TRAILER_BYTES && TRAILER.every((byte, at) => trailer[at] === byte);
}

/** The ID3 header, which holds the length of the tag. */
const TAG_HEADER_BYTES = 10;

const FLAGS_AT = 5;
const HAS_FOOTER = 0x10;

/** Whether the tag has a footer, which libmagic does not support. */
function hasFooter(head: Uint8Array): boolean {
  return ((head[FLAGS_AT] ?? 0) & HAS_FOOTER) !== 0;
}

/** The end of an ID3 tag before audio (ID3v2.4.0 3.1); undefined without a tag. */
function endOfTag(head: Uint8Array): number | undefined {
  const [i, d, three, major = 0xff, minor = 0xff, , ...size] = head.subarray(0, TAG_HEADER_BYTES);
  if (i !== 0x49 || d !== 0x44 || three !== 0x33 || major === 0xff || minor === 0xff) return undefined;
  if (size.length < 4 || size.some((byte) => byte >= 0x80)) return undefined;
  const length = size.reduce((sum, byte) => sum * 0x80 + byte, 0);
  return TAG_HEADER_BYTES + length + (hasFooter(head) ? TAG_HEADER_BYTES : 0);
}

/** libmagic's type names that differ from the usual ones. */
const NAMES: Readonly<Record<string, string>> = {
  'application/vnd.ms-msi': 'application/x-msi',
  'application/vnd.ms-visio.drawing.main+xml': 'application/vnd.visio',
  'audio/x-hx-aac-adif': 'audio/aac',
  'audio/x-hx-aac-adts': 'audio/aac',
};

/** Signatures of types that libmagic reports as unknown. */
const SIGNATURES: readonly [signature: readonly number[], type: string][] = [
  [[0x00, 0x01, 0x00, 0x00, 0x00], 'font/ttf'],
  [[0x50, 0x4b, 0x03, 0x04], 'application/zip'],
  // "encrcdsa": an encrypted disk image.
  [[0x65, 0x6e, 0x63, 0x72, 0x63, 0x64, 0x73, 0x61], 'application/x-apple-diskimage'],
];

const VISIO = 'application/vnd.visio';
const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const OLE_DIRECTORY_ENTRY_BYTES = 128;
/**
 * The stream that every Visio drawing has, as named in its directory (MS-CFB 2.6.1) with the terminator, and the
 * offset of the name length.
 */
const VISIO_STREAM = Buffer.from('VisioDocument\0', 'utf16le');
const NAME_LENGTH_AT = 64;
/** The file that every Visio drawing contains, and the offset of the name in a header of an archive entry. */
const VISIO_PART = Buffer.from('visio/document.xml');
const ENTRY = Buffer.from('PK\x03\x04');
const ENTRY_NAME_AT = 30;

const MANIFEST = Buffer.from('META-INF/MANIFEST.MF');
const EPUB_CONTAINER = Buffer.from('META-INF/container.xml');

/** The type from libmagic, corrected where libmagic is known to be wrong. */
function correctedType(type: string, head: Uint8Array): string {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  if (isVisio(type, bytes)) return VISIO;
  if (type === 'application/octet-stream') return bySignature(head) ?? type;
  if (type === 'application/java-archive') return archiveType(bytes);
  return NAMES[type] ?? type;
}

/** Whether it is an OLE document (compound file), the format of older Office documents. */
function isOle(head: Uint8Array): boolean {
  return OLE.every((byte, at) => head[at] === byte);
}

/** libmagic recognizes Visio drawings only by the order of their entries, and never within OLE documents. */
function isVisio(type: string, head: Buffer): boolean {
  if (isOle(head)) return hasVisioStream(head);
  const isArchive = startsWith(head, 0, ENTRY) && type.startsWith('application/');
  return isArchive && hasEntry(head, VISIO_PART);
}

function hasVisioStream(head: Buffer): boolean {
  for (let at = head.indexOf(VISIO_STREAM); at !== -1; at = head.indexOf(VISIO_STREAM, at + 1)) {
    const isEntry = at % OLE_DIRECTORY_ENTRY_BYTES === 0;
    if (isEntry && head[at + NAME_LENGTH_AT] === VISIO_STREAM.length) return true;
  }
  return false;
}

function hasEntry(head: Buffer, name: Buffer): boolean {
  for (let at = head.indexOf(name); at !== -1; at = head.indexOf(name, at + 1)) {
    if (at >= ENTRY_NAME_AT && startsWith(head, at - ENTRY_NAME_AT, ENTRY)) return true;
  }
  return false;
}

function bySignature(head: Uint8Array): string | undefined {
  return SIGNATURES.find(([signature]) => signature.every((byte, at) => head[at] === byte))?.[1];
}

/** libmagic reports every archive that starts with META-INF as a Java archive. */
function archiveType(head: Buffer): string {
  if (head.includes(MANIFEST)) return 'application/java-archive';
  return head.includes(EPUB_CONTAINER) ? 'application/epub+zip' : 'application/zip';
}

function startsWith(bytes: Buffer, at: number, beginning: Buffer): boolean {
  return bytes.subarray(at, at + beginning.length).equals(beginning);
}
