import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { DriveOwner, SpreadsheetParts } from '../cells/parts.ts';
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
  { documents }: SpreadsheetParts,
  user: DriveOwner,
  id: string,
): Promise<OpenedSpreadsheet> {
  const { workspaceId, title } = await documents.openSpreadsheet(tx, user, id, 'read');
  const workbook = await getWorkbook(tx, { workspaceId, id });
  return { title, workbook, state: knownState(workbook, title) };
}

/** Of the versions that are read again and again, each the same object for as long as it is remembered. */
const states = new WeakMap<Workbook, { title: string; state: string }>();

function knownState(workbook: Workbook, title: string): string {
  const known = states.get(workbook);
  if (known?.title === title) return known.state;
  const state = stateToken(workbook, title);
  states.set(workbook, { title, state });
  return state;
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
  { documents }: SpreadsheetParts,
  user: DriveOwner,
  id: string,
): Promise<OpenedSpreadsheet> {
  // First, so that what is read afterwards, the title as well, is what the writer before has left.
  await tx.lock(spreadsheetLock(user, id));
  const { workspaceId, title } = await documents.openSpreadsheet(tx, user, id, 'write');
  const workbook = await getWorkbook(tx, { workspaceId, id });
  return { title, workbook, state: stateToken(workbook, title) };
}
