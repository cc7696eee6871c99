import { type CellError, ERROR } from '../values.ts';

type Answer = number | CellError;

/** The numbers in rising order. */
export function sorted(numbers: readonly number[]): Float64Array {
  return Float64Array.from(numbers).sort();
}

/** The number below which lies a part of all, both ends counted (PERCENTILE.INC). */
export function quantileInclusive(numbers: readonly number[], part: number): Answer {
  if (numbers.length === 0 || part < 0 || part > 1) return ERROR['#NUM!'];
  return between(sorted(numbers), part * (numbers.length - 1));
}

/** The same with both ends outside of what is counted (PERCENTILE.EXC). */
export function quantileExclusive(numbers: readonly number[], part: number): Answer {
  const place = part * (numbers.length + 1);
  if (numbers.length === 0 || place < 1 || place > numbers.length) return ERROR['#NUM!'];
  return between(sorted(numbers), place - 1);
}

/** The number in the middle; #NUM! of none. */
export function median(numbers: readonly number[]): Answer {
  return quantileInclusive(numbers, 0.5);
}

/** The k-th smallest number, counted from 1; the fraction of a place does not count. */
export function smallest(numbers: readonly number[], k: number): Answer {
  if (k < 1 || k > numbers.length) return ERROR['#NUM!'];
  return sorted(numbers)[Math.floor(k) - 1] ?? ERROR['#NUM!'];
}

/** The k-th largest number, counted from 1; a place with a fraction is the next one, which in rising order comes before. */
export function largest(numbers: readonly number[], k: number): Answer {
  if (k < 1 || k > numbers.length) return ERROR['#NUM!'];
  return sorted(numbers)[numbers.length - Math.ceil(k)] ?? ERROR['#NUM!'];
}

/** The numbers that come most often, in the order in which they are met; none when all come once. */
export function modes(numbers: readonly number[]): readonly number[] {
  const counts = new Map<number, number>();
  let most = 1;
  for (const number of numbers) {
    const count = (counts.get(number) ?? 0) + 1;
    counts.set(number, count);
    most = Math.max(most, count);
  }
  return most === 1 ? [] : [...counts].filter(([, count]) => count === most).map(([number]) => number);
}

function between(ordered: Float64Array, place: number): number {
  const below = Math.floor(place);
  const low = ordered[below] ?? Number.NaN;
  const high = ordered[below + 1] ?? low;
  return low + (place - below) * (high - low);
}
