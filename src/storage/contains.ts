import { type RawBuilder, sql } from 'kysely';

/** Whether the text of a column contains the fragment exactly as it is; fold both for a search without regard to case. */
export function contains(column: string, fragment: string): RawBuilder<boolean> {
  const pattern = `%${fragment.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`${sql.ref(column)} LIKE ${pattern} ESCAPE '\\'`;
}
