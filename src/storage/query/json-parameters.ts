import { type Expression, type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../database.ts';

/** A JSON array as text: a value, or what stands for one, or a column. */
type JsonArray = string | Expression<string>;

/**
 * The texts of a JSON array as rows of one column, `value`; so a prepared statement takes a list of any length. Ask for
 * `id in (select value …)`: SQLite, which has no statistics of a list, would read the whole table beside a joined one.
 */
export function textsIn<Alias extends string>(tx: ReadTransaction, array: JsonArray, alias: Alias) {
  const elements =
    tx.engine === 'sqlite' ? sql`json_each(${array})` : sql`jsonb_array_elements_text(${array}::jsonb)`;
  return elements.$castTo<{ value: string }>().as(alias);
}

/** Whether a column is one of the texts of a JSON array; PostgreSQL looks each up only when it is given an array. */
export function isAmong(tx: ReadTransaction, column: string, array: JsonArray): RawBuilder<boolean> {
  const texts = sql`select e.value from ${textsIn(tx, array, 'e')}`;
  const reference = sql.ref(column);
  return tx.engine === 'sqlite'
    ? sql<boolean>`${reference} in (${texts})`
    : sql<boolean>`${reference} = any(array(${texts}))`;
}

/** As textsIn, with the place of each in the array, from 0 on, as `key`. To be looked up one by one: cross join it. */
export function placedTextsIn<Alias extends string>(tx: ReadTransaction, array: JsonArray, alias: Alias) {
  const elements =
    tx.engine === 'sqlite'
      ? sql`json_each(${array})`
      : sql`(select place - 1 as key, value from jsonb_array_elements_text(${array}::jsonb) with ordinality as t (value, place))`;
  return elements.$castTo<{ key: number; value: string }>().as(alias);
}

/** The whole numbers of a JSON array, as textsIn. */
export function integersIn<Alias extends string>(tx: ReadTransaction, array: JsonArray, alias: Alias) {
  const elements =
    tx.engine === 'sqlite'
      ? sql`json_each(${array})`
      : sql`(select value::bigint from jsonb_array_elements_text(${array}::jsonb))`;
  return elements.$castTo<{ value: number }>().as(alias);
}

/**
 * The members of a JSON object whose values are texts, as rows of `key` and `value`. No key may be there twice; keys are
 * texts, also those that are made of numbers.
 */
export function textMembersOf<Alias extends string>(tx: ReadTransaction, object: string, alias: Alias) {
  const members = tx.engine === 'sqlite' ? sql`json_each(${object})` : sql`jsonb_each_text(${object}::jsonb)`;
  return members.$castTo<{ key: string; value: string }>().as(alias);
}

/**
 * The arrays of a JSON array as rows of one column, `value`; `textAt` and `integerAt` read what is in them. To be joined
 * by a whole key out of the row, so that no engine thinks of beginning with the other table.
 */
export function arraysIn<Alias extends string>(tx: ReadTransaction, array: JsonArray, alias: Alias) {
  const elements =
    tx.engine === 'sqlite' ? sql`json_each(${array})` : sql`jsonb_array_elements(${array}::jsonb)`;
  return elements.$castTo<{ value: string }>().as(alias);
}

/** A text of an array of arraysIn. */
export function textAt(alias: string, index: number) {
  return sql<string>`${sql.ref(`${alias}.value`)} ->> ${sql.lit(index)}`;
}

/** A whole number of an array of arraysIn. */
export function integerAt(alias: string, index: number) {
  return sql<number>`cast(${textAt(alias, index)} as bigint)`;
}

/** Rows that are read at a time where all are read: between two statements others have their turn. */
export const ROWS_A_PORTION = 500;

/**
 * Rows of a list without end, some hundred at a time. `read` answers the first ROWS_A_PORTION rows after this one, in an
 * order that an index has; the first of all where there is none.
 */
export async function* readInPortions<Row>(
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let last: Row | undefined;
  for (;;) {
    const rows = await read(last);
    yield rows;
    if (rows.length < ROWS_A_PORTION) return;
    last = rows.at(-1);
  }
}
