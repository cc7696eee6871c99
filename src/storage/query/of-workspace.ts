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

/**
 * The workspace of rows that an insertion takes from another table. On PostgreSQL as the column of that table: Citus sends such
 * an insertion to the server of the workspace, and collects the rows on the coordinator where the workspace is a value.
 */
export function workspaceOfRows(
  tx: ReadTransaction,
  column: string,
  { workspaceId }: { workspaceId: string },
): RawBuilder<string> {
  return tx.engine === 'sqlite' ? sql<string>`cast(${workspaceId} as text)` : sql.ref<string>(column);
}
