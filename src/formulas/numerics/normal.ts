import { incompleteGamma } from './incomplete-gamma.ts';

const SQRT_2PI = Math.sqrt(2 * Math.PI);

/** The error function. */
export function erf(x: number): number {
  return Math.sign(x) * incompleteGamma(0.5, x * x).lower;
}

/** 1 - erf(x), exact where it is small. */
export function erfc(x: number): number {
  return x < 0 ? 1 + incompleteGamma(0.5, x * x).lower : incompleteGamma(0.5, x * x).upper;
}

/** The density of the standard normal distribution. */
export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / SQRT_2PI;
}

/** How much of the standard normal distribution lies below z. */
export function normalBelow(z: number): number {
  return erfc(-z / Math.SQRT2) / 2;
}

/** The z below which lies p of the standard normal distribution, for p between 0 and 1. */
export function normalInverse(p: number): number {
  const tail = Math.min(p, 1 - p);
  if (tail === 0.5) return 0;
  const t = Math.sqrt(-2 * Math.log(tail));
  // A&S 26.2.23 is right to 4 digits; each of Halley's steps triples them.
  let z =
    t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (let i = 0; i < 3; i += 1) {
    const step = (erfc(z / Math.SQRT2) / 2 - tail) / normalDensity(z);
    z += step / (1 - (z * step) / 2);
  }
  return p < 0.5 ? -z : z;
}
