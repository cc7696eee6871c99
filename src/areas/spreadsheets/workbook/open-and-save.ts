import { hash, randomUUID } from 'node:crypto';
import type { Actor, ReadTransaction, WorkspaceLock, WriteTransaction } from '../../../storage/database.ts';
import { emitNode, type SeenNode } from '../../documents/service.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { FOLLOWED_VERSIONS, insertChange, removeChanges, type SheetBlock } from './change-store.ts';
import { hasFormulas, type Workbook } from './workbook.ts';
import { getWorkbook, updateWorkbook } from './workbook-store.ts';

/** A random revision. A counter could repeat: a crash or a restored backup may set it back. */
export function newRevision(): string {
  return randomUUID();
}

/** The state token of a spreadsheet. It changes whenever the content or the title changes. */
export function stateToken({ revision }: Pick<Workbook, 'revision'>, title: string): string {
  return hash('sha256', `${revision} ${title}`, 'base64url').slice(0, 22);
}

/** A spreadsheet that the user may read, or write to. */
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

/** The lock that serializes writes to a spreadsheet. */
export function spreadsheetLock({ workspaceId }: Pick<DriveOwner, 'workspaceId'>, id: string): WorkspaceLock {
  return { workspaceId, scope: `spreadsheet ${workspaceId} ${id}` };
}

/**
 * Opens a spreadsheet and locks it against other writers until the transaction ends. Other writes wait; none is
 * refused. Throws ApiError not_found, forbidden or trashed.
 */
export async function openToWrite(
  tx: WriteTransaction,
  { documents }: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
): Promise<OpenedSpreadsheet> {
  // Lock first: everything read afterwards, including the title, then contains what the previous writer has committed.
  await tx.lock(spreadsheetLock(user, id));
  const reading = getWorkbook(tx, { workspaceId: user.workspaceId, id });
  // The refusal of who may not write comes first.
  reading.catch(() => undefined);
  const { title } = await documents.openSpreadsheet(tx, user, id, 'write');
  const workbook = await reading;
  return { title, workbook, state: stateToken(workbook, title) };
}

/** The changes of a larger write are not recorded: to read all cells again costs about as much. */
const MOST_BLOCKS = 4_096;

/** What a request has written to a spreadsheet. */
export interface WrittenCells {
  /** The state token after the request. */
  readonly state: string;
  readonly ranges: readonly string[];
  /** Undefined if the transaction has one for all its changes. */
  readonly actor: Actor | undefined;
}

/** More ranges are not named: whoever follows a spreadsheet then reads it again. */
const MOST_RANGES = 20;

/** Reports to everyone who sees a spreadsheet what a request has written. */
export function emitWritten(
  tx: WriteTransaction,
  seen: SeenNode,
  { state, ranges, actor }: WrittenCells,
): void {
  const named = [...new Set(ranges)];
  emitNode(tx, seen, 'changed', { state, ...(named.length <= MOST_RANGES && { ranges: named }) }, actor);
}

/**
 * Stores the next version of a spreadsheet that is held and records its changed blocks. It is for `emitWritten` to report
 * them. Returns the new state token.
 */
export function saveChange(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  opened: OpenedSpreadsheet,
  next: Workbook,
  blocks: readonly SheetBlock[],
): Promise<string> {
  // Without formulas no node holds an older version.
  const isFollowed = blocks.length <= MOST_BLOCKS && hasFormulas(opened.workbook) && hasFormulas(next);
  return saveVersion(tx, dependencies, opened, next, isFollowed ? blocks : undefined);
}

/**
 * Stores and reports the next version after a change of sheets, rows or columns. Calculations then start from all cells.
 * Returns the new state token.
 */
export async function saveStructure(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  opened: OpenedSpreadsheet,
  next: Workbook,
): Promise<string> {
  const seen = await dependencies.documents.holdSpreadsheet(tx, opened.workbook);
  const state = await saveVersion(tx, dependencies, opened, next, undefined);
  emitNode(tx, seen, 'changed', { state });
  return state;
}

async function saveVersion(
  tx: WriteTransaction,
  { documents }: SpreadsheetDependencies,
  { title, workbook }: OpenedSpreadsheet,
  next: Workbook,
  blocks: readonly SheetBlock[] | undefined,
): Promise<string> {
  const version = workbook.version + 1;
  const followedSince = blocks ? workbook.followedSince : version;
  const saved = { ...next, version, revision: newRevision(), followedSince };
  await updateWorkbook(tx, saved);
  if (blocks) await insertChange(tx, workbook, version, blocks);
  await removeOldChanges(tx, workbook, blocks ? version - FOLLOWED_VERSIONS : version);
  await documents.touchSpreadsheet(tx, workbook);
  return stateToken(saved, title);
}

async function removeOldChanges(tx: WriteTransaction, workbook: Workbook, upTo: number): Promise<void> {
  if (workbook.version > workbook.followedSince && upTo > workbook.followedSince) {
    await removeChanges(tx, workbook, upTo);
  }
}
