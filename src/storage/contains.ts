import { type RawBuilder, sql } from 'kysely';

/** Whether the text of a column contains the fragment exactly as it is; fold both for a search without regard to case. */
export function contains(column: string, fragment: string): RawBuilder<boolean> {
  return matches(column, fragmentPattern(fragment));
}

/** The pattern of LIKE for texts that contain the fragment. */
export function fragmentPattern(fragment: string): string {
  return `%${fragment.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Whether the text of a column fits a pattern of `fragmentPattern`. */
export function matches(column: string, pattern: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} LIKE ${pattern} ESCAPE '\\'`;
}
