import { CellError, ERROR, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
import type { FormulaFunction } from '../function.ts';
import { selectedValues } from './records.ts';

/** What can do without a field. */
const COUNTS = ['DCOUNT', 'DCOUNTA'];

/** A function of the values of a field in the records that answer some criteria. */
function overRecords(name: string, answer: (values: readonly Scalar[]) => Scalar): FormulaFunction {
  return define(name, ['grid', 'any', 'grid'], ([database, field, criteria], context) => {
    if (field === 0 || (field === null && !COUNTS.includes(name))) return ERROR['#VALUE!'];
    const values = selectedValues(database, field, criteria, context);
    return values instanceof CellError ? values : answer(values);
  });
}

/** As `overRecords`, of numbers alone; the first error among the values is the answer. */
function overNumbers(name: string, answer: (numbers: readonly number[]) => Scalar): FormulaFunction {
  return overRecords(name, (values) => {
    const wrong = values.find((value) => value instanceof CellError);
    return wrong ?? answer(values.filter((value) => typeof value === 'number'));
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The sum of squared distances from the mean, divided by the count less `degrees`. */
function variance(numbers: readonly number[], degrees: 0 | 1): number | CellError {
  const divisor = numbers.length - degrees;
  if (divisor <= 0) return ERROR['#DIV/0!'];
  const mean = sum(numbers) / numbers.length;
  return sum(numbers.map((number) => (number - mean) ** 2)) / divisor;
}

function deviation(numbers: readonly number[], degrees: 0 | 1): number | CellError {
  const square = variance(numbers, degrees);
  return square instanceof CellError ? square : Math.sqrt(square);
}

function extreme(numbers: readonly number[], pick: (a: number, b: number) => number): number {
  return numbers.length === 0 ? 0 : numbers.reduce((a, b) => pick(a, b));
}

function single(values: readonly Scalar[]): Scalar {
  if (values.length === 0) return ERROR['#VALUE!'];
  return values.length === 1 ? (values[0] ?? null) : ERROR['#NUM!'];
}

/** What is asked of tables whose first row has labels. */
export const DATABASE_FUNCTIONS: readonly FormulaFunction[] = [
  overNumbers('DAVERAGE', (numbers) =>
    numbers.length === 0 ? ERROR['#DIV/0!'] : sum(numbers) / numbers.length,
  ),
  overRecords('DCOUNT', (values) => values.filter((value) => typeof value === 'number').length),
  overRecords('DCOUNTA', (values) => values.filter((value) => value !== null).length),
  overRecords('DGET', single),
  overNumbers('DMAX', (numbers) => extreme(numbers, Math.max)),
  overNumbers('DMIN', (numbers) => extreme(numbers, Math.min)),
  overNumbers('DPRODUCT', (numbers) =>
    numbers.length === 0 ? 0 : numbers.reduce((product, number) => product * number, 1),
  ),
  overNumbers('DSTDEV', (numbers) => deviation(numbers, 1)),
  overNumbers('DSTDEVP', (numbers) => deviation(numbers, 0)),
  overNumbers('DSUM', sum),
  overNumbers('DVAR', (numbers) => variance(numbers, 1)),
  overNumbers('DVARP', (numbers) => variance(numbers, 0)),
];
