import type { Insertable, InsertQueryBuilder, InsertResult } from 'kysely';
import type { WriteTransaction } from '../database.ts';
import type { Tables } from '../schema/tables.ts';
import { type Statement, statement } from './statement.ts';

/** Prepares the insertion of whole rows into a table: each names every column. */
export function insertion<Table extends keyof Tables>(
  table: Table,
): (tx: WriteTransaction, row: Tables[Table]) => Promise<void> {
  let insert: Statement<WriteTransaction, Tables[Table], unknown> | undefined;
  return async (tx, row) => {
    insert ??= statement((tx: WriteTransaction, p: Tables[Table]) =>
      tx.insertInto(table).values(membersOf(row, p) as Insertable<Tables[Table]>),
    );
    await insert(tx, row);
  };
}

/** Placeholders cannot be enumerated; the row that they stand for can. */
function membersOf<Row extends object>(row: Row, placeholders: Row): Row {
  const columns = Object.keys(row) as (keyof Row)[];
  return Object.fromEntries(columns.map((column) => [column, placeholders[column]])) as Row;
}

/** What one statement takes at most; of a power of two, so that there are few statements for all numbers of rows. */
const MOST_ROWS = 64;

type Insertion<Table extends keyof Tables> = InsertQueryBuilder<Tables, Table, InsertResult>;
type Rows = readonly (readonly unknown[])[];
/** Those of all rows, by their place. */
type Values = Readonly<Record<number, unknown>>;

/**
 * Prepares the insertion of any number of rows, each of the values of these columns in their order; `finish` says what
 * becomes of conflicts, by further values where it needs some, none of which is called `length` or a number. Answers how
 * many rows it has inserted or changed. SQLite takes rows that are bound in a third of the time that it takes to read them
 * from JSON.
 */
export function rowsInsertion<Table extends keyof Tables, Further extends object = object>(
  table: Table,
  columns: readonly (keyof Tables[Table])[],
  finish: (insertion: Insertion<Table>, further: Further) => Insertion<Table>,
): (tx: WriteTransaction, rows: Rows, further: Further) => Promise<number> {
  const statements = new Map<number, Statement<WriteTransaction, Values & Further, InsertResult>>();
  const statementOf = (count: number) => {
    const known = statements.get(count);
    if (known) return known;
    const rowOf = (p: Values, row: number) =>
      Object.fromEntries(columns.map((column, i) => [column, p[row * columns.length + i]]));
    const prepared = statement((tx: WriteTransaction, p: Values & Further) => {
      const rows = Array.from({ length: count }, (_, row) => rowOf(p, row));
      return finish(tx.insertInto(table).values(rows as Insertable<Tables[Table]>[]), p);
    });
    statements.set(count, prepared);
    return prepared;
  };
  return async (tx, rows, further) => {
    const insertions = Array.from(portionsOf(rows), (portion) =>
      statementOf(portion.length)(tx, Object.assign(portion.flat(), further)),
    );
    return (await Promise.all(insertions)).reduce((sum, changed) => sum + changed, 0);
  };
}

/** In order, each of as many rows as a power of two has. */
function* portionsOf(rows: Rows): Generator<Rows> {
  for (let begin = 0; begin < rows.length; ) {
    const left = rows.length - begin;
    const count = Math.min(2 ** Math.floor(Math.log2(left)), MOST_ROWS);
    yield rows.slice(begin, begin + count);
    begin += count;
  }
}
