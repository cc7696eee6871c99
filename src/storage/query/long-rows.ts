/** Rows that may be a thousand times as long as most: many of them must not be read at once. */
import { type RawBuilder, sql } from 'kysely';
import { nextTurn } from '../../turns/next-turn.ts';
import type { Database, ReadTransaction } from '../database.ts';

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

/** Rows in order of UID, after one: how many bytes each of the next has, and the next themselves. */
export interface UidListing<Row> {
  sizes: (tx: ReadTransaction, after: string, limit: number) => Promise<{ size: number }[]>;
  rows: (tx: ReadTransaction, after: string, limit: number) => Promise<Row[]>;
}

/** Rows whose sizes are looked at together, and how many bytes of them are read and written at once. */
const SIZES_AT_ONCE = 500;
const BYTES_AT_ONCE = 256 * 1024;

/**
 * All rows of a listing, in portions that are read as they are asked for, each in a transaction of its own. UIDs do not
 * change, so that what is there from beginning to end comes once, whatever else happens meanwhile.
 */
export async function* exportedRows<Row extends { uid: string }>(
  database: Database,
  { sizes, rows }: UidListing<Row>,
): AsyncGenerator<Row[]> {
  for (let after = ''; ; ) {
    const portion = await database.read(async (tx) => {
      const count = fittingCount(await sizes(tx, after, SIZES_AT_ONCE), BYTES_AT_ONCE);
      return rows(tx, after, count);
    });
    const last = portion.at(-1);
    if (!last) return;
    after = last.uid;
    yield portion;
    await nextTurn();
  }
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
