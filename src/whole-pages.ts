/**
 * So many bytes of memory that begin with a page of it, and whose pages the system gets back as soon as they are given
 * back; those that are never used take none. V8 sees to that for what may change its size: other memory it has from an
 * allocator, which puts it anywhere and keeps it for later.
 */
export function wholePages(bytes: number): ArrayBuffer {
  return new ArrayBuffer(bytes, { maxByteLength: bytes });
}
