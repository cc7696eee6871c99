import { continuedFraction } from './continued-fraction.ts';
import { poissonTerm } from './saddle-point.ts';

/** The regularized lower and upper incomplete gamma functions; each is exact where it is small. Together they are 1. */
export interface Tails {
  readonly lower: number;
  readonly upper: number;
}

/** P(a, x) and Q(a, x), for a above 0. */
export function incompleteGamma(a: number, x: number): Tails {
  if (x <= 0) return { lower: 0, upper: 1 };
  if (x === Number.POSITIVE_INFINITY) return { lower: 1, upper: 0 };
  if (x < a + 1) {
    const lower = Math.min(poissonTerm(a, x) * series(a, x), 1);
    return { lower, upper: 1 - lower };
  }
  const upper = Math.min(poissonTerm(a, x) * a * fraction(a, x), 1);
  return { lower: 1 - upper, upper };
}

function series(a: number, x: number): number {
  let term = 1;
  let sum = 1;
  for (let i = 1; term > sum * 1e-17 && i < 1e6; i += 1) {
    term *= x / (a + i);
    sum += term;
  }
  return sum;
}

function fraction(a: number, x: number): number {
  return 1 / continuedFraction(x + 1 - a, (i) => ({ above: -i * (i - a), below: x + 2 * i + 1 - a }));
}
