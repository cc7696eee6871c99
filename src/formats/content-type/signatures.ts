/** What libmagic calls by another name than everybody else. */
const NAMES: Readonly<Record<string, string>> = {
  'application/vnd.ms-msi': 'application/x-msi',
};

/** Signatures that libmagic answers "unknown" to. */
const SIGNATURES: readonly [signature: readonly number[], type: string][] = [
  [[0x00, 0x01, 0x00, 0x00, 0x00], 'font/ttf'],
  [[0x50, 0x4b, 0x03, 0x04], 'application/zip'],
];

const MANIFEST = Buffer.from('META-INF/MANIFEST.MF');
const EPUB_CONTAINER = Buffer.from('META-INF/container.xml');

/** The type that libmagic found, mended where it is known to be off. */
export function correctedType(type: string, head: Uint8Array): string {
  if (type === 'application/octet-stream') return bySignature(head) ?? type;
  if (type === 'application/java-archive')
    return archiveType(Buffer.from(head.buffer, head.byteOffset, head.length));
  return NAMES[type] ?? type;
}

function bySignature(head: Uint8Array): string | undefined {
  return SIGNATURES.find(([signature]) => signature.every((byte, at) => head[at] === byte))?.[1];
}

/** libmagic takes every archive that begins with META-INF for Java's. */
function archiveType(head: Buffer): string {
  if (head.includes(MANIFEST)) return 'application/java-archive';
  return head.includes(EPUB_CONTAINER) ? 'application/epub+zip' : 'application/zip';
}
