import { numberOf } from '../conversions.ts';
import { isGrid } from '../grids.ts';
import { CellError, type Grid, type Scalar, Union, type Value } from '../values.ts';

/** Numbers that were collected, or the first error that was met on the way. */
export type Numbers = readonly number[] | CellError;

/** What a cell of a reference or an array counts as; undefined when it is passed over. */
export type CellReading = (cell: Exclude<Scalar, null>) => number | CellError | undefined;

/** As SUM reads cells: numbers count, texts and truth values are passed over. */
export const numbersOnly: CellReading = (cell) =>
  typeof cell === 'number' || cell instanceof CellError ? cell : undefined;

/** As AVERAGEA reads cells: truth values are 1 and 0, texts are 0. */
export const everyKind: CellReading = (cell) => {
  if (cell instanceof CellError) return cell;
  return typeof cell === 'string' ? 0 : Number(cell);
};

/** The numbers of arguments: single values are converted, cells read by `reading`. */
export function collectNumbers(values: readonly Value[], reading: CellReading = numbersOnly): Numbers {
  const numbers: number[] = [];
  for (const value of values) {
    const error = isCells(value) ? addCells(gridsOf(value), reading, numbers) : addSingle(value, numbers);
    if (error) return error;
  }
  return numbers;
}

/** The numbers of a grid in their order. */
export function numbersOf(grid: Grid, reading: CellReading = numbersOnly): Numbers {
  return collectNumbers([grid], reading);
}

/** Whether a value is cells or an array rather than a single value. */
export function isCells(value: Value): value is Grid | Union {
  return isGrid(value) || value instanceof Union;
}

/** The grids that a reference is made of. */
export function gridsOf(value: Grid | Union): readonly Grid[] {
  return value instanceof Union ? value.grids : [value];
}

function addSingle(value: Scalar, numbers: number[]): CellError | undefined {
  const number = numberOf(value);
  if (number instanceof CellError) return number;
  numbers.push(number);
  return undefined;
}

function addCells(grids: readonly Grid[], reading: CellReading, numbers: number[]): CellError | undefined {
  let error: CellError | undefined;
  for (const grid of grids) {
    grid.each((cell) => {
      const read = reading(cell);
      if (typeof read === 'number') numbers.push(read);
      else error ??= read;
    });
  }
  return error;
}
