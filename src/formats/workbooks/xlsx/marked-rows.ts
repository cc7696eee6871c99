import type { ExportedRow, HiddenRows, RowRuns } from '../workbook.ts';

/** A row as it is written: one that is hidden is, though nothing is in it. Of its parts the first one tells. */
export interface MarkedRow extends ExportedRow {
  readonly isHidden: boolean;
}

/** Rows in their order, with those among and behind them that are hidden and have no cells. */
export async function* withHiddenRows(
  rows: AsyncIterable<ExportedRow>,
  hidden: HiddenRows | undefined,
): AsyncGenerator<MarkedRow> {
  const numbers = hidden ? ascending(hidden) : [][Symbol.iterator]();
  let next = numbers.next();
  for await (const row of rows) {
    for (; !next.done && next.value < row.row; next = numbers.next()) yield emptyRow(next.value);
    const isHidden = !next.done && next.value === row.row;
    yield { ...row, isHidden };
    if (isHidden) next = numbers.next();
  }
  for (; !next.done; next = numbers.next()) yield emptyRow(next.value);
}

function emptyRow(row: number): MarkedRow {
  return { row, cells: [], isHidden: true };
}

/** All rows that are hidden, each once: none is both by hand and by a filter. */
function* ascending({ byHand, byFilter }: HiddenRows): Generator<number, undefined> {
  const lists = [rowsOf(byHand), rowsOf(byFilter)] as const;
  const heads = [lists[0].next(), lists[1].next()];
  for (;;) {
    const [hand, filter] = heads;
    if (hand?.done === false && (filter?.done !== false || hand.value < filter.value)) {
      yield hand.value;
      heads[0] = lists[0].next();
    } else if (filter?.done === false) {
      yield filter.value;
      heads[1] = lists[1].next();
    } else return undefined;
  }
}

function* rowsOf(runs: RowRuns): Generator<number, undefined> {
  for (let at = 0; at < runs.length; at += 2) {
    const first = runs[at] ?? 0;
    const end = first + (runs[at + 1] ?? 0);
    for (let row = first; row < end; row++) yield row;
  }
  return undefined;
}
