import type { Insertable, InsertQueryBuilder, InsertResult } from 'kysely';
import type { WriteTransaction } from '../database.ts';
import type { Tables } from '../schema/tables.ts';
import { claim, command, statement } from './statement.ts';

/** Prepares the insertion of whole rows into a table: each row has every column. */
export function insertion<Table extends keyof Tables>(
  table: Table,
): (tx: WriteTransaction, row: Tables[Table]) => Promise<void> {
  let insert: ((tx: WriteTransaction, row: Tables[Table]) => Promise<void>) | undefined;
  return async (tx, row) => {
    insert ??= command((tx: WriteTransaction, p: Tables[Table]) =>
      tx.insertInto(table).values(membersOf(row, p) as Insertable<Tables[Table]>),
    );
    await insert(tx, row);
  };
}

/** Takes the column names from the row, because the placeholder proxy cannot be enumerated. */
function membersOf<Row extends object>(row: Row, placeholders: Row): Row {
  const columns = Object.keys(row) as (keyof Row)[];
  return Object.fromEntries(columns.map((column) => [column, placeholders[column]])) as Row;
}

/** The maximum rows of a statement. Row counts are powers of two, so that few statements serve all numbers of rows. */
const MOST_ROWS = 64;

type Insertion<Table extends keyof Tables> = InsertQueryBuilder<Tables, Table, InsertResult>;
type Rows = readonly (readonly unknown[])[];
/** The values of all rows, by index. */
type Values = Readonly<Record<number, unknown>>;
type Prepared<Further, Result> = (tx: WriteTransaction, values: Values & Further) => Promise<Result>;

/**
 * Prepares the insertion of any number of rows; each has the values of these columns in order. `finish` adds the
 * conflict clause, with further values if it needs them; no further value may be named `length` or a number. Bound
 * parameters take SQLite a third of the time of rows in JSON.
 */
export function rowsInsertion<Table extends keyof Tables, Further extends object = object>(
  table: Table,
  columns: readonly (keyof Tables[Table])[],
  finish: (insertion: Insertion<Table>, further: Further) => Insertion<Table>,
): (tx: WriteTransaction, rows: Rows, further: Further) => Promise<void> {
  const insert = inPortions<Table, Further, void>(table, columns, (insertionOf) =>
    command((tx: WriteTransaction, p: Values & Further) => finish(insertionOf(tx, p), p)),
  );
  return async (tx, rows, further) => void (await insert(tx, rows, further));
}

/** As `rowsInsertion`, for rows that must be new (see WriteTransaction.claim). */
export function rowsClaim<Table extends keyof Tables>(
  table: Table,
  columns: readonly (keyof Tables[Table])[],
): (tx: WriteTransaction, rows: Rows) => Promise<void> {
  const insert = inPortions<Table, object, void>(table, columns, (insertionOf) => claim(insertionOf));
  return async (tx, rows) => void (await insert(tx, rows, {}));
}

/** As `rowsInsertion`, with what `finish` has each statement return. */
export function rowsReturned<Table extends keyof Tables, Row>(
  table: Table,
  columns: readonly (keyof Tables[Table])[],
  finish: (insertion: Insertion<Table>, tx: WriteTransaction) => InsertQueryBuilder<Tables, Table, Row>,
): (tx: WriteTransaction, rows: Rows) => Promise<Row[]> {
  const insert = inPortions<Table, object, unknown>(table, columns, (insertionOf) =>
    statement((tx: WriteTransaction, p: Values) => finish(insertionOf(tx, p), tx)),
  );
  return async (tx, rows) => ((await insert(tx, rows, {})) as Row[][]).flat();
}

/** Runs a statement for each portion of rows, which `prepare` makes of an insertion of so many. */
function inPortions<Table extends keyof Tables, Further extends object, Result>(
  table: Table,
  columns: readonly (keyof Tables[Table])[],
  prepare: (insertionOf: (tx: WriteTransaction, p: Values) => Insertion<Table>) => Prepared<Further, Result>,
): (tx: WriteTransaction, rows: Rows, further: Further) => Promise<Result[]> {
  const statements = new Map<number, Prepared<Further, Result>>();
  const statementOf = (count: number) => {
    const known = statements.get(count);
    if (known) return known;
    const rowOf = (p: Values, row: number) =>
      Object.fromEntries(columns.map((column, i) => [column, p[row * columns.length + i]]));
    const prepared = prepare((tx, p) => {
      const rows = Array.from({ length: count }, (_, row) => rowOf(p, row));
      return tx.insertInto(table).values(rows as Insertable<Tables[Table]>[]);
    });
    statements.set(count, prepared);
    return prepared;
  };
  return async (tx, rows, further) => {
    const results: Result[] = [];
    for (const portion of portionsOf(rows))
      results.push(await statementOf(portion.length)(tx, Object.assign(portion.flat(), further)));
    return results;
  };
}

/** Splits rows in order into portions whose sizes are powers of two. */
function* portionsOf(rows: Rows): Generator<Rows> {
  for (let begin = 0; begin < rows.length; ) {
    const left = rows.length - begin;
    const count = Math.min(2 ** Math.floor(Math.log2(left)), MOST_ROWS);
    yield rows.slice(begin, begin + count);
    begin += count;
  }
}
