import { ApiError } from '../../contract/errors.ts';
import type { Received } from '../../contract/operation.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DriveOwner, Nodes, Reached, StoredFile, Wanted } from '../drive/service.ts';
import type { ImportOutcome } from './schema.ts';

/** A document or spreadsheet whose node has just been created. */
export interface CreatedDocument {
  workspaceId: string;
  id: string;
  /** Who creates it. */
  ownerId: string;
}

/** What is to become the contents of a new document or spreadsheet, made before the transaction that creates it. */
export interface NewContents extends Received {
  /** Stores them, in the transaction that has created the node. */
  onCreated(tx: WriteTransaction, created: CreatedDocument): Promise<void>;
  /** How the file that fills it was read, where there is one. */
  readonly imported?: ImportOutcome;
}

/**
 * Makes the contents that a new document or spreadsheet starts with: empty ones, or those of an uploaded file. It runs
 * outside of any transaction, so it may take its time. Rejects as `refuseSource` throws where the file does not do.
 */
export type PrepareContents = (source: StoredFile | undefined, creator: DriveOwner) => Promise<NewContents>;

/** Refuses a source file that cannot become the contents, for a reason that explains it. Throws ApiError unreadable_file. */
export function refuseSource(reason: string, options?: ErrorOptions): never {
  throw new ApiError('unreadable_file', `The source file does not fill it: ${reason}.`, { reason }, options);
}

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
