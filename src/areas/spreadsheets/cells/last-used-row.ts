import type { WriteTransaction } from '../../../storage/database.ts';
import type { Sheet } from '../workbook/workbook.ts';
import { type Rectangle, ROWS } from './a1.ts';
import { type Span, spansOf } from './axis.ts';
import { type BlockKey, blocksOf, cellPosition, decodeBlock } from './block.ts';
import { listBlocksUpwards, listedPortions, type SheetKey, type StoredBlock } from './block-store.ts';
import { findReach, lowerReach } from './column-store.ts';

/**
 * The number of rows down to the last used one within some columns. What is stored of each column bounds it from above,
 * so that only what has been emptied since is searched; then the bound is lowered.
 */
export async function usedRowsWithin(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  { left, right }: Pick<Rectangle, 'left' | 'right'>,
): Promise<number> {
  if (left === 0 && right >= sheet.columns - 1) return sheet.rows;
  const key = { workspaceId, sheet: sheet.id };
  const columns = spansOf(sheet.columnAxis, left, Math.min(right, sheet.columns - 1));
  let [found, bound] = [0, 0];
  for (const { position, count } of columns) {
    const last = position + count - 1;
    const reach = Math.min(sheet.rows, await findReach(tx, key, position, last, sheet.rows));
    bound = Math.max(bound, reach);
    if (reach > found) found = await lastUsedRow(tx, key, sheet, reach, { left: position, right: last });
  }
  if (found === bound) return found;
  for (const { position, count } of columns) await lowerReach(tx, key, position, position + count - 1, found);
  return found;
}

/** The number of the last of the first `rows` rows that is used at these positions of columns, from 1; 0 if none is. */
async function lastUsedRow(
  tx: WriteTransaction,
  key: SheetKey,
  { rowAxis }: Sheet,
  rows: number,
  columns: Pick<Rectangle, 'left' | 'right'>,
): Promise<number> {
  for (const span of spansOf(rowAxis, 0, Math.min(rows, ROWS) - 1).reverse()) {
    const position = await lastUsedPosition(tx, key, span, columns);
    if (position !== undefined) return span.line + position - span.position + 1;
  }
  return 0;
}

async function lastUsedPosition(
  tx: WriteTransaction,
  key: SheetKey,
  { position, count }: Span,
  columns: Pick<Rectangle, 'left' | 'right'>,
): Promise<number | undefined> {
  const area = { top: position, bottom: position + count - 1, left: columns.left, right: columns.right };
  const within = blocksOf(area);
  const list = (after: BlockKey | undefined, limit: number) =>
    listBlocksUpwards(tx, key, within, after, limit);
  let found: { readonly row: number; readonly rowBlock: number } | undefined;
  for await (const blocks of listedPortions(tx, key, list)) {
    for (const block of blocks) {
      // The blocks beside it may be used further down.
      if (found && block.rowBlock < found.rowBlock) return found.row;
      const row = await lastRowIn(block, area);
      if (row !== undefined && row > (found?.row ?? Number.NEGATIVE_INFINITY))
        found = { row, rowBlock: block.rowBlock };
    }
  }
  return found?.row;
}

async function lastRowIn(block: StoredBlock, area: Rectangle): Promise<number | undefined> {
  let last: number | undefined;
  for (const offset of (await decodeBlock(block.cells)).keys()) {
    const { row, column } = cellPosition(block, offset);
    const isWithin = row >= area.top && row <= area.bottom && column >= area.left && column <= area.right;
    if (isWithin && row > (last ?? Number.NEGATIVE_INFINITY)) last = row;
  }
  return last;
}
