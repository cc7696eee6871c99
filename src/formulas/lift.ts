import { isGrid } from './grids.ts';
import { clockTicker, type Spend } from './steps.ts';
import { ERROR, type Grid, type Scalar, Union, type Value } from './values.ts';

/** A grid with a common value for all cells beyond its used range. */
interface Tailed extends Grid {
  readonly coreRows: number;
  readonly coreColumns: number;
  readonly tail: Scalar | undefined;
}

function coreOf(grid: Grid): { rows: number; columns: number; tail: Scalar | undefined } {
  if (grid instanceof LiftedGrid) return { rows: grid.coreRows, columns: grid.coreColumns, tail: grid.tail };
  return { rows: grid.usedRows, columns: grid.usedColumns, tail: null };
}

/**
 * The result of computing each cell of grids. Computes the range that any operand uses at once. Beyond it, as in
 * the rest of a whole column, one common value holds, or values are computed on demand.
 */
class LiftedGrid implements Tailed {
  readonly coreRows: number;
  readonly coreColumns: number;
  readonly tail: Scalar | undefined;
  readonly rows: number;
  readonly columns: number;
  readonly #core: Scalar[];
  readonly #compute: (row: number, column: number) => Scalar;
  readonly #spend: Spend;

  constructor(shape: Shape, compute: (row: number, column: number) => Scalar, spend: Spend) {
    this.rows = shape.rows;
    this.columns = shape.columns;
    this.coreRows = Math.min(shape.rows, shape.coreRows);
    this.coreColumns = Math.min(shape.columns, shape.coreColumns);
    this.#compute = compute;
    this.#spend = spend;
    spend(this.coreRows * this.coreColumns);
    this.#core = this.#computeCore();
    const tailed = this.coreRows < this.rows || this.coreColumns < this.columns;
    this.tail = tailed && shape.uniform ? compute(this.rows - 1, this.columns - 1) : undefined;
  }

  #computeCore(): Scalar[] {
    const core: Scalar[] = [];
    const tick = clockTicker(this.#spend);
    for (let row = 0; row < this.coreRows; row++) {
      for (let column = 0; column < this.coreColumns; column++) {
        core.push(this.#compute(row, column));
        tick();
      }
    }
    return core;
  }

  get usedRows(): number {
    return this.rows;
  }

  get usedColumns(): number {
    return this.columns;
  }

  at(row: number, column: number): Scalar {
    if (row < 0 || column < 0 || row >= this.rows || column >= this.columns) return null;
    if (row < this.coreRows && column < this.coreColumns) {
      return this.#core[row * this.coreColumns + column] ?? null;
    }
    return this.tail === undefined ? this.#compute(row, column) : this.tail;
  }

  each(visit: (value: Exclude<Scalar, null>, row: number, column: number) => void): void {
    const rows = this.tail === null ? this.coreRows : this.rows;
    const columns = this.tail === null ? this.coreColumns : this.columns;
    if (rows * columns > this.#core.length) this.#spend(rows * columns);
    const tick = clockTicker(this.#spend);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        tick();
        const value = this.at(row, column);
        if (value !== null) visit(value, row, column);
      }
    }
  }
}

interface Shape {
  readonly rows: number;
  readonly columns: number;
  readonly coreRows: number;
  readonly coreColumns: number;
  /** All cells beyond the core are computed from the same values. */
  readonly uniform: boolean;
}

/** The shape of a result of several grids: the longest of each side. A single row or column is repeated. */
function shapeOf(grids: readonly Grid[]): Shape {
  const rows = Math.max(...grids.map((grid) => grid.rows));
  const columns = Math.max(...grids.map((grid) => grid.columns));
  let [coreRows, coreColumns, uniform] = [1, 1, true];
  for (const grid of grids) {
    const core = coreOf(grid);
    if (grid.rows > 1) coreRows = Math.max(coreRows, core.rows);
    if (grid.columns > 1) coreColumns = Math.max(coreColumns, core.columns);
    const single = grid.rows === 1 && grid.columns === 1;
    uniform &&= single || (grid.rows === rows && grid.columns === columns && core.tail !== undefined);
  }
  const ragged = grids.some((grid) => isUneven(grid.rows, rows) || isUneven(grid.columns, columns));
  return ragged
    ? { rows, columns, coreRows: rows, coreColumns: columns, uniform: false }
    : { rows, columns, coreRows, coreColumns, uniform };
}

/** A shorter side other than 1 leaves cells without a value: they are #N/A. */
function isUneven(side: number, longest: number): boolean {
  return side !== 1 && side !== longest;
}

function pick(grid: Grid, row: number, column: number): Scalar {
  const atRow = grid.rows === 1 ? 0 : row;
  const atColumn = grid.columns === 1 ? 0 : column;
  if (atRow >= grid.rows || atColumn >= grid.columns) return ERROR['#N/A'];
  return grid.at(atRow, atColumn);
}

/** Computes a function of single values for each cell of the grids among its arguments. Returns a value or a grid. */
export function lift(
  given: readonly Value[],
  compute: (values: readonly Scalar[]) => Scalar,
  spend: Spend,
): Scalar | Grid {
  if (given.some((value) => value instanceof Union)) return ERROR['#VALUE!'];
  const grids = given.filter(isGrid);
  if (grids.length === 0) return compute(given as readonly Scalar[]);
  const shape = shapeOf(grids);
  const at = (row: number, column: number) =>
    compute(given.map((value) => (isGrid(value) ? pick(value, row, column) : (value as Scalar))));
  return shape.rows === 1 && shape.columns === 1 ? at(0, 0) : new LiftedGrid(shape, at, spend);
}
