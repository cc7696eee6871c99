import { lookingUp, type Spend } from '../spending.ts';
import { ERROR, type NumericResult } from '../values.ts';

/** So many numbers are sorted in one piece. */
const SORTED_AT_ONCE = 4_096;

/** The numbers in rising order. */
export function sorted(numbers: readonly number[], spend: Spend): Float64Array {
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

/** Puts two pieces of so many numbers, each in order, into one. */
function merge(pieces: Float64Array, into: Float64Array, from: number, size: number, spend: Spend): void {
  const middle = Math.min(from + size, pieces.length);
  const end = Math.min(middle + size, pieces.length);
  const look = lookingUp(spend);
  let [left, right] = [from, middle];
  for (let at = from; at < end; at++) {
    const isLeft = left < middle && (right >= end || (pieces[left] ?? 0) <= (pieces[right] ?? 0));
    into[at] = pieces[isLeft ? left++ : right++] ?? 0;
    look();
  }
}

/** The number below which lies a part of all, both ends counted (PERCENTILE.INC). */
export function quantileInclusive(numbers: readonly number[], part: number, spend: Spend): NumericResult {
  if (numbers.length === 0 || part < 0 || part > 1) return ERROR['#NUM!'];
  return between(sorted(numbers, spend), part * (numbers.length - 1));
}

/** The same with both ends outside of what is counted (PERCENTILE.EXC). */
export function quantileExclusive(numbers: readonly number[], part: number, spend: Spend): NumericResult {
  const place = part * (numbers.length + 1);
  if (numbers.length === 0 || place < 1 || place > numbers.length) return ERROR['#NUM!'];
  return between(sorted(numbers, spend), place - 1);
}

/** The number in the middle; #NUM! of none. */
export function median(numbers: readonly number[], spend: Spend): NumericResult {
  return quantileInclusive(numbers, 0.5, spend);
}

/** The k-th smallest number, counted from 1; the fraction of a place does not count. */
export function smallest(numbers: readonly number[], k: number, spend: Spend): NumericResult {
  if (k < 1 || k > numbers.length) return ERROR['#NUM!'];
  return sorted(numbers, spend)[Math.floor(k) - 1] ?? ERROR['#NUM!'];
}

/** The k-th largest number, counted from 1; a place with a fraction is the next one, which in rising order comes before. */
export function largest(numbers: readonly number[], k: number, spend: Spend): NumericResult {
  if (k < 1 || k > numbers.length) return ERROR['#NUM!'];
  return sorted(numbers, spend)[numbers.length - Math.ceil(k)] ?? ERROR['#NUM!'];
}

/** The numbers that come most often, in the order in which they are met; none when all come once. */
export function modes(numbers: readonly number[], spend: Spend): readonly number[] {
  const counts = new Map<number, number>();
  const look = lookingUp(spend);
  let most = 1;
  for (const number of numbers) {
    look();
    const count = (counts.get(number) ?? 0) + 1;
    counts.set(number, count);
    most = Math.max(most, count);
  }
  if (most === 1) return [];
  const found: number[] = [];
  for (const [number, count] of counts) {
    look();
    if (count === most) found.push(number);
  }
  return found;
}

function between(ordered: Float64Array, place: number): number {
  const below = Math.floor(place);
  const low = ordered[below] ?? Number.NaN;
  const high = ordered[below + 1] ?? low;
  return low + (place - below) * (high - low);
}
