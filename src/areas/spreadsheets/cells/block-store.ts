import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { rowsInsertion } from '../../../storage/query/insertion.ts';
import { arraysIn, integerAt } from '../../../storage/query/json-parameters.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { Rectangle } from './a1.ts';
import { type BlockKey, EMPTY_BLOCK } from './block.ts';

/** Identifies the sheet whose cells are stored. */
export interface SheetKey {
  readonly workspaceId: string;
  readonly sheet: string;
}

/** SQLite runs a statement without interruption while all other work waits. */
const BLOCKS_A_STATEMENT = 64;

/**
 * Condition that the row and the column of a block each occur in the keys. It only speeds up PostgreSQL, which
 * misjudges the length of the list and would scan the whole sheet: given arrays, it searches the index for each value.
 */
export function matchesRowAndColumn(tx: ReadTransaction, keys: string) {
  if (tx.engine === 'sqlite') return sql<boolean>`true`;
  const among = (column: string, index: number) => {
    const numbers = sql`select ${integerAt('n', index)} from ${arraysIn(tx, keys, 'n')}`;
    return sql<boolean>`${sql.ref(column)} = any(array(${numbers}))`;
  };
  return sql<boolean>`${among('row_block', 0)} and ${among('column_block', 1)}`;
}

/** Condition that a block has one of these keys. Written as `in`: for a join, SQLite would start with a scan of the sheet. */
export function matchesKey(tx: ReadTransaction, keys: string) {
  const pairs = sql`select ${integerAt('k', 0)}, ${integerAt('k', 1)} from ${arraysIn(tx, keys, 'k')}`;
  return sql<boolean>`(${sql.ref('row_block')}, ${sql.ref('column_block')}) in (${pairs})`;
}

/** The keys as JSON, in the form that `matchesRowAndColumn` and `matchesKey` expect. */
export function pairsOf(keys: readonly BlockKey[]): string {
  return JSON.stringify(keys.map(({ rowBlock, columnBlock }) => [rowBlock, columnBlock]));
}

/** Splits blocks, or their keys, into portions for one statement each. */
export function* portionsOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < all.length; i += BLOCKS_A_STATEMENT) yield all.slice(i, i + BLOCKS_A_STATEMENT);
}

/** A block in its stored form. */
export interface StoredBlock extends BlockKey {
  readonly cells: string;
}

/** A block in a list of blocks. The cells of a large block are null; they are read separately. */
interface ListedBlock extends BlockKey {
  readonly cells: string | null;
}

/** Bytes. Most blocks have a few thousand. A list of 32 blocks must fit into memory, so larger blocks are read one by one. */
const LARGE_BLOCK = 128 * 1024;
const cellsUnlessLarge = sql<
  string | null
>`case when octet_length(cells) <= ${sql.lit(LARGE_BLOCK)} then cells end`;

/** A block to be stored. */
interface NewBlock extends StoredBlock {
  readonly formulas: number;
}

const blocksByKey = statement((tx, p: SheetKey & { keys: string }) =>
  tx
    .selectFrom('spreadsheet_blocks')
    .select(['row_block as rowBlock', 'column_block as columnBlock', cellsUnlessLarge.as('cells')])
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where(matchesRowAndColumn(tx, p.keys))
    .where(matchesKey(tx, p.keys)),
);

/** Those of the given blocks that exist, in any order. */
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

/** SQLite returns a long text much slower than a blob: Node.js decodes the bytes in a tenth of the time. */
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

/** A listed block with its cells, which are read if the list left them out. */
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

/** The first blocks of a sheet, with their sizes in bytes. */
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

/** The stored blocks of a rectangle of blocks, sorted by row and column; at most `limit`, after the block `after`. */
export function listBlocks(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  { top, left, bottom, right }: Rectangle,
  after: BlockKey | undefined,
  limit: number,
): Promise<ListedBlock[]> {
  const { rowBlock, columnBlock } = after ?? { rowBlock: top, columnBlock: left - 1 };
  const position = { row: rowBlock, column: columnBlock };
  return blocksAfter(tx, { ...position, workspaceId, sheet, top, left, bottom, right, limit });
}

const blocksBefore = statement(
  (tx, p: SheetKey & Rectangle & { row: number; column: number; limit: number }) =>
    tx
      .selectFrom('spreadsheet_blocks')
      .select(['row_block as rowBlock', 'column_block as columnBlock', cellsUnlessLarge.as('cells')])
      .where('workspace_id', '=', p.workspaceId)
      .where('sheet', '=', p.sheet)
      .where(sql<boolean>`(row_block, column_block) < (${p.row}, ${p.column})`)
      .where('row_block', '>=', p.top)
      .where('column_block', '>=', p.left)
      .where('column_block', '<=', p.right)
      .orderBy('row_block', 'desc')
      .orderBy('column_block', 'desc')
      .limit(p.limit),
);

/** As `listBlocks`, from the last block of the rectangle to the first. */
export function listBlocksUpwards(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  { top, left, bottom, right }: Rectangle,
  after: BlockKey | undefined,
  limit: number,
): Promise<ListedBlock[]> {
  const { rowBlock, columnBlock } = after ?? { rowBlock: bottom, columnBlock: right + 1 };
  const position = { row: rowBlock, column: columnBlock };
  return blocksBefore(tx, { ...position, workspaceId, sheet, top, left, bottom, right, limit });
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

/** The blocks of a sheet that contain formulas, sorted and limited as in `listBlocks`. */
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

/** The last row of blocks from `first` to `last` that has a stored block; undefined if there is none. */
export async function findLastRowBlock(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  first: number,
  last: number,
): Promise<number | undefined> {
  const [row] = await lastRowBlock(tx, { workspaceId, sheet, first, last });
  return row?.rowBlock;
}

const upsertBlocks = rowsInsertion(
  'spreadsheet_blocks',
  ['workspace_id', 'sheet', 'row_block', 'column_block', 'formulas', 'cells'],
  (rows) =>
    rows.onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'sheet', 'row_block', 'column_block'])
        .doUpdateSet((e) => ({ formulas: e.ref('excluded.formulas'), cells: e.ref('excluded.cells') })),
    ),
);

/** Inserts blocks, or replaces them. */
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
    await upsertBlocks(tx, rows, {});
  }
}

const dropBlocks = command((tx: WriteTransaction, p: SheetKey & { keys: string }) =>
  tx
    .deleteFrom('spreadsheet_blocks')
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where(matchesRowAndColumn(tx, p.keys))
    .where(matchesKey(tx, p.keys)),
);

/** Removes blocks without cells. */
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

/** Blocks that one query lists; the large ones among them are read one by one. */
const BLOCKS_AT_ONCE = 32;

/** Lists at most `limit` blocks after one, in the order of their keys. */
type List = (after: BlockKey | undefined, limit: number) => Promise<readonly ListedBlock[]>;

/** The blocks of a list in portions of few bytes. It yields to the event loop between portions. */
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

/** Some of the wanted keys, and the stored blocks that have them. */
interface FoundPortion<T extends BlockKey> {
  readonly wanted: readonly T[];
  readonly blocks: readonly StoredBlock[];
}

/** The blocks of these keys in portions of few bytes, in any order. It yields to the event loop between portions. */
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

/** Listed blocks in their order: consecutive small ones together, a large one alone. */
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
