import { ApiError } from '../../contract/errors.ts';
import type { Received } from '../../contract/operation.ts';
import type { ImportNote } from '../../formats/workbooks/import-notes.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DriveOwner, Nodes, Reached, StoredFile, Wanted } from '../drive/service.ts';
import type { ImportOutcome } from './schema.ts';

/** A document or spreadsheet whose node has just been created. */
export interface CreatedDocument {
  workspaceId: string;
  id: string;
  /** The user who creates it. */
  ownerId: string;
}

/** Contents of a new document or spreadsheet, prepared before the transaction that creates it. */
export interface NewContents extends Received {
  /** Stores the contents, in the transaction that has created the node. */
  onCreated(tx: WriteTransaction, created: CreatedDocument): Promise<void>;
  /** Result of reading the imported file, if there is one. */
  readonly imported?: ImportOutcome;
  /** What an imported workbook has that the spreadsheet does not keep. */
  readonly importNotes?: readonly ImportNote[];
}

/**
 * Prepares the initial contents of a new document or spreadsheet: empty, or from an uploaded file. It runs outside of
 * any transaction, so it may take long. Rejects with the error of `refuseSource` if the file is not suitable.
 */
export type PrepareContents = (source: StoredFile | undefined, creator: DriveOwner) => Promise<NewContents>;

/** Refuses a source file, for a reason that the message explains. Throws ApiError unreadable_file. */
export function refuseSource(reason: string, options?: ErrorOptions): never {
  throw new ApiError('unreadable_file', `The source file does not fill it: ${reason}.`, { reason }, options);
}

/** A spreadsheet, and the role of the user. */
export interface Spreadsheet {
  workspaceId: string;
  id: string;
  ownerId: string;
  title: string;
  /** `hidden` with a folder that is in the trash; the API reports that as trashed too. */
  state: Reached['node']['state'];
  role: Reached['role'];
}

/** The intended use of the cells. */
export type SpreadsheetAccess = 'read' | 'write';

function spreadsheet(id: string): Wanted {
  return { id, kinds: ['spreadsheet'], resource: 'spreadsheet' };
}

/**
 * A spreadsheet whose cells the user wants to read or write. Throws ApiError not_found, forbidden or, for write access,
 * trashed.
 */
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
