import { gridOf, isGrid } from '../../grids.ts';
import { sum, sumOf, sumOfProducts } from '../../numerics/sums.ts';
import { lookingUp, type Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid, type Value } from '../../values.ts';
import { orZero, productOf } from '../aggregates.ts';
import { sameShape } from '../conditional.ts';
import { define } from '../define.ts';
import type { CallContext, FormulaFunction } from '../function.ts';
import { collectNumbers } from '../numbers.ts';
import { statistic } from '../numeric.ts';
import { numberPairs, pairs } from '../pairs.ts';

/** Of cells that are no number the product counts 0: so the sparsest of the grids says where there is anything. */
function sumProduct(grids: readonly Grid[], context: CallContext): Value {
  const [first] = grids;
  if (!first || !grids.every((grid) => sameShape(grid, first))) return ERROR['#VALUE!'];
  const error = firstError(grids, context);
  if (error) return error;
  const [products, others]: [number[], readonly Grid[]] = [[], grids.slice(1)];
  const look = lookingUp(context.spend);
  first.each((value, row, column) => {
    if (typeof value !== 'number') return;
    let product = value;
    for (const grid of others) {
      look();
      const factor = grid.at(row, column);
      product *= typeof factor === 'number' ? factor : 0;
    }
    products.push(product);
  });
  return sum(products, context.spend);
}

function firstError(grids: readonly Grid[], context: CallContext): CellError | undefined {
  let error: CellError | undefined;
  for (const grid of grids) {
    let visited = 0;
    grid.each((value) => {
      visited += 1;
      if (value instanceof CellError) error ??= value;
    });
    context.spend(visited);
  }
  return error;
}

function seriesSum(
  x: number,
  start: number,
  step: number,
  coefficients: ReturnType<typeof numberPairs>,
  spend: Spend,
): number | CellError {
  if (coefficients instanceof CellError) return coefficients;
  if (x === 0 && start === 0) return ERROR['#NUM!'];
  return sumOf(coefficients, ([coefficient], i) => coefficient * x ** (start + i * step), spend);
}

/** Cells are added up by parts where they know the sums of parts. */
function sumQuickly(plain: FormulaFunction): FormulaFunction {
  const call = plain.call as (given: readonly Value[], context: CallContext) => Value;
  return {
    ...plain,
    call: (given: readonly Value[], context: CallContext) =>
      call(
        given.map((value) => inParts(value, context.spend)),
        context,
      ),
  };
}

function inParts(value: Value, spend: Spend): Value {
  const sums = isGrid(value) ? value.sums?.() : undefined;
  return sums === undefined ? value : gridOf([sums], spend);
}

const percentOf = define('PERCENTOF', ['any', 'any'], ([part, all], context) => {
  const [some, whole] = [collectNumbers([part]), collectNumbers([all])];
  if (some instanceof CellError) return some;
  if (whole instanceof CellError) return whole;
  context.spend(some.length + whole.length);
  const total = sum(whole, context.spend);
  return total === 0 ? ERROR['#DIV/0!'] : sum(some, context.spend) / total;
});

export const SUMS = [
  percentOf,
  sumQuickly(statistic('SUM', sum)),
  statistic('SUMSQ', (numbers, spend) => sumOfProducts(numbers, numbers, spend)),
  statistic('PRODUCT', orZero(productOf)),
  define('SUMPRODUCT', ['grid'], (grids: readonly Grid[], context) => sumProduct(grids, context), {
    repeats: 1,
  }),
  pairs('SUMX2MY2', (all, spend) => sumOf(all, ([x, y]) => x * x - y * y, spend)),
  pairs('SUMX2PY2', (all, spend) => sumOf(all, ([x, y]) => x * x + y * y, spend)),
  pairs('SUMXMY2', (all, spend) => sumOf(all, ([x, y]) => (x - y) ** 2, spend)),
  define(
    'SERIESSUM',
    ['number', 'number', 'number', 'grid'],
    ([x, start, step, grid], context) => seriesSum(x, start, step, numberPairs(grid, grid), context.spend),
    { addIn: true },
  ),
];
