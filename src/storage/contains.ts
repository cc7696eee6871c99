import { type RawBuilder, sql } from 'kysely';

/** Whether the text of a column contains the fragment exactly as it is; fold both for a search without regard to case. */
export function contains(column: string, fragment: string): RawBuilder<boolean> {
  return isLike(column, patternOf(fragment));
}

/** The pattern of a fragment, for a prepared statement that cannot build it. */
export function patternOf(fragment: string): string {
  return `%${fragment.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Whether the text of a column is like a pattern that patternOf made. */
export function isLike(column: string, pattern: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} LIKE ${pattern} ESCAPE '\\'`;
}
