import { mapLooking, type Spend } from '../spending.ts';

/** The sum, with what each addition loses kept and added at the end (Neumaier): ten times 0.1 is 1. */
export function sum(numbers: readonly number[]): number {
  let total = 0;
  let lost = 0;
  for (const number of numbers) {
    const next = total + number;
    lost += Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total;
    total = next;
  }
  return Number.isFinite(lost) ? total + lost : total;
}

/** The sum of the products of numbers at the same places. */
export function sumOfProducts(xs: readonly number[], ys: readonly number[]): number {
  return sum(xs.map((x, i) => x * (ys[i] ?? 0)));
}

export function mean(numbers: readonly number[]): number {
  return sum(numbers) / numbers.length;
}

/** The sum of the squared distances from the mean. */
export function squaredDeviations(numbers: readonly number[], spend: Spend): number {
  const middle = mean(numbers);
  return sum(mapLooking(numbers, (number) => (number - middle) ** 2, spend));
}
