import { finiteOrError, logicalOf, numberOf, textOf } from '../conversions.ts';
import { isGrid } from '../grids.ts';
import type { Spend } from '../steps.ts';
import { CellError, type Grid, type NumericResult, type Scalar, Union, type Value } from '../values.ts';
import type { CallContext, FormulaFunction } from './function.ts';

/** The collected numbers, or the first error. */
export type Numbers = readonly number[] | CellError;

/** The number of a cell in a reference or array; undefined to skip it. */
export type CellReading = (cell: Exclude<Scalar, null>) => number | CellError | undefined;

/** How SUM reads cells: only numbers; texts and logicals are skipped. */
export const numbersOnly: CellReading = (cell) =>
  typeof cell === 'number' || cell instanceof CellError ? cell : undefined;

/** How AVERAGEA reads cells: logicals are 1 and 0, texts are 0. */
export const everyKind: CellReading = (cell) => {
  if (cell instanceof CellError) return cell;
  return typeof cell === 'string' ? 0 : Number(cell);
};

/** The numbers of arguments: single values are converted, cells are read by `reading`. */
export function collectNumbers(values: readonly Value[], reading: CellReading = numbersOnly): Numbers {
  const numbers: number[] = [];
  for (const value of values) {
    const error = isCells(value) ? addCells(gridsOf(value), reading, numbers) : addSingle(value, numbers);
    if (error) return error;
  }
  return numbers;
}

/** The numbers of a grid in order. */
export function numbersOf(grid: Grid, reading: CellReading = numbersOnly): Numbers {
  return collectNumbers([grid], reading);
}

/** Whether a value is a reference or an array, not a single value. */
export function isCells(value: Value): value is Grid | Union {
  return isGrid(value) || value instanceof Union;
}

/** The grids of a reference. */
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
 * Defines a function of single numbers; logicals count as numbers too. An infinite result is #NUM!.
 * @param least the number of required arguments
 * @param most the number of all arguments
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
    call: (given: readonly number[]) => finite(compute(...given)),
  };
}

/** Defines a distribution of numbers; the last argument selects the cumulative probability (1) or the density (0). */
export function distribution(
  name: string,
  count: number,
  compute: (...given: number[]) => NumericResult,
): FormulaFunction {
  return {
    name,
    parameters: [...new Array(count - 1).fill('number'), 'logical'],
    required: count,
    call: (given: readonly (number | boolean)[]) => finite(compute(...given.map(Number))),
  };
}

/** Defines a function of any number of numbers. */
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
      return finite(compute(numbers, context.spend));
    },
  };
}

/** The same function under another name, such as its name before Excel 2010. */
export function alias(name: string, original: FormulaFunction): FormulaFunction {
  return { ...original, name };
}

function finite(value: NumericResult): NumericResult {
  return value instanceof CellError ? value : finiteOrError(value);
}

/** An optional number: the default when it is absent or omitted between two commas. */
export function numberOr(given: Scalar | undefined, otherwise: number): number | CellError {
  return given === undefined || given === null ? otherwise : numberOf(given);
}

/** An optional number in the same way, truncated. */
export function wholeOr(given: Scalar | undefined, otherwise: number): number | CellError {
  const number = numberOr(given, otherwise);
  return typeof number === 'number' ? Math.trunc(number) : number;
}

/** An optional logical: the default when it is absent or omitted between two commas. */
export function logicalOr(given: Scalar | undefined, otherwise: boolean): boolean | CellError {
  return given === undefined || given === null ? otherwise : logicalOf(given);
}

/** An optional text: the default when it is absent or omitted between two commas. */
export function textOr(given: Scalar | undefined, otherwise: string): string | CellError {
  return given === undefined || given === null ? otherwise : textOf(given);
}
