/** What tells how long a tag is. */
export const TAG_HEADER_BYTES = 10;

const FLAGS_AT = 5;
const HAS_FOOTER = 0x10;

/** Whether a tag of which these are the first bytes has a footer, of which libmagic knows nothing. */
export function hasFooter(head: Uint8Array): boolean {
  return ((head[FLAGS_AT] ?? 0) & HAS_FOOTER) !== 0;
}

/** Where an ID3 tag that stands before audio ends (ID3v2.4.0, 3.1); undefined where there is none. */
export function endOfTag(head: Uint8Array): number | undefined {
  const [i, d, three, major = 0xff, minor = 0xff, , ...size] = head.subarray(0, TAG_HEADER_BYTES);
  if (i !== 0x49 || d !== 0x44 || three !== 0x33 || major === 0xff || minor === 0xff) return undefined;
  if (size.length < 4 || size.some((byte) => byte >= 0x80)) return undefined;
  const length = size.reduce((sum, byte) => sum * 0x80 + byte, 0);
  return TAG_HEADER_BYTES + length + (hasFooter(head) ? TAG_HEADER_BYTES : 0);
}
