import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { stateToken } from './state-token.ts';
import type { Workbook } from './workbook.ts';
import { getWorkbook } from './workbook-store.ts';

/** A spreadsheet that somebody may read, or write to. */
export interface OpenedSpreadsheet {
  readonly title: string;
  readonly workbook: Workbook;
  /** The state token. */
  readonly state: string;
}

/** Throws ApiError not_found or forbidden. */
export async function openToRead(
  tx: ReadTransaction,
  { documents }: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
): Promise<OpenedSpreadsheet> {
  const { workspaceId, title } = await documents.openSpreadsheet(tx, user, id, 'read');
  const workbook = await getWorkbook(tx, { workspaceId, id });
  return { title, workbook, state: stateToken(workbook, title) };
}

/** The lock that keeps others from writing to a spreadsheet. */
export function spreadsheetLock({ workspaceId }: Pick<DriveOwner, 'workspaceId'>, id: string): string {
  return `spreadsheet ${workspaceId} ${id}`;
}

/**
 * Opens a spreadsheet that nobody else writes to until the transaction ends: writes wait, none is refused for another.
 * Throws ApiError not_found, forbidden or trashed.
 */
export async function openToWrite(
  tx: WriteTransaction,
  { documents }: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
): Promise<OpenedSpreadsheet> {
  // First, so that what is read afterwards, the title as well, is what the writer before has left.
  await tx.lock(spreadsheetLock(user, id));
  const { workspaceId, title } = await documents.openSpreadsheet(tx, user, id, 'write');
  const workbook = await getWorkbook(tx, { workspaceId, id });
  return { title, workbook, state: stateToken(workbook, title) };
}
