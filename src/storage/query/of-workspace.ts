import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../database.ts';

/**
 * Condition for PostgreSQL only, where tables may be spread over servers by workspace: for rows that are found by an id
 * or a number, which are unique across workspaces. SQLite would read the table row of each index entry to check it, or
 * prefer the key of the workspace to the index.
 */
export function isOfWorkspace(
  tx: ReadTransaction,
  column: string,
  { workspaceId }: { workspaceId: string },
): RawBuilder<boolean> {
  return tx.engine === 'sqlite' ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${workspaceId}`;
}
