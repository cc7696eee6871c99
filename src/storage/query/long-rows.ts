// Some rows are a thousand times longer than most: a statement must not read many of them at once.
import { type RawBuilder, sql } from 'kysely';
import { nextTurn } from '../../turns/next-turn.ts';
import type { Database, ReadTransaction } from '../database.ts';

/** Bytes. Two hundred texts of this length are still read within one turn of the event loop. */
const LONG_TEXT = 64 * 1024;

/** A text column in a listing; "" if the text is too long to be read together with other rows. */
export function listedText(column: string): RawBuilder<string> {
  const text = sql.ref(column);
  return sql<string>`case when octet_length(${text}) <= ${sql.lit(LONG_TEXT)} then ${text} else '' end`;
}

/** The limits of a portion of rows. */
export interface Portion {
  rows: number;
  characters: number;
}

/** Splits rows into portions within these limits, each of at least one row. `lengthOf`: the characters of a row. */
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

/** A listing in order of UID after a UID: the sizes of the next rows in bytes, and the rows themselves. */
export interface UidListing<Row> {
  sizes: (tx: ReadTransaction, after: string, limit: number) => Promise<{ size: number }[]>;
  rows: (tx: ReadTransaction, after: string, limit: number) => Promise<Row[]>;
}

/** How many sizes are read at once, and how many bytes of rows. */
const SIZES_AT_ONCE = 500;
const BYTES_AT_ONCE = 256 * 1024;

/**
 * All rows of a listing in portions, read on demand, each in its own transaction. UIDs never change, so a row that
 * exists throughout is returned exactly once, whatever changes meanwhile.
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

/** How many of the first rows fit into `mostBytes` together; at least one. */
export function fittingCount(sizes: readonly { readonly size: number }[], mostBytes: number): number {
  let bytes = 0;
  const end = sizes.findIndex(({ size }) => {
    bytes += size;
    return bytes > mostBytes;
  });
  return end === -1 ? Math.max(1, sizes.length) : Math.max(1, end);
}
