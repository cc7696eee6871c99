import { hash, randomUUID } from 'node:crypto';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { FOLLOWED_VERSIONS, insertChange, removeChanges, type SheetBlock } from './change-store.ts';
import { hasFormulas, type Workbook } from './workbook.ts';
import { getWorkbook, updateWorkbook } from './workbook-store.ts';

/** A revision that no other version has: a number that a crash or a restored backup took back could come again. */
export function newRevision(): string {
  return randomUUID();
}

/** The state token of a spreadsheet: another one whenever its content, or its title, is another. */
export function stateToken({ revision }: Pick<Workbook, 'revision'>, title: string): string {
  return hash('sha256', `${revision} ${title}`, 'base64url').slice(0, 22);
}

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

/** A write that changes more is not followed: reading all cells again costs about as much. */
const MOST_BLOCKS = 4_096;

/** Stores the next version of a spreadsheet, of which the changed blocks are known; answers its state token. */
export function saveChange(
  tx: WriteTransaction,
  parts: SpreadsheetDependencies,
  opened: OpenedSpreadsheet,
  next: Workbook,
  blocks: readonly SheetBlock[],
): Promise<string> {
  // Where nothing is calculated, nobody holds an older version.
  const isFollowed = blocks.length <= MOST_BLOCKS && hasFormulas(opened.workbook) && hasFormulas(next);
  return keep(tx, parts, opened, next, isFollowed ? blocks : undefined);
}

/** The same of a version whose sheets are others than before: who calculates begins anew. */
export function saveStructure(
  tx: WriteTransaction,
  parts: SpreadsheetDependencies,
  opened: OpenedSpreadsheet,
  next: Workbook,
): Promise<string> {
  return keep(tx, parts, opened, next, undefined);
}

async function keep(
  tx: WriteTransaction,
  { documents }: SpreadsheetDependencies,
  { title, workbook }: OpenedSpreadsheet,
  next: Workbook,
  blocks: readonly SheetBlock[] | undefined,
): Promise<string> {
  const version = workbook.version + 1;
  const followedSince = blocks ? workbook.followedSince : version;
  const kept = { ...next, version, revision: newRevision(), followedSince };
  await updateWorkbook(tx, kept);
  if (blocks) await insertChange(tx, workbook, version, blocks);
  await forget(tx, workbook, blocks ? version - FOLLOWED_VERSIONS : version);
  await documents.touchSpreadsheet(tx, workbook);
  return stateToken(kept, title);
}

async function forget(tx: WriteTransaction, workbook: Workbook, upTo: number): Promise<void> {
  if (workbook.version > workbook.followedSince && upTo > workbook.followedSince) {
    await removeChanges(tx, workbook, upTo);
  }
}
