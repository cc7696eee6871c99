import { stirlingError } from './gamma.ts';

const TWO_PI = 2 * Math.PI;

/**
 * e^-mean mean^x / Γ(x+1), for x that need not be whole. By Loader's saddle-point expansion: as exact for a mean of a
 * million as for one of 2, where a difference of logarithms loses digits.
 */
export function poissonTerm(x: number, mean: number): number {
  if (mean === 0) return x === 0 ? 1 : 0;
  if (x === 0) return Math.exp(-mean);
  return Math.exp(-stirlingError(x) - deviance(x, mean)) / Math.sqrt(TWO_PI * x);
}

/** n over x, p^x q^(n-x), for x and n that need not be whole; q is 1 - p, given apart because it may be the smaller. */
export function binomialTerm(x: number, n: number, p: number, q: number): number {
  if (p === 0) return x === 0 ? 1 : 0;
  if (q === 0) return x === n ? 1 : 0;
  if (x === 0) return p < 0.5 ? Math.exp(n * Math.log1p(-p)) : q ** n;
  if (x === n) return q < 0.5 ? Math.exp(n * Math.log1p(-q)) : p ** n;
  const exponent =
    stirlingError(n) - stirlingError(x) - stirlingError(n - x) - deviance(x, n * p) - deviance(n - x, n * q);
  return Math.exp(exponent) * Math.sqrt(n / (TWO_PI * x * (n - x)));
}

/** x ln(x / mean) + mean - x, by a series where x is near the mean and the terms would cancel. */
function deviance(x: number, mean: number): number {
  if (Math.abs(x - mean) >= 0.1 * (x + mean)) return x * Math.log(x / mean) + mean - x;
  const v = (x - mean) / (x + mean);
  let sum = (x - mean) * v;
  let power = 2 * x * v;
  for (let i = 1; i < 1000; i += 1) {
    power *= v * v;
    const next = sum + power / (2 * i + 1);
    if (next === sum) break;
    sum = next;
  }
  return sum;
}
