import { lookingUp, type Spend } from './spending.ts';
import { type Grid, type Scalar, Union, type Value } from './values.ts';

/** An array that was computed. Rows that are shorter than the first are completed with empty values. */
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
    const look = lookingUp(this.#spend);
    for (const [row, values] of this.#values.entries()) {
      for (const [column, value] of values.entries()) {
        look();
        if (value !== null) visit(value, row, column);
      }
    }
  }
}

/** An array whose values stand one after the other, row by row: a million rows are one object. */
class FlatGrid implements Grid {
  readonly rows: number;
  readonly columns: number;
  readonly #values: readonly Scalar[];
  readonly #spend: Spend;

  constructor(shape: { rows: number; columns: number }, values: readonly Scalar[], spend: Spend) {
    this.rows = shape.rows;
    this.columns = shape.columns;
    this.#values = values;
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
    return this.#values[row * this.columns + column] ?? null;
  }

  each(visit: (value: Exclude<Scalar, null>, row: number, column: number) => void): void {
    const look = lookingUp(this.#spend);
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < this.columns; column++) {
        const value = this.#values[row * this.columns + column] ?? null;
        look();
        if (value !== null) visit(value, row, column);
      }
    }
  }
}

/** Rows of values as a grid; the first row says how wide it is. Whoever walks it looks at the clock. */
export function gridOf(values: readonly (readonly Scalar[])[], spend: Spend): Grid {
  return new ArrayGrid(values, spend);
}

/** Visits every place of a grid row by row, the empty ones too, and looks at the clock now and then. */
export function eachPlace(
  grid: Pick<Grid, 'rows' | 'columns' | 'at'>,
  visit: (value: Scalar, row: number, column: number) => void,
  spend: Spend,
): void {
  const look = lookingUp(spend);
  for (let row = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++) {
      look();
      visit(grid.at(row, column), row, column);
    }
  }
}

/** A grid whose values are asked for once each; `spend` has counted them already, and looks at the clock between them. */
export function makeGrid(
  { rows, columns }: { rows: number; columns: number },
  value: (row: number, column: number) => Scalar,
  spend: Spend,
): Grid {
  const values: Scalar[] = [];
  const look = lookingUp(spend);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      values.push(value(row, column));
      look();
    }
  }
  return new FlatGrid({ rows, columns }, values, spend);
}

/** Whether a value is a grid, and neither a single value nor several references. */
export function isGrid(value: Value | undefined): value is Grid {
  return typeof value === 'object' && value !== null && 'at' in value && !(value instanceof Union);
}

/** Whether a value is the cells of one reference, and not an array that was computed. */
export function isReference(value: Value): value is Grid {
  return isGrid(value) && value.area !== undefined;
}
