/** Rows that may be a thousand times as long as most: many of them must not be read at once. */
import { type RawBuilder, sql } from 'kysely';

/** Bytes. Two hundred texts of as many are still read within a turn. */
const LONG_TEXT = 64 * 1024;

/** A text as it is listed with those of other rows; "" where it is so long that it is read when it is its turn. */
export function listedText(column: string): RawBuilder<string> {
  const text = sql.ref(column);
  return sql<string>`case when octet_length(${text}) <= ${sql.lit(LONG_TEXT)} then ${text} else '' end`;
}

/** How many of the first rows have at most so many bytes together, at least one. */
export function fittingCount(sizes: readonly { readonly size: number }[], mostBytes: number): number {
  let bytes = 0;
  const end = sizes.findIndex(({ size }) => {
    bytes += size;
    return bytes > mostBytes;
  });
  return end === -1 ? Math.max(1, sizes.length) : Math.max(1, end);
}
