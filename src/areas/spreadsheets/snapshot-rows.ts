import type { ShownValue } from '../../formulas/calculation.ts';
import { isFormula } from './block.ts';
import type { UsedCell } from './cells-reading.ts';
import type { FormattedCell } from './formatting.ts';
import type { SnapshotCell } from './snapshot.ts';

/** What is known of the cells of a row, in any order. */
interface PartsOfRow {
  readonly used: UsedCell[];
  readonly formatted: FormattedCell[];
  /** What the cells show, from the first column on; known of rows with formulas, or where formulas spill. */
  values: readonly ShownValue[];
}

/** Gathers what is known of neighbouring rows, and makes rows of it: used cells, spilled ones, and those that have a format. */
export class SnapshotRows {
  readonly #rows = new Map<number, PartsOfRow>();

  addUsed(cells: readonly UsedCell[]): void {
    for (const cell of cells) this.#partsOf(cell.row).used.push(cell);
  }

  addFormatted(cells: readonly FormattedCell[]): void {
    for (const cell of cells) this.#partsOf(cell.row).formatted.push(cell);
  }

  /** What the cells of neighbouring rows show, the first of which has the number `top`. */
  addValues(top: number, rows: readonly (readonly ShownValue[])[]): void {
    for (const [at, values] of rows.entries()) if (values.length > 0) this.#partsOf(top + at).values = values;
  }

  /** The rows in order, each with its cells in order; to be asked for when everything was added. */
  *inOrder(): Generator<SnapshotCell[]> {
    const numbers = [...this.#rows.keys()].sort((a, b) => a - b);
    for (const row of numbers) {
      const cells = cellsOf(row, this.#partsOf(row));
      this.#rows.delete(row);
      if (cells.length > 0) yield cells;
    }
  }

  #partsOf(row: number): PartsOfRow {
    return this.#rows.getOrInsertComputed(row, () => ({ used: [], formatted: [], values: [] }));
  }
}

function cellsOf(row: number, { used, formatted, values }: PartsOfRow): SnapshotCell[] {
  const formats = new Map(formatted.map(({ column, format }) => [column, format]));
  const taken = new Set<number>();
  const cells: SnapshotCell[] = [];
  const add = (column: number, input: UsedCell['input'] | undefined, value: ShownValue) => {
    taken.add(column);
    cells.push({ row, column, input, value, format: formats.get(column) });
  };
  for (const { column, input } of used) add(column, input, isFormula(input) ? (values[column] ?? '') : input);
  for (const [column, value] of values.entries())
    if (value !== '' && !taken.has(column)) add(column, undefined, value);
  for (const { column } of formatted) if (!taken.has(column)) add(column, undefined, '');
  return cells.sort((a, b) => a.column - b.column);
}
