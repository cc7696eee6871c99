import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { arraysIn, integerAt } from '../../storage/elements.ts';
import { rowsInsertion } from '../../storage/insertion.ts';
import { statement } from '../../storage/statement.ts';
import type { Rectangle } from './a1.ts';
import type { BlockKey } from './block.ts';

/** Where the cells of a sheet are. */
export interface SheetKey {
  readonly workspaceId: string;
  readonly sheet: string;
}

/** A block as it is stored. */
export interface StoredBlock extends BlockKey {
  readonly cells: string;
}

/** A block as it is to be stored. */
export interface NewBlock extends StoredBlock {
  readonly formulas: number;
}

/** SQLite runs a statement in one go, while everything else waits. */
const BLOCKS_A_STATEMENT = 64;

/**
 * Whether row and column of a block are among those of some keys: PostgreSQL, which would rather read a whole sheet than
 * believe that a list is short, looks each up in the index when it is given arrays.
 */
function isNear(tx: ReadTransaction, keys: string) {
  if (tx.engine === 'sqlite') return sql<boolean>`true`;
  const among = (column: string, index: number) => {
    const numbers = sql`select ${integerAt('n', index)} from ${arraysIn(tx, keys, 'n')}`;
    return sql<boolean>`${sql.ref(column)} = any(array(${numbers}))`;
  };
  return sql<boolean>`${among('row_block', 0)} and ${among('column_block', 1)}`;
}

/** That a block is one of these. Said as `in`, for a join SQLite would begin with the sheet. */
function isOneOf(tx: ReadTransaction, keys: string) {
  const pairs = sql`select ${integerAt('k', 0)}, ${integerAt('k', 1)} from ${arraysIn(tx, keys, 'k')}`;
  return sql<boolean>`(${sql.ref('row_block')}, ${sql.ref('column_block')}) in (${pairs})`;
}

const blocksByKey = statement((tx, p: SheetKey & { keys: string }) =>
  tx
    .selectFrom('spreadsheet_blocks')
    .select(['row_block as rowBlock', 'column_block as columnBlock', 'cells'])
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
): Promise<StoredBlock[]> {
  const found: StoredBlock[] = [];
  for (const portion of portions(keys, BLOCKS_A_STATEMENT)) {
    const pairs = JSON.stringify(portion.map(({ rowBlock, columnBlock }) => [rowBlock, columnBlock]));
    found.push(...(await blocksByKey(tx, { workspaceId, sheet, keys: pairs })));
  }
  return found;
}

const blocksAfter = statement(
  (tx, p: SheetKey & Rectangle & { row: number; column: number; limit: number }) =>
    tx
      .selectFrom('spreadsheet_blocks')
      .select(['row_block as rowBlock', 'column_block as columnBlock', 'cells'])
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
): Promise<StoredBlock[]> {
  const { rowBlock, columnBlock } = after ?? { rowBlock: top, columnBlock: left - 1 };
  const place = { row: rowBlock, column: columnBlock };
  return blocksAfter(tx, { ...place, workspaceId, sheet, top, left, bottom, right, limit });
}

const blocksWithFormulas = statement((tx, p: SheetKey & { row: number; column: number; limit: number }) =>
  tx
    .selectFrom('spreadsheet_blocks')
    .select(['row_block as rowBlock', 'column_block as columnBlock', 'cells'])
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
): Promise<StoredBlock[]> {
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
  for (const portion of portions(blocks, BLOCKS_A_STATEMENT)) {
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
  for (const portion of portions(keys, BLOCKS_A_STATEMENT)) {
    const pairs = JSON.stringify(portion.map(({ rowBlock, columnBlock }) => [rowBlock, columnBlock]));
    await dropBlocks(tx, { workspaceId, sheet, keys: pairs });
  }
}

function* portions<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < all.length; i += size) yield all.slice(i, i + size);
}
