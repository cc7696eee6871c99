import type { Spend } from '../spending.ts';
import { ERROR, type NumericResult } from '../values.ts';
import { mean, squaredDeviations, sumOf } from './sums.ts';

/** The mean; #DIV/0! of no number. */
export function average(numbers: readonly number[], spend: Spend): NumericResult {
  return numbers.length === 0 ? ERROR['#DIV/0!'] : mean(numbers, spend);
}

/** The variance of a sample, or of a whole population; #DIV/0! of too few numbers. */
export function variance(
  numbers: readonly number[],
  of: 'sample' | 'population',
  spend: Spend,
): NumericResult {
  const freedom = numbers.length - (of === 'sample' ? 1 : 0);
  return freedom < 1 ? ERROR['#DIV/0!'] : squaredDeviations(numbers, spend) / freedom;
}

/** The square root of `variance`. */
export function deviation(
  numbers: readonly number[],
  of: 'sample' | 'population',
  spend: Spend,
): NumericResult {
  const squared = variance(numbers, of, spend);
  return typeof squared === 'number' ? Math.sqrt(squared) : squared;
}

/** The mean of a power of the distances from the mean, each in standard deviations of a sample or a population. */
export function standardMoment(
  numbers: readonly number[],
  power: number,
  of: 'sample' | 'population',
  spend: Spend,
): number {
  const middle = mean(numbers, spend);
  const spread = deviation(numbers, of, spend);
  if (typeof spread !== 'number' || spread === 0) return Number.NaN;
  return sumOf(numbers, (number) => ((number - middle) / spread) ** power, spend);
}
