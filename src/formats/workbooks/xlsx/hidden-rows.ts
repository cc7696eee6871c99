import type { HiddenRows, RowRuns, SheetFilter } from '../workbook.ts';
import type { ReadFilter } from './filters.ts';

/** Gathers the rows of a sheet that are not shown. */
export class HiddenRowList {
  readonly #rows: number[] = [];

  /** In any order, and more than once. */
  add(row: number): void {
    this.#rows.push(row);
  }

  /** Undefined where all rows are shown. What hides a row where a filter is, is the filter: files do not tell. */
  hidden(filters: readonly ReadFilter[]): HiddenRows | undefined {
    const deciding = filters.filter(({ decides }) => decides);
    if (this.#rows.length === 0) return undefined;
    const isFiltered = membership(deciding);
    const [byHand, byFilter] = [new Runs(), new Runs()];
    for (const row of Uint32Array.from(this.#rows).sort()) (isFiltered(row) ? byFilter : byHand).add(row);
    return { byHand: byHand.take(), byFilter: byFilter.take(), filter: shared(deciding[0]) };
  }
}

function shared(filter: ReadFilter | undefined): SheetFilter | undefined {
  if (!filter) return undefined;
  const { top, left, bottom, right, columns } = filter;
  return { top, left, bottom, right, columns };
}

/** Whether rows, which are asked for in ascending order, are below the headings of some filter. */
function membership(filters: readonly ReadFilter[]): (row: number) => boolean {
  const sorted = filters.toSorted((a, b) => a.top - b.top);
  let next = 0;
  let bottom = -1;
  return (row) => {
    for (let at = sorted[next]; at !== undefined && at.top < row; at = sorted[++next]) {
      bottom = Math.max(bottom, at.bottom);
    }
    return row <= bottom;
  };
}

class Runs {
  readonly #runs: number[] = [];
  #end = -1;

  /** Takes a row that is not before the last one. */
  add(row: number): void {
    const last = this.#runs.length - 1;
    if (row === this.#end) this.#runs[last] = (this.#runs[last] ?? 0) + 1;
    else if (row > this.#end) this.#runs.push(row, 1);
    this.#end = row + 1;
  }

  take(): RowRuns {
    return Uint32Array.from(this.#runs);
  }
}
