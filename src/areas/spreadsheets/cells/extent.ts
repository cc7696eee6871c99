import type { ReadTransaction } from '../../../storage/database.ts';
import type { Sheet } from '../workbook/workbook.ts';
import { COLUMNS, ROWS } from './a1.ts';
import { type Span, spansOf } from './axis.ts';
import { BLOCK_ROWS, blocksOf, decodeBlock, placesOf } from './block.ts';
import { listedPortions } from './block-portions.ts';
import { findLastRowBlock, listBlocks, type SheetKey } from './block-store.ts';
import { findLastColumn } from './column-store.ts';

/** How many rows are used, counted from what is stored, looking upwards from `atMost`. */
export async function usedRows(
  tx: ReadTransaction,
  key: SheetKey,
  { rowAxis }: Pick<Sheet, 'rowAxis'>,
  atMost = ROWS,
): Promise<number> {
  for (const span of spansOf(rowAxis, 0, atMost - 1).reverse()) {
    const place = await lastUsedPlace(tx, key, span);
    if (place !== undefined) return span.line + place - span.place + 1;
  }
  return 0;
}

/** How many columns are used, as `usedRows`. */
export async function usedColumns(
  tx: ReadTransaction,
  key: SheetKey,
  { columnAxis }: Pick<Sheet, 'columnAxis'>,
  atMost = COLUMNS,
): Promise<number> {
  for (const { line, place, count } of spansOf(columnAxis, 0, atMost - 1).reverse()) {
    const last = await findLastColumn(tx, key, place, place + count - 1);
    if (last !== undefined) return line + last - place + 1;
  }
  return 0;
}

/** A row of blocks may hold rows of other spans too, so where one holds nothing of this span, the one before is asked. */
async function lastUsedPlace(tx: ReadTransaction, key: SheetKey, span: Span): Promise<number | undefined> {
  const first = Math.floor(span.place / BLOCK_ROWS);
  let last = Math.floor((span.place + span.count - 1) / BLOCK_ROWS);
  for (;;) {
    const block = await findLastRowBlock(tx, key, first, last);
    if (block === undefined) return undefined;
    const place = await lastPlaceIn(tx, key, block, span);
    if (place !== undefined) return place;
    last = block - 1;
  }
}

async function lastPlaceIn(
  tx: ReadTransaction,
  key: SheetKey,
  rowBlock: number,
  { place, count }: Span,
): Promise<number | undefined> {
  let found: number | undefined;
  const all = {
    ...blocksOf({ top: 0, bottom: 0, left: FIRST, right: LAST }),
    top: rowBlock,
    bottom: rowBlock,
  };
  const portions = listedPortions(tx, key, (after, limit) => listBlocks(tx, key, all, after, limit));
  for await (const blocks of portions) {
    for (const block of blocks) {
      for (const offset of (await decodeBlock(block.cells)).keys()) {
        const { row } = placesOf(block, offset);
        if (row >= place && row < place + count && row > (found ?? Number.NEGATIVE_INFINITY)) found = row;
      }
    }
  }
  return found;
}

/** Wider than any axis reaches. */
const FIRST = -(2 ** 40);
const LAST = 2 ** 40;
