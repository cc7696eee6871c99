import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { rowsInsertion } from '../../../storage/query/insertion.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { Rectangle } from './a1.ts';
import { type BlockKey, EMPTY_BLOCK } from './block.ts';
import { isNear, isOneOf, pairsOf, portionsOf, type SheetKey } from './block-keys.ts';

export type { SheetKey };

/** A block as it is stored. */
export interface StoredBlock extends BlockKey {
  readonly cells: string;
}

/** A block as it is listed with others: of a large one the cells are read when it is its turn. */
export interface ListedBlock extends BlockKey {
  readonly cells: string | null;
}

/** Bytes. Blocks mostly have a few thousand; where one has more than that, 32 of them may be more than memory has. */
const LARGE_BLOCK = 128 * 1024;
const cellsUnlessLarge = sql<
  string | null
>`case when octet_length(cells) <= ${sql.lit(LARGE_BLOCK)} then cells end`;

/** A block as it is to be stored. */
export interface NewBlock extends StoredBlock {
  readonly formulas: number;
}

const blocksByKey = statement((tx, p: SheetKey & { keys: string }) =>
  tx
    .selectFrom('spreadsheet_blocks')
    .select(['row_block as rowBlock', 'column_block as columnBlock', cellsUnlessLarge.as('cells')])
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where(isNear(tx, p.keys))
    .where(isOneOf(tx, p.keys)),
);

/** Those of some blocks that hold something, in any order. */
export async function findBlocks(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  keys: readonly BlockKey[],
): Promise<ListedBlock[]> {
  const found: ListedBlock[] = [];
  for (const portion of portionsOf(keys)) {
    const pairs = pairsOf(portion);
    found.push(...(await blocksByKey(tx, { workspaceId, sheet, keys: pairs })));
  }
  return found;
}

/** SQLite makes a long text of bytes, of which Node makes one in a tenth of the time. */
const cellsAsBytes = (tx: ReadTransaction) =>
  tx.engine === 'sqlite' ? sql<string | Uint8Array>`cast(cells as blob)` : sql<string | Uint8Array>`cells`;

const cellsOfBlock = statement((tx, p: SheetKey & BlockKey) =>
  tx
    .selectFrom('spreadsheet_blocks')
    .select(cellsAsBytes(tx).as('cells'))
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where('row_block', '=', p.rowBlock)
    .where('column_block', '=', p.columnBlock),
);

/** A block that was listed, with its cells. */
export async function wholeBlock(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  { rowBlock, columnBlock, cells }: ListedBlock,
): Promise<StoredBlock> {
  if (cells !== null) return { rowBlock, columnBlock, cells };
  const [found] = await cellsOfBlock(tx, { workspaceId, sheet, rowBlock, columnBlock });
  return { rowBlock, columnBlock, cells: textOf(found?.cells ?? EMPTY_BLOCK) };
}

function textOf(cells: string | Uint8Array): string {
  if (typeof cells === 'string') return cells;
  return Buffer.from(cells.buffer, cells.byteOffset, cells.byteLength).toString();
}

const blockSizes = statement((tx, p: SheetKey & { limit: number }) =>
  tx
    .selectFrom('spreadsheet_blocks')
    .select([
      'row_block as rowBlock',
      'column_block as columnBlock',
      sql<number>`octet_length(cells)`.as('size'),
    ])
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .orderBy('row_block')
    .orderBy('column_block')
    .limit(p.limit),
);

/** The first blocks of a sheet, and how many bytes each has. */
export function listBlockSizes(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  limit: number,
): Promise<(BlockKey & { readonly size: number })[]> {
  return blockSizes(tx, { workspaceId, sheet, limit });
}

const blocksAfter = statement(
  (tx, p: SheetKey & Rectangle & { row: number; column: number; limit: number }) =>
    tx
      .selectFrom('spreadsheet_blocks')
      .select(['row_block as rowBlock', 'column_block as columnBlock', cellsUnlessLarge.as('cells')])
      .where('workspace_id', '=', p.workspaceId)
      .where('sheet', '=', p.sheet)
      .where(sql<boolean>`(row_block, column_block) > (${p.row}, ${p.column})`)
      .where('row_block', '<=', p.bottom)
      .where('column_block', '>=', p.left)
      .where('column_block', '<=', p.right)
      .orderBy('row_block')
      .orderBy('column_block')
      .limit(p.limit),
);

