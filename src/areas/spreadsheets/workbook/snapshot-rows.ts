import type { ShownRun, ShownValue } from '../../../formulas/calculation.ts';
import { isFormula } from '../cells/block.ts';
import type { UsedCell } from '../reading/cells-reading.ts';
import type { FormattedCell } from '../writing/formatting.ts';
import type { SnapshotCell } from './snapshot.ts';

/** What is known of the cells of a row, in any order. */
interface PartsOfRow {
  readonly used: UsedCell[];
  readonly formatted: FormattedCell[];
}

type Runs = AsyncIterable<readonly ShownRun[]> | Iterable<readonly ShownRun[]>;

/** Gathers what is known of neighbouring rows, and makes rows of it: used cells, spilled ones, and those that have a format. */
export class SnapshotRows {
  readonly #rows = new Map<number, PartsOfRow>();

  addUsed(cells: readonly UsedCell[]): void {
    for (const cell of cells) this.#partsOf(cell.row).used.push(cell);
  }

  addFormatted(cells: readonly FormattedCell[]): void {
    for (const cell of cells) this.#partsOf(cell.row).formatted.push(cell);
  }

  /**
   * The cells in order, each time some of one row; to be asked for when everything was added. What they show comes in runs,
   * in order, whose rows are counted from `top`: known of formulas, and where they spill.
   */
  async *inOrder(top: number, runs: Runs): AsyncGenerator<SnapshotCell[]> {
    const numbers = [...this.#rows.keys()].sort((a, b) => b - a);
    let current: RowInOrder | undefined;
    for await (const some of runs) {
      for (const { row: at, column, values } of some) {
        const row = top + at;
        if (current?.row !== row) {
          if (current) yield* nonEmpty(current.take());
          yield* this.#rowsBefore(row, numbers);
          current = this.#takeRow(row);
        }
        yield* nonEmpty(current.take(column, values));
      }
    }
    if (current) yield* nonEmpty(current.take());
    yield* this.#rowsBefore(Number.POSITIVE_INFINITY, numbers);
  }

  /** Rows without runs before one, which are taken from the end of the list; that row is taken from it too. */
  *#rowsBefore(row: number, numbers: number[]): Generator<SnapshotCell[]> {
    for (let next = numbers.at(-1); next !== undefined && next <= row; next = numbers.at(-1)) {
      numbers.pop();
      if (next < row) yield* nonEmpty(this.#takeRow(next).take());
    }
  }

  #takeRow(row: number): RowInOrder {
    const taken = new RowInOrder(row, this.#rows.get(row) ?? { used: [], formatted: [] });
    this.#rows.delete(row);
    return taken;
  }

  #partsOf(row: number): PartsOfRow {
    return this.#rows.getOrInsertComputed(row, () => ({ used: [], formatted: [] }));
  }
}

function* nonEmpty(cells: SnapshotCell[]): Generator<SnapshotCell[]> {
  if (cells.length > 0) yield cells;
}

/** A row whose cells are taken from left to right. */
class RowInOrder {
  readonly row: number;
  readonly #used: readonly UsedCell[];
  readonly #formatted: readonly FormattedCell[];
  #nextUsed = 0;
  #nextFormatted = 0;

  constructor(row: number, { used, formatted }: PartsOfRow) {
    this.row = row;
    this.#used = used.sort((a, b) => a.column - b.column);
    this.#formatted = formatted.sort((a, b) => a.column - b.column);
  }

  /** The next cells, up to the last one of a run of what they show; all that are left where there is no such run. */
  take(column = Number.POSITIVE_INFINITY, values: readonly ShownValue[] = []): SnapshotCell[] {
    const cells: SnapshotCell[] = [];
    for (let next = 0; ; ) {
      while (values[next] === '') next++;
      const used = this.#used[this.#nextUsed];
      const formatted = this.#formatted[this.#nextFormatted];
      const at = Math.min(placeOf(used), placeOf(formatted), next < values.length ? column + next : END);
      if (at >= column + values.length) return cells;
      const input = used?.column === at ? used.input : undefined;
      const isInput = input !== undefined && !isFormula(input);
      const format = formatted?.column === at ? formatted.format : undefined;
      cells.push({
        row: this.row,
        column: at,
        input,
        value: isInput ? input : (values[at - column] ?? ''),
        format,
      });
      if (used?.column === at) this.#nextUsed++;
      if (formatted?.column === at) this.#nextFormatted++;
      if (column + next === at) next++;
    }
  }
}

const END = Number.POSITIVE_INFINITY;

function placeOf(cell: { readonly column: number } | undefined): number {
  return cell?.column ?? END;
}
