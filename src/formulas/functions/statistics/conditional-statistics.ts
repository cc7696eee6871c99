import { average } from '../../numerics/moments.ts';
import type { Spend } from '../../spending.ts';
import { CellError, type Grid, type Scalar, type Value } from '../../values.ts';
import { largestOf, orZero, smallestOf } from '../aggregates.ts';
import { beside, chosenNumbers, countChosen, readConditions } from '../conditional.ts';
import { define } from '../define.ts';
import type { CallContext, FormulaFunction } from '../function.ts';

type Compute = (numbers: readonly number[], spend: Spend) => number | CellError;

function computeWhere(
  values: Grid,
  given: readonly (Grid | Scalar)[],
  compute: Compute,
  context: CallContext,
): Value {
  const conditions = readConditions(given, values);
  if (conditions instanceof CellError) return conditions;
  const chosen = chosenNumbers(values, conditions, context);
  return chosen instanceof CellError ? chosen : compute(chosen, context.spend);
}

function countWhere(given: readonly (Grid | Scalar)[], context: CallContext): Value {
  const [first] = given;
  const conditions = readConditions(given, first as Grid);
  return conditions instanceof CellError ? conditions : countChosen(conditions, context);
}

/** Declares a function like AVERAGEIFS: values, then pairs of cells and a criterion. */
function where(name: string, compute: Compute): FormulaFunction {
  return define(
    name,
    ['grid', 'grid', 'scalar'],
    ([values, ...given], context) => computeWhere(values, given, compute, context),
    { repeats: 2, takesErrors: true },
  );
}

export const CONDITIONAL_STATISTICS = [
  define(
    'AVERAGEIF',
    ['grid', 'scalar', 'grid'],
    ([cells, wanted, values = cells], context) =>
      computeWhere(beside(cells, values, context), [cells, wanted], average, context),
    { required: 2, takesErrors: true },
  ),
  where('AVERAGEIFS', average),
  where('MAXIFS', orZero(largestOf)),
  where('MINIFS', orZero(smallestOf)),
  define('COUNTIF', ['grid', 'scalar'], (given, context) => countWhere(given, context), {
    takesErrors: true,
  }),
  define('COUNTIFS', ['grid', 'scalar'], (given, context) => countWhere(given, context), {
    repeats: 2,
    takesErrors: true,
  }),
];