/**
 * The blocks of a rectangle of blocks that hold something: row after row of blocks, and along each; at most `limit` of
 * them, after the one that is named.
 */
export function listBlocks(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  { top, left, bottom, right }: Rectangle,
  after: BlockKey | undefined,
  limit: number,
): Promise<ListedBlock[]> {
  const { rowBlock, columnBlock } = after ?? { rowBlock: top, columnBlock: left - 1 };
  const place = { row: rowBlock, column: columnBlock };
  return blocksAfter(tx, { ...place, workspaceId, sheet, top, left, bottom, right, limit });
}

const blocksWithFormulas = statement((tx, p: SheetKey & { row: number; column: number; limit: number }) =>
  tx
    .selectFrom('spreadsheet_blocks')
    .select(['row_block as rowBlock', 'column_block as columnBlock', cellsUnlessLarge.as('cells')])
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where(sql<boolean>`(row_block, column_block) > (${p.row}, ${p.column})`)
    .where('formulas', '>', 0)
    .orderBy('row_block')
    .orderBy('column_block')
    .limit(p.limit),
);

/** The blocks of a sheet that hold formulas, as `listBlocks`. */
export function listFormulaBlocks(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  after: BlockKey | undefined,
  limit: number,
): Promise<ListedBlock[]> {
  const { rowBlock: row, columnBlock: column } = after ?? BEFORE_ALL;
  return blocksWithFormulas(tx, { workspaceId, sheet, row, column, limit });
}

const BEFORE_ALL: BlockKey = { rowBlock: Number.MIN_SAFE_INTEGER, columnBlock: 0 };

const lastRowBlock = statement((tx, p: SheetKey & { first: number; last: number }) =>
  tx
    .selectFrom('spreadsheet_blocks')
    .select('row_block as rowBlock')
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where('row_block', '>=', p.first)
    .where('row_block', '<=', p.last)
    .orderBy('row_block', 'desc')
    .limit(1),
);

/** The last row of blocks, from `first` to `last`, that holds something; undefined when none does. */
export async function findLastRowBlock(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  first: number,
  last: number,
): Promise<number | undefined> {
  const [row] = await lastRowBlock(tx, { workspaceId, sheet, first, last });
  return row?.rowBlock;
}

const keepBlocks = rowsInsertion(
  'spreadsheet_blocks',
  ['workspace_id', 'sheet', 'row_block', 'column_block', 'formulas', 'cells'],
  (rows) =>
    rows.onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'sheet', 'row_block', 'column_block'])
        .doUpdateSet((e) => ({ formulas: e.ref('excluded.formulas'), cells: e.ref('excluded.cells') })),
    ),
);

/** Stores blocks in place of those that were there. */
export async function putBlocks(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  blocks: readonly NewBlock[],
): Promise<void> {
  for (const portion of portionsOf(blocks)) {
    const rows = portion.map(({ rowBlock, columnBlock, formulas, cells }) => [
      workspaceId,
      sheet,
      rowBlock,
      columnBlock,
      formulas,
      cells,
    ]);
    await keepBlocks(tx, rows, {});
  }
}

const dropBlocks = statement((tx: WriteTransaction, p: SheetKey & { keys: string }) =>
  tx
    .deleteFrom('spreadsheet_blocks')
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where(isNear(tx, p.keys))
    .where(isOneOf(tx, p.keys)),
);

/** Removes blocks that hold nothing any more. */
export async function removeBlocks(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  keys: readonly BlockKey[],
): Promise<void> {
  for (const portion of portionsOf(keys)) {
    const pairs = pairsOf(portion);
    await dropBlocks(tx, { workspaceId, sheet, keys: pairs });
  }
}
