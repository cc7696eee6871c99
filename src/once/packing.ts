import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Characters. A shorter answer would save less than a page of the database. */
const LONG = 4_096;
/** Before a packed answer. An answer as it is begins with "{", and that of a 204 is "". */
const MARK = 'zstd:';

/**
 * An answer as it is kept: a long one compressed, for a request of some bytes may be answered with the megabyte that it
 * changed, each time that it is sent under another key.
 */
export function packed(answer: string): string {
  if (answer.length < LONG) return answer;
  const text = MARK + zstdCompressSync(answer).toString('base64');
  return text.length < answer.length ? text : answer;
}

/** The answer that was kept. */
export function unpacked(kept: string): string {
  if (!kept.startsWith(MARK)) return kept;
  return zstdDecompressSync(Buffer.from(kept.slice(MARK.length), 'base64')).toString();
}
