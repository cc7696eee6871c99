import type { ByteRange } from '../../blobs/blob-store.ts';

/** The result of a Range header: one range of the content, the whole content, or no byte of it. */
export type Selection = ByteRange | 'whole' | 'unsatisfiable';

/**
 * Reads a Range header (RFC 9110, 14.2) for content of `size` bytes. An invalid header is ignored. Ranges outside the
 * content are ignored as well; where more than one range remains, the answer is the whole content, as RFC 9110
 * permits.
 */
export function selectRange(header: string | undefined, size: number): Selection {
  const [, set] = /^bytes=(.+)$/i.exec(header ?? '') ?? [];
  if (set === undefined) return 'whole';
  // RFC 9110, 5.6.1.2: a recipient ignores empty elements of a list.
  const specs = set.split(',').map((spec) => spec.trim());
  const ranges = specs.filter((spec) => spec !== '').map((spec) => readSpec(spec, size));
  if (ranges.length === 0 || ranges.includes(undefined)) return 'whole';
  const [first, second] = ranges.filter((range) => range !== undefined && range.start < range.end);
  if (!first) return 'unsatisfiable';
  return second ? 'whole' : first;
}

/** One range of the set; empty where it lies outside the content, undefined where it does not parse. */
function readSpec(spec: string, size: number): ByteRange | undefined {
  const [, first, last, suffix] = /^(?:(\d+)-(\d*)|-(\d+))$/.exec(spec) ?? [];
  if (suffix !== undefined) return { start: Math.max(0, size - Number(suffix)), end: size };
  if (first === undefined) return undefined;
  if (last && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last ? Math.min(size, Number(last) + 1) : size };
}

/** Content-Range of an answer: the range and the size of the whole; the size alone where there is no range. */
export function contentRange(range: ByteRange | undefined, size: number): string {
  return range ? `bytes ${range.start}-${range.end - 1}/${size}` : `bytes */${size}`;
}
