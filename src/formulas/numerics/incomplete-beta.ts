import { continuedFraction } from './continued-fraction.ts';
import type { Tails } from './incomplete-gamma.ts';
import { binomialTerm } from './saddle-point.ts';

/**
 * The regularized incomplete beta function I_x(a, b) and what it lacks to 1.
 * @param y 1 - x, given apart because it may be the smaller and better known one
 */
export function incompleteBeta(a: number, b: number, x: number, y: number = 1 - x): Tails {
  if (x <= 0) return { lower: 0, upper: 1 };
  if (y <= 0) return { lower: 1, upper: 0 };
  if (x <= (a + 1) / (a + b + 2)) {
    const lower = Math.min(tail(a, b, x, y), 1);
    return { lower, upper: 1 - lower };
  }
  const upper = Math.min(tail(b, a, y, x), 1);
  return { lower: 1 - upper, upper };
}

/** x^(a-1) y^(b-1) / B(a, b). */
export function betaDensity(a: number, b: number, x: number, y: number = 1 - x): number {
  return ((a * b) / (a + b) / (x * y)) * binomialTerm(a, a + b, x, y);
}

function tail(a: number, b: number, x: number, y: number): number {
  const front = (b / (a + b)) * binomialTerm(a, a + b, x, y);
  const fraction = continuedFraction(1, (i) => {
    const m = i >> 1;
    const above =
      i % 2 === 0
        ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
        : (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    return { above, below: 1 };
  });
  return front / fraction;
}
