/** An Apple disk image ends with so many bytes that tell what it is; it may begin with anything. */
export const TRAILER_BYTES = 512;

const TRAILER = Buffer.from('koly');

/** What the first blocks of such images are, packed or as they are. */
const FIRST_BLOCKS =
  /^application\/(?:octet-stream|zlib|x-bzip2?|x-xz|x-lzma|x-lzfse|x-apple-diskimage|x-raw-disk-image|x-iso9660-image)$/;

/** Whether content whose beginning is of a type may be a disk image as a whole. */
export function mayBeDiskImage(type: string): boolean {
  return FIRST_BLOCKS.test(type);
}

/** Whether these are the last bytes of a disk image. */
export function isDiskImage(trailer: Uint8Array): boolean {
  return trailer.length === TRAILER_BYTES && TRAILER.every((byte, at) => trailer[at] === byte);
}
