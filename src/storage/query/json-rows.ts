import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../database.ts';

/** A row as one element of a JSON array; `textMember` and `integerMember` read its members. */
export interface JsonRow {
  value: unknown;
}

/**
 * The elements of a JSON array as a table named "e": one parameter holds any number of rows, so that one prepared
 * statement serves batches of every size.
 */
export function jsonRows(tx: Pick<ReadTransaction, 'engine'>, json: string): AliasedRawBuilder<JsonRow, 'e'> {
  const rows =
    tx.engine === 'sqlite' ? sql`json_each(${json})` : sql`json_array_elements(cast(${json} as json))`;
  return (rows as RawBuilder<JsonRow>).as('e');
}

/** A member of a row: of an object by name, of an array by position. */
export function textMember(member: string | number): RawBuilder<string> {
  return sql<string>`e.value ->> ${sql.lit(member)}`;
}

/** As `textMember`, for an integer. */
export function integerMember(member: string | number): RawBuilder<number> {
  return sql<number>`cast(e.value ->> ${sql.lit(member)} as bigint)`;
}
