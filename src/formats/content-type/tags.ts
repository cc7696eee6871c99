/** What tells how long a tag is. */
export const TAG_HEADER_BYTES = 10;

const HAS_FOOTER = 0x10;

/** Where an ID3 tag that stands before audio ends (ID3v2.4.0, 3.1); undefined where there is none. */
export function endOfTag(head: Uint8Array): number | undefined {
  const [i, d, three, major = 0xff, minor = 0xff, flags = 0, ...size] = head.subarray(0, TAG_HEADER_BYTES);
  if (i !== 0x49 || d !== 0x44 || three !== 0x33 || major === 0xff || minor === 0xff) return undefined;
  if (size.length < 4 || size.some((byte) => byte >= 0x80)) return undefined;
  const length = size.reduce((sum, byte) => sum * 0x80 + byte, 0);
  return TAG_HEADER_BYTES + length + ((flags & HAS_FOOTER) === 0 ? 0 : TAG_HEADER_BYTES);
}
