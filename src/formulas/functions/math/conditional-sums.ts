import { sum } from '../../numerics/sums.ts';
import { CellError, type Grid, type Scalar, type Value } from '../../values.ts';
import { beside, chosenNumbers, readConditions } from '../conditional.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';

function sumWhere(values: Grid, given: readonly (Grid | Scalar)[], context: CallContext): Value {
  const conditions = readConditions(given, values);
  if (conditions instanceof CellError) return conditions;
  const chosen = chosenNumbers(values, conditions, context);
  return chosen instanceof CellError ? chosen : sum(chosen, context.spend);
}

export const CONDITIONAL_SUMS = [
  define(
    'SUMIF',
    ['grid', 'scalar', 'grid'],
    ([cells, wanted, values = cells], context) =>
      sumWhere(beside(cells, values, context), [cells, wanted], context),
    { required: 2, takesErrors: true },
  ),
  define(
    'SUMIFS',
    ['grid', 'grid', 'scalar'],
    ([values, ...given], context) => sumWhere(values, given, context),
    { repeats: 2, takesErrors: true },
  ),
];
