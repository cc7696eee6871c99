import { largest, quantileExclusive, quantileInclusive, smallest, sorted } from '../../numerics/quantiles.ts';
import { roundDown } from '../../numerics/rounding.ts';
import { filterLooking, type Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid, type Value } from '../../values.ts';
import { define } from '../define.ts';
import type { FormulaFunction } from '../function.ts';
import { collectNumbers, numbersOf } from '../numbers.ts';
import { alias } from '../numeric.ts';

type Compute = (numbers: readonly number[], k: number, spend: Spend) => number | CellError;

/** Declares a function of an array and a further number, such as LARGE. */
function placed(name: string, compute: Compute): FormulaFunction {
  return define(name, ['any', 'number'], ([cells, k], context) => {
    const numbers = collectNumbers([cells]);
    return numbers instanceof CellError ? numbers : compute(numbers, k, context.spend);
  });
}

/** Declares the rank of a number among others: 1 the largest, or the smallest when rising order is asked for. */
function rank(name: string, ofTies: (equal: number) => number): FormulaFunction {
  const call = (value: number, cells: Value, rising: number, spend: Spend): Value => {
    const numbers = collectNumbers([cells]);
    if (numbers instanceof CellError) return numbers;
    const equal = filterLooking(numbers, (number) => number === value, spend).length;
    if (equal === 0) return ERROR['#N/A'];
    const isBefore = (number: number) => (rising ? number < value : number > value);
    const before = filterLooking(numbers, isBefore, spend).length;
    return before + 1 + ofTies(equal);
  };
  return define(
    name,
    ['number', 'any', 'number'],
    ([value, cells, rising = 0], context) => call(value, cells, rising, context.spend),
    {
      required: 2,
    },
  );
}

/** Declares which part of the numbers lies below one; between two of them in proportion. */
function percentRank(name: string, partOf: (below: number, count: number) => number): FormulaFunction {
  const call = (grid: Grid, value: number, digits: number, spend: Spend): Value => {
    const numbers = numbersOf(grid);
    if (numbers instanceof CellError) return numbers;
    if (numbers.length === 0 || digits < 1) return ERROR['#NUM!'];
    const place = placeAmong(sorted(numbers, spend), value);
    return place === undefined ? ERROR['#N/A'] : roundDown(partOf(place, numbers.length), digits);
  };
  return define(
    name,
    ['grid', 'number', 'number'],
    ([grid, value, digits = 3], context) => call(grid, value, digits, context.spend),
    {
      required: 2,
    },
  );
}

/** How many numbers lie below a value, with the part of the way to the next; undefined outside of all. */
function placeAmong(ordered: Float64Array, value: number): number | undefined {
  const at = ordered.findIndex((number) => number >= value);
  const above = ordered[at];
  if (above === undefined || (at === 0 && above !== value)) return undefined;
  const below = ordered[at - 1] ?? above;
  return above === value ? at : at - 1 + (value - below) / (above - below);
}

const quarterInclusive: Compute = (numbers, quarter, spend) =>
  quantileInclusive(numbers, Math.trunc(quarter) / 4, spend);
const quarterExclusive: Compute = (numbers, quarter, spend) =>
  quantileExclusive(numbers, Math.trunc(quarter) / 4, spend);

const percentile = placed('PERCENTILE.INC', quantileInclusive);
const quartile = placed('QUARTILE.INC', quarterInclusive);
const rankOfEqual = rank('RANK.EQ', () => 0);
const percentRankInclusive = percentRank('PERCENTRANK.INC', (below, count) =>
  count === 1 ? 1 : below / (count - 1),
);

export const RANKS = [
  placed('LARGE', largest),
  placed('SMALL', smallest),
  percentile,
  alias('PERCENTILE', percentile),
  placed('PERCENTILE.EXC', quantileExclusive),
  quartile,
  alias('QUARTILE', quartile),
  placed('QUARTILE.EXC', quarterExclusive),
  rankOfEqual,
  alias('RANK', rankOfEqual),
  rank('RANK.AVG', (equal) => (equal - 1) / 2),
  percentRankInclusive,
  alias('PERCENTRANK', percentRankInclusive),
  percentRank('PERCENTRANK.EXC', (below, count) => (below + 1) / (count + 1)),
];
