import { type Expression, type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../database.ts';

/** Whether the text of a column contains the fragment exactly as it is; fold both for a search without regard to case. */
export function contains(column: string, fragment: string): RawBuilder<boolean> {
  return isLike(sql.ref(column), patternOf(fragment));
}

/** The pattern of a fragment, for a prepared statement that cannot build it. */
function patternOf(fragment: string): string {
  return `%${fragment.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Whether a text of the database is like a pattern that patternOf made. */
function isLike(text: Expression<unknown>, pattern: string): RawBuilder<boolean> {
  return sql<boolean>`${text} LIKE ${pattern} ESCAPE '\\'`;
}

/** As `contains`, for what is asked of many rows: said as the engine of the transaction does it at least cost. */
export function holds(
  { engine }: Pick<ReadTransaction, 'engine'>,
  column: string | Expression<unknown>,
  fragment: string,
): RawBuilder<boolean> {
  const text = typeof column === 'string' ? sql.ref(column) : column;
  const sought = sql`cast(${fragment} as text)`;
  return engine === 'sqlite'
    ? sql<boolean>`instr(${text}, ${sought}) > 0`
    : sql<boolean>`strpos(${text}, ${sought}) > 0`;
}
