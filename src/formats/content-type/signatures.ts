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
export function correctedType(type: string, head: Uint8Array): string {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  if (isVisio(type, bytes)) return VISIO;
  if (type === 'application/octet-stream') return bySignature(head) ?? type;
  if (type === 'application/java-archive') return archiveType(bytes);
  return NAMES[type] ?? type;
}

/** Whether it is one of the documents that are file systems in small, as those of Office were. */
export function isOle(head: Uint8Array): boolean {
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
