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
import { foldLooking, type Spend } from '../spending.ts';
import { ERROR, type NumericResult } from '../values.ts';

type PlacedAggregate = (numbers: readonly number[], k: number, spend: Spend) => NumericResult;
type Aggregate = (numbers: readonly number[], spend: Spend) => NumericResult;

export function largestOf(numbers: readonly number[], spend: Spend): number {
  return foldLooking(numbers, Number.NEGATIVE_INFINITY, (a, b) => Math.max(a, b), spend);
}

export function smallestOf(numbers: readonly number[], spend: Spend): number {
  return foldLooking(numbers, Number.POSITIVE_INFINITY, (a, b) => Math.min(a, b), spend);
}

export function productOf(numbers: readonly number[], spend: Spend): number {
  return foldLooking(numbers, 1, (product, number) => product * number, spend);
}

/** 0 of no number, as MAX and MIN answer. */
export function orZero(compute: (numbers: readonly number[], spend: Spend) => number): Aggregate {
  return (numbers, spend) => (numbers.length === 0 ? 0 : compute(numbers, spend));
}

/** What SUBTOTAL and AGGREGATE call by number; 3 is COUNTA and looks at cells instead. */
export const AGGREGATES = new Map<number, Aggregate>([
  [1, average],
  [2, (numbers) => numbers.length],
  [4, orZero(largestOf)],
  [5, orZero(smallestOf)],
  [6, orZero(productOf)],
  [7, (numbers, spend) => deviation(numbers, 'sample', spend)],
  [8, (numbers, spend) => deviation(numbers, 'population', spend)],
  [9, sum],
  [10, (numbers, spend) => variance(numbers, 'sample', spend)],
  [11, (numbers, spend) => variance(numbers, 'population', spend)],
  [12, median],
  [13, (numbers, spend) => modes(numbers, spend)[0] ?? ERROR['#N/A']],
]);

/** What AGGREGATE calls with a further number: which, or which part. */
export const PLACED_AGGREGATES = new Map<number, PlacedAggregate>([
  [14, largest],
  [15, smallest],
  [16, quantileInclusive],
  [17, (numbers, quarter, spend) => quantileInclusive(numbers, Math.trunc(quarter) / 4, spend)],
  [18, quantileExclusive],
  [19, (numbers, quarter, spend) => quantileExclusive(numbers, Math.trunc(quarter) / 4, spend)],
]);
