import { type Expression, type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../database.ts';

/** A JSON array as text: a value, a placeholder or a column. */
type JsonArray = string | Expression<string>;

/**
 * The texts of a JSON array as rows of one column, `value`, so that a prepared statement takes a list of any length.
 * Use `id in (select value …)`, not a join: without statistics of the list, SQLite would scan the joined table.
 */
export function textsIn<Alias extends string>(tx: ReadTransaction, array: JsonArray, alias: Alias) {
  const elements =
    tx.engine === 'sqlite' ? sql`json_each(${array})` : sql`jsonb_array_elements_text(${array}::jsonb)`;
  return elements.$castTo<{ value: string }>().as(alias);
}

/** Condition: a column equals one of the texts of a JSON array. PostgreSQL uses index lookups only for an SQL array. */
export function isAmong(tx: ReadTransaction, column: string, array: JsonArray): RawBuilder<boolean> {
  return isOneOf(tx, column, sql`select e.value from ${textsIn(tx, array, 'e')}`);
}

/** As isAmong, for whole numbers. */
export function isAmongIntegers(tx: ReadTransaction, column: string, array: JsonArray): RawBuilder<boolean> {
  return isOneOf(tx, column, sql`select e.value from ${integersIn(tx, array, 'e')}`);
}

function isOneOf(tx: ReadTransaction, column: string, values: RawBuilder<unknown>): RawBuilder<boolean> {
  const reference = sql.ref(column);
  return tx.engine === 'sqlite'
    ? sql<boolean>`${reference} in (${values})`
    : sql<boolean>`${reference} = any(array(${values}))`;
}

/** As textsIn, with the index of each text in the array, from 0, as `key`. Cross join it for one lookup per text. */
export function indexedTextsIn<Alias extends string>(tx: ReadTransaction, array: JsonArray, alias: Alias) {
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
 * The members of a JSON object with text values as rows of `key` and `value`. Keys are unique and are texts, even if
 * they consist of digits.
 */
export function textMembersOf<Alias extends string>(tx: ReadTransaction, object: string, alias: Alias) {
  const members = tx.engine === 'sqlite' ? sql`json_each(${object})` : sql`jsonb_each_text(${object}::jsonb)`;
  return members.$castTo<{ key: string; value: string }>().as(alias);
}

/**
 * The arrays of a JSON array as rows of one column, `value`; `textAt` and `integerAt` read their elements. Join on a
 * whole key of the other table, so that no query planner starts with that table.
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

/** Rows per statement when all rows are read: other requests get a turn between two statements. */
export const ROWS_A_PORTION = 500;

/**
 * Reads a list of any length in portions. `read` returns the first ROWS_A_PORTION rows after `last` in the order of an
 * index; the first rows if `last` is undefined.
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
