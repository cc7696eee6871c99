import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../database.ts';

/** The key of an object of any workspace. */
export interface StoredKey {
  readonly workspaceId: string;
  readonly id: string;
}

/**
 * Condition that a row comes after a key in the order of the index of ids, which begins with the workspace on PostgreSQL
 * alone: see `scopedKey`. For reading all rows of a table in portions.
 */
export function isAfterKey(tx: ReadTransaction, { workspaceId, id }: StoredKey): RawBuilder<boolean> {
  return tx.engine === 'sqlite'
    ? sql<boolean>`id > ${id} and ${workspaceId} is not null`
    : sql<boolean>`(workspace_id, id) > (${workspaceId}, ${id})`;
}

/** The order of `isAfterKey`. */
export function orderOfKeys(tx: ReadTransaction): RawBuilder<unknown> {
  return tx.engine === 'sqlite' ? sql`id` : sql`workspace_id, id`;
}
