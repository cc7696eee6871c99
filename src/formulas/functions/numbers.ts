import { finite, logicalOf, numberOf, textOf } from '../conversions.ts';
import { isGrid } from '../grids.ts';
import type { Spend } from '../spending.ts';
import { CellError, type Grid, type NumericResult, type Scalar, Union, type Value } from '../values.ts';
import type { CallContext, FormulaFunction } from './function.ts';

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

/**
 * Declares a function of single numbers; truth values are asked for as numbers too. An answer that is not finite is #NUM!.
 * @param least how many arguments must be there
 * @param most how many may be there
 */
export function numeric(
  name: string,
  least: number,
  most: number,
  compute: (...given: number[]) => NumericResult,
  options: Pick<FormulaFunction, 'addIn' | 'leftOutBy'> = {},
): FormulaFunction {
  return {
    name,
    parameters: new Array(most).fill('number'),
    required: least,
    ...options,
    call: (given: readonly number[]) => answer(compute(...given)),
  };
}

/** Declares a distribution: numbers, and last whether what lies below is asked for (1) or the density (0). */
export function distribution(
  name: string,
  count: number,
  compute: (...given: number[]) => NumericResult,
): FormulaFunction {
  return {
    name,
    parameters: [...new Array(count - 1).fill('number'), 'logical'],
    required: count,
    call: (given: readonly (number | boolean)[]) => answer(compute(...given.map(Number))),
  };
}

/** Declares a function of all the numbers that its arguments hold, as many as there are. */
export function statistic(
  name: string,
  compute: (numbers: readonly number[], spend: Spend) => NumericResult,
  reading: CellReading = numbersOnly,
): FormulaFunction {
  return {
    name,
    parameters: ['any'],
    required: 1,
    repeats: 1,
    call: (given: readonly Value[], context: CallContext) => {
      const numbers = collectNumbers(given, reading);
      if (numbers instanceof CellError) return numbers;
      context.spend(numbers.length);
      return answer(compute(numbers, context.spend));
    },
  };
}

/** The same function under another name, such as the one it had before Excel 2010. */
export function alias(name: string, original: FormulaFunction): FormulaFunction {
  return { ...original, name };
}

function answer(value: NumericResult): NumericResult {
  return value instanceof CellError ? value : finite(value);
}

/** A number that may be left out, by its place or by nothing between two commas: then the other one. */
export function numberOr(given: Scalar | undefined, otherwise: number): number | CellError {
  return given === undefined || given === null ? otherwise : numberOf(given);
}

/** A number that may be left out in the same way, without its fraction. */
export function wholeOr(given: Scalar | undefined, otherwise: number): number | CellError {
  const number = numberOr(given, otherwise);
  return typeof number === 'number' ? Math.trunc(number) : number;
}

/** A logical that may be left out, by its place or by nothing between two commas: then the other one. */
export function logicalOr(given: Scalar | undefined, otherwise: boolean): boolean | CellError {
  return given === undefined || given === null ? otherwise : logicalOf(given);
}

/** A text that may be left out, by its place or by nothing between two commas: then the other one. */
export function textOr(given: Scalar | undefined, otherwise: string): string | CellError {
  return given === undefined || given === null ? otherwise : textOf(given);
}
