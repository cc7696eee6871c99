import type { Cell } from '../storage/schema/table-rows.ts';

/** What one transaction inserts at most. */
export interface PortionBounds {
  /** Parameters. */
  readonly values: number;
  /** Characters and bytes; the row that reaches it is the last of its portion. */
  readonly size: number;
}

/** Splits rows of so many columns, in order, into portions of one insertion each. */
export async function* rowPortions(
  rows: AsyncIterable<Cell[]>,
  columns: number,
  bounds: PortionBounds,
): AsyncGenerator<Cell[][]> {
  const most = Math.max(1, Math.floor(bounds.values / columns));
  let portion: Cell[][] = [];
  let size = 0;
  for await (const row of rows) {
    portion.push(row);
    size += sizeOf(row);
    if (portion.length < most && size < bounds.size) continue;
    yield portion;
    portion = [];
    size = 0;
  }
  if (portion.length > 0) yield portion;
}

function sizeOf(row: readonly Cell[]): number {
  return row.reduce<number>(
    (sum, value) => sum + (value === null || typeof value === 'number' ? 8 : value.length),
    0,
  );
}
