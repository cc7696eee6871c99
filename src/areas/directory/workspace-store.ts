import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { Workspaces as WorkspaceRow } from '../../storage/schema/tables.ts';

export type { WorkspaceRow };

export async function listWorkspaces(tx: ReadTransaction): Promise<WorkspaceRow[]> {
  return tx.selectFrom('workspaces').selectAll().orderBy('id').execute();
}

export async function insertWorkspace(tx: WriteTransaction, workspace: WorkspaceRow): Promise<void> {
  await tx.insertInto('workspaces').values(workspace).execute();
}
