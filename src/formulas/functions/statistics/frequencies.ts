import { makeGrid } from '../../grids.ts';
import { sorted } from '../../numerics/quantiles.ts';
import { sumOf } from '../../numerics/sums.ts';
import { lookingUp, mapLooking, type Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid, type Value } from '../../values.ts';
import { define } from '../define.ts';
import { numbersOf } from '../numbers.ts';
import { numberPairs } from '../pairs.ts';

/** How many numbers lie up to each bound and above the one before, and last how many above all. */
function frequency(data: Grid, bounds: Grid, spend: Spend): Value {
  const numbers = numbersOf(data);
  const limits = numbersOf(bounds);
  if (numbers instanceof CellError) return numbers;
  if (limits instanceof CellError) return limits;
  const look = lookingUp(spend);
  const ordered = mapLooking(limits, (limit, place): [number, number] => [place, limit], spend).sort(
    ([, a], [, b]) => {
      look();
      return a - b;
    },
  );
  const upTo = sorted(limits, spend);
  const counts = new Array<number>(limits.length + 1).fill(0);
  for (const number of numbers) {
    look();
    const place = ordered[boundOf(upTo, number)]?.[0] ?? limits.length;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return makeGrid({ rows: counts.length, columns: 1 }, (row) => counts[row] ?? 0, spend);
}

/** The place of the first bound that is not below a number, found by halving. */
function boundOf(bounds: Float64Array, number: number): number {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] ?? number) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function probability(values: Grid, parts: Grid, low: number, high: number, spend: Spend): Value {
  const found = numberPairs(values, parts);
  if (found instanceof CellError) return found;
  const whole = sumOf(found, ([, part]) => part, spend);
  if (found.some(([, part]) => part < 0 || part > 1) || Math.abs(whole - 1) > 1e-7) return ERROR['#NUM!'];
  return sumOf(found, ([value, part]) => (value >= low && value <= high ? part : 0), spend);
}

export const FREQUENCIES = [
  define('FREQUENCY', ['grid', 'grid'], ([data, bounds], context) => frequency(data, bounds, context.spend)),
  define(
    'PROB',
    ['grid', 'grid', 'number', 'number'],
    ([values, parts, low, high = low], context) => probability(values, parts, low, high, context.spend),
    { required: 3 },
  ),
];
