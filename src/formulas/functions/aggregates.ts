import { average, deviation, variance } from '../numerics/moments.ts';
import {
  largest,
  median,
  modes,
  quantileExclusive,
  quantileInclusive,
  smallest,
} from '../numerics/quantiles.ts';
import { sum } from '../numerics/sums.ts';
import { type CellError, ERROR } from '../values.ts';

type Answer = number | CellError;
type Aggregate = (numbers: readonly number[]) => Answer;

export function largestOf(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

export function smallestOf(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** 0 of no number, as MAX and MIN answer. */
export function orZero(compute: (numbers: readonly number[]) => number): Aggregate {
  return (numbers) => (numbers.length === 0 ? 0 : compute(numbers));
}

/** What SUBTOTAL and AGGREGATE call by number; 3 is COUNTA and looks at cells instead. */
export const AGGREGATES = new Map<number, Aggregate>([
  [1, average],
  [2, (numbers) => numbers.length],
  [4, orZero(largestOf)],
  [5, orZero(smallestOf)],
  [6, orZero((numbers) => numbers.reduce((product, number) => product * number, 1))],
  [7, (numbers) => deviation(numbers, 'sample')],
  [8, (numbers) => deviation(numbers, 'population')],
  [9, sum],
  [10, (numbers) => variance(numbers, 'sample')],
  [11, (numbers) => variance(numbers, 'population')],
  [12, median],
  [13, (numbers) => modes(numbers)[0] ?? ERROR['#N/A']],
]);

/** What AGGREGATE calls with a further number: which, or which part. */
export const PLACED_AGGREGATES = new Map<number, (numbers: readonly number[], k: number) => Answer>([
  [14, largest],
  [15, smallest],
  [16, quantileInclusive],
  [17, (numbers, quarter) => quantileInclusive(numbers, Math.trunc(quarter) / 4)],
  [18, quantileExclusive],
  [19, (numbers, quarter) => quantileExclusive(numbers, Math.trunc(quarter) / 4)],
]);
