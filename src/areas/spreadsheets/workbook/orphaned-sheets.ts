import type { Database, WriteTransaction } from '../../../storage/database.ts';
import { listBlockSizes, removeBlocks, type SheetKey } from '../cells/block-store.ts';
import { removeColumns } from '../cells/column-store.ts';
import { listFormats, removeFormats } from '../cells/format-store.ts';
import { removeHiddenRows } from '../cells/hidden-rows-store.ts';
import { listOrphanedSheets, removeOrphanedSheets } from './orphaned-sheets-store.ts';

const SHEETS_AT_ONCE = 50;
const BLOCKS_AT_ONCE = 64;
/** SQLite looks at every page of what it removes. */
const BYTES_AT_ONCE = 4 * 1024 * 1024;
/** Wider than any axis reaches. */
const FAR = 2 ** 40;
const EVERYWHERE = { top: -FAR, left: -FAR, bottom: FAR, right: FAR };

/** Removes what is stored of sheets that no spreadsheet has, portion by portion. */
export async function sweepOrphanedSheets(database: Database): Promise<void> {
  for (;;) {
    const sheets = await database.read(async (tx) => listOrphanedSheets(tx, await tx.now(), SHEETS_AT_ONCE));
    for (const sheet of sheets) while (!(await database.write((tx) => removePortion(tx, sheet))));
    if (sheets.length < SHEETS_AT_ONCE) return;
  }
}

/** Answers whether nothing is left. */
async function removePortion(tx: WriteTransaction, sheet: SheetKey): Promise<boolean> {
  const listed = await listBlockSizes(tx, sheet, BLOCKS_AT_ONCE);
  const blocks = firstOf(listed);
  await removeBlocks(tx, sheet, blocks);
  if (blocks.length < listed.length || listed.length === BLOCKS_AT_ONCE) return false;
  const formats = await listFormats(tx, sheet, EVERYWHERE, undefined, BLOCKS_AT_ONCE);
  await removeFormats(tx, sheet, formats);
  if (formats.length === BLOCKS_AT_ONCE) return false;
  await removeColumns(tx, sheet);
  await removeHiddenRows(tx, sheet);
  await removeOrphanedSheets(tx, sheet);
  return true;
}

/** The first, and as many more as are not too large together. */
function firstOf<T extends { readonly size: number }>(blocks: readonly T[]): readonly T[] {
  let bytes = 0;
  const end = blocks.findIndex(({ size }) => {
    bytes += size;
    return bytes > BYTES_AT_ONCE;
  });
  return end === -1 ? blocks : blocks.slice(0, Math.max(end, 1));
}
