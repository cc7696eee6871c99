import { mapWithTicks, type Spend } from '../steps.ts';
import { ERROR, type NumericResult } from '../values.ts';

/** Numbers added between two clock checks: less than a millisecond. */
const ADDED_AT_ONCE = 65_536;

/** The sum with compensation of rounding errors (Neumaier): ten times 0.1 is 1. */
export function sum(numbers: ArrayLike<number>, spend: Spend): number {
  let total = 0;
  let lost = 0;
  for (let from = 0; from < numbers.length; from += ADDED_AT_ONCE) {
    if (from > 0) spend(0);
    const end = Math.min(from + ADDED_AT_ONCE, numbers.length);
    for (let at = from; at < end; at++) {
      const number = numbers[at] as number;
      const next = total + number;
      lost += Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total;
      total = next;
    }
  }
  return Number.isFinite(lost) ? total + lost : total;
}

/** The sum of a function of each item. */
export function sumOf<Item>(
  items: readonly Item[],
  number: (item: Item, at: number) => number,
  spend: Spend,
): number {
  return sum(mapWithTicks(items, number, spend), spend);
}

/** The sum of the products of numbers at equal indexes. */
export function sumOfProducts(xs: readonly number[], ys: readonly number[], spend: Spend): number {
  return sumOf(xs, (x, i) => x * (ys[i] ?? 0), spend);
}

export function mean(numbers: ArrayLike<number>, spend: Spend): number {
  return sum(numbers, spend) / numbers.length;
}

/** The sum of the squared deviations from the mean. */
export function squaredDeviations(numbers: readonly number[], spend: Spend): number {
  const middle = mean(numbers, spend);
  return sumOf(numbers, (number) => (number - middle) ** 2, spend);
}

/** The mean; #DIV/0! for no numbers. */
export function average(numbers: readonly number[], spend: Spend): NumericResult {
  return numbers.length === 0 ? ERROR['#DIV/0!'] : mean(numbers, spend);
}

/** The variance of a sample or a population; #DIV/0! for too few numbers. */
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

/** The mean of a power of the deviations from the mean, in standard deviations of a sample or a population. */
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
