import { BLOCK_COLUMNS, BLOCK_ROWS } from './block.ts';

/** The codes of number formats of the cells of a block, by their offset in it; those of General are not in it. */
export type BlockFormats = Map<number, string>;

/** A code, and the runs of neighbouring cells of a column that have it: each its first cell and how many they are. */
type FormatRuns = [code: string, ...runs: number[]];

/**
 * Formats as they are stored: JSON of a list for each code. Cells are counted down each column, since it is columns that
 * mostly have one format: one of a whole column of the block is one run.
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

/** The number of a cell down each column, by its offset in the block. */
function cellAt(offset: number): number {
  return (offset % BLOCK_COLUMNS) * BLOCK_ROWS + Math.floor(offset / BLOCK_COLUMNS);
}

function offsetOf(cell: number): number {
  return (cell % BLOCK_ROWS) * BLOCK_COLUMNS + Math.floor(cell / BLOCK_ROWS);
}
