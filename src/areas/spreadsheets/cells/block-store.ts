import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { rowsInsertion } from '../../../storage/query/insertion.ts';
import { arraysIn, integerAt } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { Rectangle } from './a1.ts';
import { type BlockKey, EMPTY_BLOCK } from './block.ts';

/** Where the cells of a sheet are. */
export interface SheetKey {
  readonly workspaceId: string;
  readonly sheet: string;
}

/** SQLite runs a statement in one go, while everything else waits. */
const BLOCKS_A_STATEMENT = 64;

/**
 * Whether row and column of a block are among those of some keys: PostgreSQL, which would rather read a whole sheet than
 * believe that a list is short, looks each up in the index when it is given arrays.
 */
export function isNear(tx: ReadTransaction, keys: string) {
  if (tx.engine === 'sqlite') return sql<boolean>`true`;
  const among = (column: string, index: number) => {
    const numbers = sql`select ${integerAt('n', index)} from ${arraysIn(tx, keys, 'n')}`;
    return sql<boolean>`${sql.ref(column)} = any(array(${numbers}))`;
  };
  return sql<boolean>`${among('row_block', 0)} and ${among('column_block', 1)}`;
}

/** That a block is one of these. Said as `in`, for a join SQLite would begin with the sheet. */
export function isOneOf(tx: ReadTransaction, keys: string) {
  const pairs = sql`select ${integerAt('k', 0)}, ${integerAt('k', 1)} from ${arraysIn(tx, keys, 'k')}`;
  return sql<boolean>`(${sql.ref('row_block')}, ${sql.ref('column_block')}) in (${pairs})`;
}

/** Keys as `isNear` and `isOneOf` take them. */
export function pairsOf(keys: readonly BlockKey[]): string {
  return JSON.stringify(keys.map(({ rowBlock, columnBlock }) => [rowBlock, columnBlock]));
}

/** Blocks, or their keys, as many as one statement takes. */
export function* portionsOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < all.length; i += BLOCKS_A_STATEMENT) yield all.slice(i, i + BLOCKS_A_STATEMENT);
}

/** A block as it is stored. */
export interface StoredBlock extends BlockKey {
  readonly cells: string;
}

/** A block as it is listed with others: of a large one the cells are read when it is its turn. */
interface ListedBlock extends BlockKey {
  readonly cells: string | null;
}

/** Bytes. Blocks mostly have a few thousand; where one has more than that, 32 of them may be more than memory has. */
const LARGE_BLOCK = 128 * 1024;
const cellsUnlessLarge = sql<
  string | null
>`case when octet_length(cells) <= ${sql.lit(LARGE_BLOCK)} then cells end`;

/** A block as it is to be stored. */
interface NewBlock extends StoredBlock {
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

/** Blocks that are asked for at a time; those of them that are large are read one by one. */
const BLOCKS_AT_ONCE = 32;

/** Lists blocks after one, in the order of their keys, at most so many. */
type List = (after: BlockKey | undefined, limit: number) => Promise<readonly ListedBlock[]>;

/** The blocks of a list in portions of few bytes, with a turn for others in between. */
export async function* listedPortions(
  tx: ReadTransaction,
  key: SheetKey,
  list: List,
): AsyncGenerator<readonly StoredBlock[]> {
  for (let after: BlockKey | undefined; ; ) {
    const listed = await list(after, BLOCKS_AT_ONCE);
    for await (const portion of portionsOfColumns(tx, key, listed)) {
      await giveWay();
      yield portion;
      await giveWay();
    }
    after = listed.at(-1);
    if (listed.length < BLOCKS_AT_ONCE) return;
  }
}

/** Some of what was wanted, and of it the blocks that hold something. */
interface FoundPortion<T extends BlockKey> {
  readonly wanted: readonly T[];
  readonly blocks: readonly StoredBlock[];
}

/** Blocks by their keys in portions of few bytes, in any order, with a turn for others in between. */
export async function* foundPortions<T extends BlockKey>(
  tx: ReadTransaction,
  key: SheetKey,
  wanted: readonly T[],
): AsyncGenerator<FoundPortion<T>> {
  for (let i = 0; i < wanted.length; i += BLOCKS_AT_ONCE) {
    const some = wanted.slice(i, i + BLOCKS_AT_ONCE);
    const found = await findBlocks(tx, key, some);
    const large = new Map(found.filter(isLarge).map((block) => [nameOf(block), block]));
    const small = large.size === 0 ? some : some.filter((one) => !large.has(nameOf(one)));
    if (small.length > 0) yield { wanted: small, blocks: found.filter(isSmall) };
    for (const one of some) {
      const block = large.get(nameOf(one));
      if (!block) continue;
      await giveWay();
      const blocks = [await wholeBlock(tx, key, block)];
      await giveWay();
      yield { wanted: [one], blocks };
    }
    await giveWay();
  }
}

/** Listed blocks in their order: neighbours that are small together, a large one alone. */
async function* portionsOfColumns(
  tx: ReadTransaction,
  key: SheetKey,
  listed: readonly ListedBlock[],
): AsyncGenerator<readonly StoredBlock[]> {
  let small: StoredBlock[] = [];
  for (const block of listed) {
    if (isSmall(block)) {
      small.push(block);
      continue;
    }
    if (small.length > 0) yield small;
    small = [];
    yield [await wholeBlock(tx, key, block)];
  }
  if (small.length > 0) yield small;
}

function isSmall(block: ListedBlock): block is StoredBlock {
  return block.cells !== null;
}

function isLarge(block: ListedBlock): boolean {
  return block.cells === null;
}

function nameOf({ rowBlock, columnBlock }: BlockKey): string {
  return `${rowBlock},${columnBlock}`;
}
