/** Numerator and denominator of Lanczos' approximation with g below (Boost's lanczos13m53), lowest power first. */
const NUMERATOR = [
  23531376880.41076, 42919803642.6491, 35711959237.35567, 17921034426.037209, 6039542586.352028,
  1439720407.3117216, 248874557.86205417, 31426415.585400194, 2876370.6289353725, 186056.2653952235,
  8071.672002365816, 210.82427775157936, 2.5066282746310002,
];
const DENOMINATOR = [
  0, 39916800, 120543840, 150917976, 105258076, 45995730, 13339535, 2637558, 357423, 32670, 1925, 66, 1,
];
const G = 6.02468004077673;

const LN_SQRT_2PI = 0.9189385332046727;

/** The gamma function; NaN at its poles, Infinity past 171.6. */
export function gamma(x: number): number {
  if (Number.isInteger(x)) return x > 0 ? factorial(x - 1) : Number.NaN;
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  const base = x + G - 0.5;
  // In two halves, so that the power does not overflow before the quotient is small enough.
  const half = base ** ((x - 0.5) / 2);
  return lanczos(x) * (half / Math.exp(base)) * half;
}

/** n! for a whole n from 0; exact as far as numbers are, Infinity past 170. */
export function factorial(n: number): number {
  let product = 1;
  for (let i = 2; i <= Math.min(n, 171); i += 1) product *= i;
  return product;
}

/** The natural logarithm of the gamma function, for x above 0. */
export function lnGamma(x: number): number {
  if (x < 12) return Math.log(gamma(x));
  return (x - 0.5) * Math.log(x) - x + LN_SQRT_2PI + stirlingSeries(x);
}

/** By how much Stirling's formula falls short of ln Γ(n + 1): small, and exact where the formula itself cancels. */
export function stirlingError(n: number): number {
  if (n >= 12) return stirlingSeries(n);
  return n === 0 ? Number.NaN : Math.log(gamma(n + 1)) - (n + 0.5) * Math.log(n) + n - LN_SQRT_2PI;
}

/** n over k for whole numbers; exact while it is below 2^53. */
export function combinations(n: number, k: number): number {
  const fewer = Math.min(k, n - k);
  if (fewer > 1000) return Math.round(Math.exp(lnGamma(n + 1) - lnGamma(k + 1) - lnGamma(n - k + 1)));
  let product = 1;
  for (let i = 1; i <= fewer; i += 1) {
    const next = (product * (n - fewer + i)) / i;
    product = next < Number.MAX_SAFE_INTEGER ? Math.round(next) : next;
  }
  return product;
}

function lanczos(x: number): number {
  let above = 0;
  let below = 0;
  for (let i = NUMERATOR.length - 1; i >= 0; i -= 1) {
    above = above * x + (NUMERATOR[i] ?? 0);
    below = below * x + (DENOMINATOR[i] ?? 0);
  }
  return above / below;
}

function stirlingSeries(x: number): number {
  const square = 1 / (x * x);
  const terms = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400];
  return terms.reduceRight((sum, term) => sum * square + term, 0) / x;
}
