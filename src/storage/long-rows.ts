/** Rows that may be a thousand times as long as most: many of them must not be read at once. */
import { type RawBuilder, sql } from 'kysely';

/** Bytes. Two hundred texts of as many are still read within a turn. */
const LONG_TEXT = 64 * 1024;

/** A text as it is listed with those of other rows; "" where it is so long that it is read when it is its turn. */
export function listedText(column: string): RawBuilder<string> {
  const text = sql.ref(column);
  return sql<string>`case when octet_length(${text}) <= ${sql.lit(LONG_TEXT)} then ${text} else '' end`;
}

/** What rows may have together: how many they are, and their characters. */
export interface Portion {
  rows: number;
  characters: number;
}

/** Rows in portions of at most so much, at least one in each. `lengthOf`: the characters of one. */
export async function* inPortions<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  lengthOf: (row: Row) => number,
  most: Portion,
): AsyncGenerator<Row[]> {
  let portion: Row[] = [];
  let characters = 0;
  for await (const row of rows) {
    const length = lengthOf(row);
    const isFull = portion.length === most.rows || characters + length > most.characters;
    if (isFull && portion.length > 0) {
      yield portion;
      portion = [];
      characters = 0;
    }
    portion.push(row);
    characters += length;
  }
  if (portion.length > 0) yield portion;
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
