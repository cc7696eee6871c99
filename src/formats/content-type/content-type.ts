import { Thread } from '../thread.ts';
import type { LibmagicAnswer } from './libmagic-worker.ts';
import { textType } from './text-types.ts';

/** Usual texts take some twenty milliseconds, the slowest a quarter of a second; bytes that take longer than this are made to. */
const ANSWER_WITHIN_MS = 5_000;
const HEAP_MEGABYTES = 128;
/** Uploads wait with all that they hold anyway; the type of one that is turned away would never be known. */
const WAITING = { each: 1_000, all: 10_000 };

const thread = new Thread<Uint8Array, LibmagicAnswer>({
  module: new URL('./libmagic-worker.ts', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
  heapMegabytes: HEAP_MEGABYTES,
  waiting: WAITING,
});

/** The media type that libmagic tells by the first bytes of some content. Rejects when it finds no answer in time, or cannot be loaded. */
async function askLibmagic(head: Uint8Array): Promise<string> {
  const answer = await thread.ask(head, head.length);
  if ('unusable' in answer) throw new Error(answer.unusable);
  return answer.type;
}

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
interface TypedContent {
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

/** An Apple disk image ends with so many bytes that tell what it is; it may begin with anything. */
const TRAILER_BYTES = 512;

const TRAILER = Buffer.from('koly');

/** What the first blocks of such images are, packed or as they are. */
const FIRST_BLOCKS =
  /^application\/(?:octet-stream|zlib|x-bzip2?|x-xz|x-lzma|x-lzfse|x-apple-diskimage|x-raw-disk-image|x-iso9660-image)$/;

/** Whether content whose beginning is of a type may be a disk image as a whole. */
function mayBeDiskImage(type: string): boolean {
  return FIRST_BLOCKS.test(type);
}

/** Whether these are the last bytes of a disk image. */
function isDiskImage(trailer: Uint8Array): boolean {
  return trailer.length === TRAILER_BYTES && TRAILER.every((byte, at) => trailer[at] === byte);
}

/** What tells how long a tag is. */
const TAG_HEADER_BYTES = 10;

const FLAGS_AT = 5;
const HAS_FOOTER = 0x10;

/** Whether a tag of which these are the first bytes has a footer, of which libmagic knows nothing. */
function hasFooter(head: Uint8Array): boolean {
  return ((head[FLAGS_AT] ?? 0) & HAS_FOOTER) !== 0;
}

/** Where an ID3 tag that stands before audio ends (ID3v2.4.0, 3.1); undefined where there is none. */
function endOfTag(head: Uint8Array): number | undefined {
  const [i, d, three, major = 0xff, minor = 0xff, , ...size] = head.subarray(0, TAG_HEADER_BYTES);
  if (i !== 0x49 || d !== 0x44 || three !== 0x33 || major === 0xff || minor === 0xff) return undefined;
  if (size.length < 4 || size.some((byte) => byte >= 0x80)) return undefined;
  const length = size.reduce((sum, byte) => sum * 0x80 + byte, 0);
  return TAG_HEADER_BYTES + length + (hasFooter(head) ? TAG_HEADER_BYTES : 0);
}

/** What libmagic calls by another name than everybody else. */
const NAMES: Readonly<Record<string, string>> = {
  'application/vnd.ms-msi': 'application/x-msi',
  'application/vnd.ms-visio.drawing.main+xml': 'application/vnd.visio',
  'audio/x-hx-aac-adif': 'audio/aac',
  'audio/x-hx-aac-adts': 'audio/aac',
};

/** Signatures that libmagic answers "unknown" to. */
const SIGNATURES: readonly [signature: readonly number[], type: string][] = [
  [[0x00, 0x01, 0x00, 0x00, 0x00], 'font/ttf'],
  [[0x50, 0x4b, 0x03, 0x04], 'application/zip'],
  // "encrcdsa": a disk image that is encrypted.
  [[0x65, 0x6e, 0x63, 0x72, 0x63, 0x64, 0x73, 0x61], 'application/x-apple-diskimage'],
];

const VISIO = 'application/vnd.visio';
const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const OLE_DIRECTORY_ENTRY_BYTES = 128;
/** The stream that every drawing has, as its directory names it (MS-CFB, 2.6.1): with its end, and how many bytes that takes. */
const VISIO_STREAM = Buffer.from('VisioDocument\0', 'utf16le');
const NAME_LENGTH_AT = 64;
/** The part that every drawing has, and where its name is in the header of an entry of an archive. */
const VISIO_PART = Buffer.from('visio/document.xml');
const ENTRY = Buffer.from('PK\x03\x04');
const ENTRY_NAME_AT = 30;

const MANIFEST = Buffer.from('META-INF/MANIFEST.MF');
const EPUB_CONTAINER = Buffer.from('META-INF/container.xml');

/** The type that libmagic found, mended where it is known to be off. */
function correctedType(type: string, head: Uint8Array): string {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  if (isVisio(type, bytes)) return VISIO;
  if (type === 'application/octet-stream') return bySignature(head) ?? type;
  if (type === 'application/java-archive') return archiveType(bytes);
  return NAMES[type] ?? type;
}

/** Whether it is one of the documents that are file systems in small, as those of Office were. */
function isOle(head: Uint8Array): boolean {
  return OLE.every((byte, at) => head[at] === byte);
}

/** libmagic knows drawings of Visio only by the order of their entries, and those in OLE documents not at all. */
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

/** libmagic takes every archive that begins with META-INF for Java's. */
function archiveType(head: Buffer): string {
  if (head.includes(MANIFEST)) return 'application/java-archive';
  return head.includes(EPUB_CONTAINER) ? 'application/epub+zip' : 'application/zip';
}

function startsWith(bytes: Buffer, at: number, beginning: Buffer): boolean {
  return bytes.subarray(at, at + beginning.length).equals(beginning);
}
