import type { Insertable } from 'kysely';
import type { WriteTransaction } from './database.ts';
import { type Statement, statement } from './statement.ts';
import type { Tables } from './tables.ts';

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
