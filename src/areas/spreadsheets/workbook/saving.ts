import type { WriteTransaction } from '../../../storage/database.ts';
import type { SpreadsheetDependencies } from '../dependencies.ts';
import { FOLLOWED_VERSIONS, insertChange, removeChanges, type SheetBlock } from './change-store.ts';
import type { OpenedSpreadsheet } from './opening.ts';
import { newRevision, stateToken } from './state-token.ts';
import { hasFormulas, type Workbook } from './workbook.ts';
import { updateWorkbook } from './workbook-store.ts';

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
