import { type Expression, type RawBuilder, sql } from 'kysely';

/** Whether the text of a column contains the fragment exactly as it is; fold both for a search without regard to case. */
export function contains(column: string, fragment: string): RawBuilder<boolean> {
  return isLike(sql.ref(column), patternOf(fragment));
}

/** The pattern of a fragment, for a prepared statement that cannot build it. */
export function patternOf(fragment: string): string {
  return `%${fragment.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Whether a text of the database is like a pattern that patternOf made. */
export function isLike(text: Expression<unknown>, pattern: string): RawBuilder<boolean> {
  return sql<boolean>`${text} LIKE ${pattern} ESCAPE '\\'`;
}
