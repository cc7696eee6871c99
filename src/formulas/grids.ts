import { clockTicker, type Spend } from './steps.ts';
import { type Grid, type Scalar, Union, type Value } from './values.ts';

/** A computed array. Rows shorter than the first are padded with empty values. */
class ArrayGrid implements Grid {
  readonly rows: number;
  readonly columns: number;
  readonly #values: readonly (readonly Scalar[])[];
  readonly #spend: Spend;

  constructor(values: readonly (readonly Scalar[])[], spend: Spend) {
    this.#values = values;
    this.#spend = spend;
    this.rows = values.length;
    this.columns = values[0]?.length ?? 0;
  }

  get usedRows(): number {
    return this.rows;
  }

  get usedColumns(): number {
    return this.columns;
  }

  at(row: number, column: number): Scalar {
    return this.#values[row]?.[column] ?? null;
  }

  each(visit: (value: Exclude<Scalar, null>, row: number, column: number) => void): void {
    const tick = clockTicker(this.#spend);
    for (const [row, values] of this.#values.entries()) {
      for (const [column, value] of values.entries()) {
        tick();
        if (value !== null) visit(value, row, column);
      }
    }
  }
}

/**
 * So many values of an array are together in one list. A list that grows is copied: one of a million values takes longer
 * than a formula may compute without a look at the clock.
 */
const VALUES_PER_LIST = 2 ** 15;

/** An array with its values in row-major order, in lists of equal length: a million rows are a few objects. */
class FlatGrid implements Grid {
  readonly rows: number;
  readonly columns: number;
  readonly #lists: readonly (readonly Scalar[])[];
  readonly #spend: Spend;

  constructor(shape: { rows: number; columns: number }, lists: readonly (readonly Scalar[])[], spend: Spend) {
    this.rows = shape.rows;
    this.columns = shape.columns;
    this.#lists = lists;
    this.#spend = spend;
  }

  get usedRows(): number {
    return this.rows;
  }

  get usedColumns(): number {
    return this.columns;
  }

  at(row: number, column: number): Scalar {
    if (row < 0 || column < 0 || column >= this.columns) return null;
    const place = row * this.columns + column;
    return this.#lists[Math.floor(place / VALUES_PER_LIST)]?.[place % VALUES_PER_LIST] ?? null;
  }

  each(visit: (value: Exclude<Scalar, null>, row: number, column: number) => void): void {
    const tick = clockTicker(this.#spend);
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < this.columns; column++) {
        const value = this.at(row, column);
        tick();
        if (value !== null) visit(value, row, column);
      }
    }
  }
}

/** A grid from rows of values; the first row determines the width. Its `each` checks the clock. */
export function gridOf(values: readonly (readonly Scalar[])[], spend: Spend): Grid {
  return new ArrayGrid(values, spend);
}

/** Visits every cell of a grid row by row, including empty ones, and checks the clock at intervals. */
export function eachCell(
  grid: Pick<Grid, 'rows' | 'columns' | 'at'>,
  visit: (value: Scalar, row: number, column: number) => void,
  spend: Spend,
): void {
  const tick = clockTicker(spend);
  for (let row = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++) {
      tick();
      visit(grid.at(row, column), row, column);
    }
  }
}

/**
 * Makes a grid by computing each value once. The caller has already counted the steps; checks the clock at
 * intervals.
 */
export function makeGrid(
  { rows, columns }: { rows: number; columns: number },
  value: (row: number, column: number) => Scalar,
  spend: Spend,
): Grid {
  let list: Scalar[] = [];
  const lists = [list];
  const tick = clockTicker(spend);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (list.length === VALUES_PER_LIST) {
        list = [];
        lists.push(list);
      }
      list.push(value(row, column));
      tick();
    }
  }
  return new FlatGrid({ rows, columns }, lists, spend);
}

/** Whether a value is a grid, not a single value or a union. */
export function isGrid(value: Value | undefined): value is Grid {
  return typeof value === 'object' && value !== null && 'at' in value && !(value instanceof Union);
}

/** Whether a value is a reference, not a computed array. */
export function isReference(value: Value): value is Grid {
  return isGrid(value) && value.area !== undefined;
}
