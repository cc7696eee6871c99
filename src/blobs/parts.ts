/**
 * The content in buffers of exactly `size` bytes; only the last may be shorter; empty content yields no buffer.
 * Chunks are copied, so that a source of very small chunks costs no more memory than one of large chunks.
 */
export async function* inParts(
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer, void> {
  let part: Buffer = Buffer.alloc(0);
  let used = 0;
  for await (const chunk of content) {
    for (let from = 0; from < chunk.byteLength; ) {
      const slice = chunk.subarray(from, from + size - used);
      part = withRoom(part, used, used + slice.byteLength, size);
      part.set(slice, used);
      used += slice.byteLength;
      from += slice.byteLength;
      if (used === size) {
        yield part;
        // Content that has filled one part is large: allocate whole parts from now on.
        part = Buffer.allocUnsafeSlow(size);
        used = 0;
      }
    }
  }
  if (used > 0) yield part.subarray(0, used);
}

/** Grows the buffer by doubling: small content needs a small buffer, large content is not copied repeatedly. */
function withRoom(part: Buffer, used: number, needed: number, limit: number): Buffer {
  if (needed <= part.length) return part;
  const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(needed, part.length * 2)));
  part.copy(larger, 0, 0, used);
  return larger;
}

/**
 * The content in blocks: fills and yields the same `block` again and again, the last one shorter. A source may yield
 * single bytes. Each block is valid until the next one is requested.
 */
export async function* inBlocks(
  content: AsyncIterable<Uint8Array>,
  block: Buffer,
): AsyncGenerator<Buffer, void> {
  let used = 0;
  for await (const chunk of content) {
    for (let from = 0; from < chunk.byteLength; ) {
      const slice = chunk.subarray(from, from + block.length - used);
      block.set(slice, used);
      used += slice.byteLength;
      from += slice.byteLength;
      if (used < block.length) continue;
      yield block;
      used = 0;
    }
  }
  if (used > 0) yield block.subarray(0, used);
}

/** Yields the content unchanged. Fails with a RangeError if it is longer or shorter than `size` bytes. */
export async function* exactly(
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array, void> {
  let passed = 0;
  for await (const chunk of content) {
    passed += chunk.byteLength;
    if (passed > size) break;
    yield chunk;
  }
  if (passed !== size) throw new RangeError(`The content is not of ${size} bytes`);
}
