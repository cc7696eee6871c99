import type { RawBuilder } from 'kysely';
import type { ReadTransaction } from '../../database.ts';

/** The rows that a statement answers. */
export async function rowsOf<Row>(tx: ReadTransaction, statement: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await tx.executeQuery(statement.compile(tx));
  return rows as Row[];
}

/** Values as the parameter of jsonRows, each a row of one member. */
export function listed(values: readonly string[]): string {
  return JSON.stringify(values.map((value) => [value]));
}
