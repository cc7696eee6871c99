/**
 * The same bytes in buffers of exactly `size` bytes; only the last may be shorter, and no bytes give no buffer.
 * The pieces are copied, so that a source of very small ones costs no more memory than one of large ones.
 */
export async function* inParts(
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer, void> {
  let part: Buffer = Buffer.alloc(0);
  let used = 0;
  for await (const chunk of content) {
    for (let from = 0; from < chunk.byteLength; ) {
      const piece = chunk.subarray(from, from + size - used);
      part = withRoom(part, used, used + piece.byteLength, size);
      part.set(piece, used);
      used += piece.byteLength;
      from += piece.byteLength;
      if (used === size) {
        yield part;
        // Content that has filled one part is not small: no more growing by steps.
        part = Buffer.allocUnsafeSlow(size);
        used = 0;
      }
    }
  }
  if (used > 0) yield part.subarray(0, used);
}

/** Grows by doubling: a small blob takes a small buffer, a large one is not copied again and again. */
function withRoom(part: Buffer, used: number, needed: number, limit: number): Buffer {
  if (needed <= part.length) return part;
  const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(needed, part.length * 2)));
  part.copy(larger, 0, 0, used);
  return larger;
}

/**
 * The same bytes as `block` after `block`, filled anew each time, and the last one shorter: a source may hand over a byte
 * at a time. Each is valid until the next is asked for.
 */
export async function* inBlocks(
  content: AsyncIterable<Uint8Array>,
  block: Buffer,
): AsyncGenerator<Buffer, void> {
  let used = 0;
  for await (const chunk of content) {
    for (let from = 0; from < chunk.byteLength; ) {
      const piece = chunk.subarray(from, from + block.length - used);
      block.set(piece, used);
      used += piece.byteLength;
      from += piece.byteLength;
      if (used < block.length) continue;
      yield block;
      used = 0;
    }
  }
  if (used > 0) yield block.subarray(0, used);
}

/** The same content. Fails with a RangeError where it turns out to be longer or shorter than `size` bytes. */
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
