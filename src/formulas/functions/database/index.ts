import { average, deviation, variance } from '../../numerics/moments.ts';
import { sum } from '../../numerics/sums.ts';
import type { Spend } from '../../spending.ts';
import { CellError, ERROR, type Scalar } from '../../values.ts';
import { largestOf, orZero, productOf, smallestOf } from '../aggregates.ts';
import { define } from '../define.ts';
import type { FormulaFunction } from '../function.ts';
import { selectedValues } from './records.ts';

/** What can do without a field. */
const COUNTS = ['DCOUNT', 'DCOUNTA'];

/** A function of the values of a field in the records that answer some criteria. */
function overRecords(
  name: string,
  answer: (values: readonly Scalar[], spend: Spend) => Scalar,
): FormulaFunction {
  return define(name, ['grid', 'any', 'grid'], ([database, field, criteria], context) => {
    if (field === 0 || (field === null && !COUNTS.includes(name))) return ERROR['#VALUE!'];
    const values = selectedValues(database, field, criteria, context);
    return values instanceof CellError ? values : answer(values, context.spend);
  });
}

/** As `overRecords`, of numbers alone; the first error among the values is the answer. */
function overNumbers(
  name: string,
  answer: (numbers: readonly number[], spend: Spend) => Scalar,
): FormulaFunction {
  return overRecords(name, (values, spend) => {
    const wrong = values.find((value) => value instanceof CellError);
    return (
      wrong ??
      answer(
        values.filter((value) => typeof value === 'number'),
        spend,
      )
    );
  });
}

function single(values: readonly Scalar[]): Scalar {
  if (values.length === 0) return ERROR['#VALUE!'];
  return values.length === 1 ? (values[0] ?? null) : ERROR['#NUM!'];
}

/** What is asked of tables whose first row has labels. */
export const DATABASE_FUNCTIONS: readonly FormulaFunction[] = [
  overNumbers('DAVERAGE', average),
  overRecords('DCOUNT', (values) => values.filter((value) => typeof value === 'number').length),
  overRecords('DCOUNTA', (values) => values.filter((value) => value !== null).length),
  overRecords('DGET', single),
  overNumbers('DMAX', orZero(largestOf)),
  overNumbers('DMIN', orZero(smallestOf)),
  overNumbers('DPRODUCT', orZero(productOf)),
  overNumbers('DSTDEV', (numbers, spend) => deviation(numbers, 'sample', spend)),
  overNumbers('DSTDEVP', (numbers, spend) => deviation(numbers, 'population', spend)),
  overNumbers('DSUM', sum),
  overNumbers('DVAR', (numbers, spend) => variance(numbers, 'sample', spend)),
  overNumbers('DVARP', (numbers, spend) => variance(numbers, 'population', spend)),
];
