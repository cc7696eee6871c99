import { betaDensity, incompleteBeta, incompleteGamma, lnGamma, type Tails } from './gamma.ts';
import { findZero, invertRising } from './solve.ts';

const SQRT_2PI = Math.sqrt(2 * Math.PI);

/** The error function. */
export function erf(x: number): number {
  return Math.sign(x) * incompleteGamma(0.5, x * x).lower;
}

/** 1 - erf(x), accurate for small results. */
export function erfc(x: number): number {
  return x < 0 ? 1 + incompleteGamma(0.5, x * x).lower : incompleteGamma(0.5, x * x).upper;
}

/** The density of the standard normal distribution. */
export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / SQRT_2PI;
}

/** The cumulative standard normal distribution. */
export function normalBelow(z: number): number {
  return erfc(-z / Math.SQRT2) / 2;
}

/** The inverse of the cumulative standard normal distribution, for p between 0 and 1. */
export function normalInverse(p: number): number {
  const tail = Math.min(p, 1 - p);
  if (tail === 0.5) return 0;
  const t = Math.sqrt(-2 * Math.log(tail));
  // A&S 26.2.23 is accurate to 4 digits; each Halley step triples them.
  let z =
    t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (let i = 0; i < 3; i += 1) {
    const step = (erfc(z / Math.SQRT2) / 2 - tail) / normalDensity(z);
    z += step / (1 - (z * step) / 2);
  }
  return p < 0.5 ? -z : z;
}

/** The tails of Student's t distribution at t. */
export function studentTails(t: number, freedom: number): Tails {
  const square = t * t;
  const half =
    incompleteBeta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square)).lower / 2;
  return t < 0 ? { lower: half, upper: 1 - half } : { lower: 1 - half, upper: half };
}

export function studentDensity(t: number, freedom: number): number {
  const exponent = lnGamma((freedom + 1) / 2) - lnGamma(freedom / 2);
  return (
    Math.exp(exponent - ((freedom + 1) / 2) * Math.log1p((t * t) / freedom)) / Math.sqrt(freedom * Math.PI)
  );
}

/** The positive t with an upper tail of this probability, at most 1/2. */
export function studentInverse(tail: number, freedom: number): number {
  if (tail >= 0.5) return 0;
  return invertRising((t) => -studentTails(t, freedom).upper, -tail) ?? Number.NaN;
}

export function chiSquareTails(x: number, freedom: number): Tails {
  return incompleteGamma(freedom / 2, x / 2);
}

/** The tails of the F distribution at x. */
export function fTails(x: number, first: number, second: number): Tails {
  if (x <= 0) return { lower: 0, upper: 1 };
  const whole = second + first * x;
  return incompleteBeta(first / 2, second / 2, (first * x) / whole, second / whole);
}

export function fDensity(x: number, first: number, second: number): number {
  const whole = second + first * x;
  const [fraction, rest] = [(first * x) / whole, second / whole];
  return (betaDensity(first / 2, second / 2, fraction, rest) * first * second) / (whole * whole);
}

/** The x from 0 up with this lower or upper tail; solves for the given side, which is exact. */
export function inverseOfTails(
  tails: (x: number) => Tails,
  side: 'lower' | 'upper',
  fraction: number,
  start = 1,
): number {
  const rising = side === 'lower' ? (x: number) => tails(x).lower : (x: number) => -tails(x).upper;
  return invertRising(rising, side === 'lower' ? fraction : -fraction, start) ?? Number.NaN;
}

/** The inverse of the cumulative beta distribution. */
export function betaInverse(fraction: number, alpha: number, beta: number): number {
  return findZero((x) => incompleteBeta(alpha, beta, x).lower - fraction, 0, 1) ?? Number.NaN;
}
