import type { ReadTransaction } from '../../storage/database.ts';
import type { DriveOwner, Nodes, Reached, Wanted } from '../drive/service.ts';

/** A spreadsheet, and what the one who asks is to it. */
export interface Spreadsheet {
  workspaceId: string;
  id: string;
  ownerId: string;
  title: string;
  /** `hidden` with a folder that is in the trash: to the interface that is trashed as well. */
  state: Reached['node']['state'];
  role: Reached['role'];
}

/** What is to be done with the cells. */
export type SpreadsheetAccess = 'read' | 'write';

function spreadsheet(id: string): Wanted {
  return { id, kinds: ['spreadsheet'], resource: 'spreadsheet' };
}

/** Throws ApiError not_found, forbidden, or of one to write to trashed. */
export async function openSpreadsheet(
  tx: ReadTransaction,
  nodes: Nodes,
  user: DriveOwner,
  id: string,
  access: SpreadsheetAccess,
): Promise<Spreadsheet> {
  const { node, role } =
    access === 'write'
      ? await nodes.requireWritable(tx, user, spreadsheet(id))
      : await nodes.requireReadable(tx, user, spreadsheet(id));
  const { workspace_id: workspaceId, owner_id: ownerId, title, state } = node;
  return { workspaceId, id, ownerId, title, state, role };
}
