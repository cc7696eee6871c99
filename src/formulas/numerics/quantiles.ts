import { clockTicker, type Spend } from '../steps.ts';
import { ERROR, type NumericResult } from '../values.ts';

/** Numbers sorted in one call. */
const SORTED_AT_ONCE = 4_096;

/** The numbers in ascending order. */
export function ascending(numbers: readonly number[], spend: Spend): Float64Array {
  let ordered = new Float64Array(numbers.length);
  for (let from = 0; from < numbers.length; from += SORTED_AT_ONCE) {
    ordered.set(numbers.slice(from, from + SORTED_AT_ONCE), from);
    ordered.subarray(from, from + SORTED_AT_ONCE).sort();
    spend(0);
  }
  let merged = new Float64Array(numbers.length);
  for (let size = SORTED_AT_ONCE; size < numbers.length; size *= 2) {
    for (let from = 0; from < numbers.length; from += 2 * size) merge(ordered, merged, from, size, spend);
    [ordered, merged] = [merged, ordered];
  }
  return ordered;
}

/** Merges two sorted runs of `size` numbers. */
function merge(pieces: Float64Array, into: Float64Array, from: number, size: number, spend: Spend): void {
  const middle = Math.min(from + size, pieces.length);
  const end = Math.min(middle + size, pieces.length);
  const tick = clockTicker(spend);
  let [left, right] = [from, middle];
  for (let at = from; at < end; at++) {
    const isLeft = left < middle && (right >= end || (pieces[left] ?? 0) <= (pieces[right] ?? 0));
    into[at] = pieces[isLeft ? left++ : right++] ?? 0;
    tick();
  }
}

/** The quantile with both ends included (PERCENTILE.INC). */
export function quantileInclusive(numbers: readonly number[], fraction: number, spend: Spend): NumericResult {
  if (numbers.length === 0 || fraction < 0 || fraction > 1) return ERROR['#NUM!'];
  return interpolate(ascending(numbers, spend), fraction * (numbers.length - 1));
}

/** The quantile with both ends excluded (PERCENTILE.EXC). */
export function quantileExclusive(numbers: readonly number[], fraction: number, spend: Spend): NumericResult {
  const position = fraction * (numbers.length + 1);
  if (numbers.length === 0 || position < 1 || position > numbers.length) return ERROR['#NUM!'];
  return interpolate(ascending(numbers, spend), position - 1);
}

/** The median; #NUM! for no numbers. */
export function median(numbers: readonly number[], spend: Spend): NumericResult {
  return quantileInclusive(numbers, 0.5, spend);
}

/** The k-th smallest number, from 1; k is rounded down. */
export function smallest(numbers: readonly number[], k: number, spend: Spend): NumericResult {
  if (k < 1 || k > numbers.length) return ERROR['#NUM!'];
  return ascending(numbers, spend)[Math.floor(k) - 1] ?? ERROR['#NUM!'];
}

/** The k-th largest number, from 1; k is rounded up. */
export function largest(numbers: readonly number[], k: number, spend: Spend): NumericResult {
  if (k < 1 || k > numbers.length) return ERROR['#NUM!'];
  return ascending(numbers, spend)[numbers.length - Math.ceil(k)] ?? ERROR['#NUM!'];
}

/** The most frequent numbers in order of first occurrence; none when all occur once. */
export function modes(numbers: readonly number[], spend: Spend): readonly number[] {
  const counts = new Map<number, number>();
  const tick = clockTicker(spend);
  let most = 1;
  for (const number of numbers) {
    tick();
    const count = (counts.get(number) ?? 0) + 1;
    counts.set(number, count);
    most = Math.max(most, count);
  }
  if (most === 1) return [];
  const found: number[] = [];
  for (const [number, count] of counts) {
    tick();
    if (count === most) found.push(number);
  }
  return found;
}

function interpolate(ordered: Float64Array, position: number): number {
  const below = Math.floor(position);
  const low = ordered[below] ?? Number.NaN;
  const high = ordered[below + 1] ?? low;
  return low + (position - below) * (high - low);
}
