import { newId } from '../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import * as store from './workspace-store.ts';

export interface Workspace {
  id: string;
  name: string;
  created_at: string;
}

/** All workspaces of the database in order of creation. */
export async function listWorkspaces(tx: ReadTransaction): Promise<Workspace[]> {
  return (await store.listWorkspaces(tx)).map(workspaceRecord);
}

export async function createWorkspace(tx: WriteTransaction, name: string): Promise<Workspace> {
  const row = { id: newId('wsp'), name, created_at: Date.now() };
  await store.insertWorkspace(tx, row);
  return workspaceRecord(row);
}

function workspaceRecord(row: store.WorkspaceRow): Workspace {
  return { id: row.id, name: row.name, created_at: new Date(row.created_at).toISOString() };
}
