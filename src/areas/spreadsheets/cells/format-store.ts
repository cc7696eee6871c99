import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { rowsInsertion } from '../../../storage/query/insertion.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { Rectangle } from './a1.ts';
import { BLOCK_COLUMNS, BLOCK_ROWS, type BlockKey } from './block.ts';
import { matchesKey, matchesRowAndColumn, pairsOf, portionsOf, type SheetKey } from './block-store.ts';

/** The number format codes of the cells of a block, by their offset. Cells with the format General are absent. */
export type BlockFormats = Map<number, string>;

/** A code and the runs of cells that have it. Each run is its first cell and its length. */
type FormatRuns = [code: string, ...runs: number[]];

/**
 * Serializes formats as JSON, one list for each code. Cells are numbered down each column, because a whole column
 * mostly has one format and then is a single run.
 */
export function encodeFormats(formats: BlockFormats): string {
  const cells = Array.from(formats, ([offset, code]) => ({ cell: cellAt(offset), code }));
  const byCode = new Map<string, FormatRuns>();
  let before: { readonly cell: number; readonly code: string } | undefined;
  for (const { cell, code } of cells.sort((a, b) => a.cell - b.cell)) {
    const runs = byCode.getOrInsertComputed(code, () => [code]);
    if (before?.code === code && before.cell === cell - 1) runs.push((runs.pop() as number) + 1);
    else runs.push(cell, 1);
    before = { cell, code };
  }
  return JSON.stringify([...byCode.values()]);
}

export function decodeFormats(text: string): BlockFormats {
  const formats: BlockFormats = new Map();
  for (const [code, ...runs] of JSON.parse(text) as FormatRuns[]) {
    for (let i = 0; i < runs.length; i += 2) {
      const [first = 0, count = 0] = runs.slice(i, i + 2);
      for (let cell = first; cell < first + count; cell++) formats.set(offsetOf(cell), code);
    }
  }
  return formats;
}

/** The number of a cell when a block is numbered down each column, from its offset. */
function cellAt(offset: number): number {
  return (offset % BLOCK_COLUMNS) * BLOCK_ROWS + Math.floor(offset / BLOCK_COLUMNS);
}

function offsetOf(cell: number): number {
  return (cell % BLOCK_ROWS) * BLOCK_COLUMNS + Math.floor(cell / BLOCK_ROWS);
}

/** The number formats of a block in their stored form. */
export interface StoredFormats extends BlockKey {
  readonly formats: string;
}

const formatsByKey = statement((tx, p: SheetKey & { keys: string }) =>
  tx
    .selectFrom('spreadsheet_formats')
    .select(['row_block as rowBlock', 'column_block as columnBlock', 'formats'])
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where(matchesRowAndColumn(tx, p.keys))
    .where(matchesKey(tx, p.keys)),
);

/** The formats of those of the given blocks that have any, in any order. */
export async function findFormats(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  keys: readonly BlockKey[],
): Promise<StoredFormats[]> {
  const found: StoredFormats[] = [];
  for (const portion of portionsOf(keys)) {
    found.push(...(await formatsByKey(tx, { workspaceId, sheet, keys: pairsOf(portion) })));
  }
  return found;
}

const formatsAfter = statement(
  (tx, p: SheetKey & Rectangle & { row: number; column: number; limit: number }) =>
    tx
      .selectFrom('spreadsheet_formats')
      .select(['row_block as rowBlock', 'column_block as columnBlock', 'formats'])
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

/** The formats of the blocks of a rectangle of blocks, sorted by row and column; at most `limit`, after the block `after`. */
export function listFormats(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  { top, left, bottom, right }: Rectangle,
  after: BlockKey | undefined,
  limit: number,
): Promise<StoredFormats[]> {
  const { rowBlock, columnBlock } = after ?? { rowBlock: top, columnBlock: left - 1 };
  const area = { top, left, bottom, right };
  return formatsAfter(tx, { ...area, workspaceId, sheet, row: rowBlock, column: columnBlock, limit });
}

const upsertFormats = rowsInsertion(
  'spreadsheet_formats',
  ['workspace_id', 'sheet', 'row_block', 'column_block', 'formats'],
  (rows) =>
    rows.onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'sheet', 'row_block', 'column_block'])
        .doUpdateSet((e) => ({ formats: e.ref('excluded.formats') })),
    ),
);

/** Inserts the formats of blocks, or replaces them. */
export async function putFormats(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  blocks: readonly StoredFormats[],
): Promise<void> {
  for (const portion of portionsOf(blocks)) {
    const rows = portion.map(({ rowBlock, columnBlock, formats }) => [
      workspaceId,
      sheet,
      rowBlock,
      columnBlock,
      formats,
    ]);
    await upsertFormats(tx, rows, {});
  }
}

const dropFormats = command((tx: WriteTransaction, p: SheetKey & { keys: string }) =>
  tx
    .deleteFrom('spreadsheet_formats')
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where(matchesRowAndColumn(tx, p.keys))
    .where(matchesKey(tx, p.keys)),
);

/** Removes the formats of blocks. */
export async function removeFormats(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  keys: readonly BlockKey[],
): Promise<void> {
  for (const portion of portionsOf(keys)) {
    await dropFormats(tx, { workspaceId, sheet, keys: pairsOf(portion) });
  }
}
