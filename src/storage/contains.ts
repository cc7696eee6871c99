import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from './database.ts';

/** Whether the text of a column contains the fragment exactly as it is; fold both for a search without regard to case. */
export function contains(column: string, fragment: string): RawBuilder<boolean> {
  const pattern = `%${fragment.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`${sql.ref(column)} LIKE ${pattern} ESCAPE '\\'`;
}

/** As `contains`, for what is asked of many rows: said as the engine of the transaction does it at least cost. */
export function holds(
  { engine }: Pick<ReadTransaction, 'engine'>,
  column: string,
  fragment: string,
): RawBuilder<boolean> {
  const [text, sought] = [sql.ref(column), sql`cast(${fragment} as text)`];
  return engine === 'sqlite'
    ? sql<boolean>`instr(${text}, ${sought}) > 0`
    : sql<boolean>`strpos(${text}, ${sought}) > 0`;
}
