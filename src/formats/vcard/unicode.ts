/**
 * The bytes of a file without the mark that tells its encoding, in UTF-8 where that mark says UTF-16 (address books of
 * some systems export it). Without a mark they pass as they are.
 */
export async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array();
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (head) {
      bytes = Buffer.concat([head, chunk]);
      head = bytes.length < LONGEST_MARK ? bytes : undefined;
      if (head) continue;
      decoder = utf16(bytes);
      bytes = decoder ? bytes : withoutMark(bytes);
    }
    yield decoder ? Buffer.from(decoder.decode(bytes, { stream: true })) : bytes;
  }
  if (head) yield utf16(head) ? Buffer.from(utf16(head)?.decode(head) ?? '') : withoutMark(head);
}

const LONGEST_MARK = 3;

function utf16(bytes: Uint8Array): TextDecoder | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  return undefined;
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
