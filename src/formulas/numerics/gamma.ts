/** Numerator and denominator of Lanczos' approximation with the g below (Boost's lanczos13m53), lowest power first. */
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
  // In two halves, so that the power does not overflow before the division.
  const half = base ** ((x - 0.5) / 2);
  return lanczos(x) * (half / Math.exp(base)) * half;
}

/** n! for an integer n from 0; exact within the precision of numbers, Infinity past 170. */
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

/** The error of Stirling's formula for ln Γ(n + 1): small, and exact where the formula itself cancels. */
function stirlingError(n: number): number {
  if (n >= 12) return stirlingSeries(n);
  return n === 0 ? Number.NaN : Math.log(gamma(n + 1)) - (n + 0.5) * Math.log(n) + n - LN_SQRT_2PI;
}

/** The binomial coefficient for integers; exact below 2^53. */
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

const TINY = 1e-300;

/** One step of a continued fraction: first + above1 / (below1 + above2 / (below2 + …)). */
interface Step {
  readonly above: number;
  readonly below: number;
}

/** The value of a continued fraction by Lentz' method, with at most 100,000 steps. */
function continuedFraction(first: number, step: (i: number) => Step): number {
  let value = first === 0 ? TINY : first;
  let c = value;
  let d = 0;
  for (let i = 1; i < 100_000; i += 1) {
    const { above, below } = step(i);
    d = 1 / (below + above * d || TINY);
    c = below + above / c || TINY;
    const factor = c * d;
    value *= factor;
    if (Math.abs(factor - 1) < 1e-16) break;
  }
  return value;
}

const TWO_PI = 2 * Math.PI;

/**
 * e^-mean mean^x / Γ(x+1), for any real x. By Loader's saddle-point expansion: as accurate for a mean of a million
 * as for one of 2, where a difference of logarithms loses digits.
 */
export function poissonTerm(x: number, mean: number): number {
  if (mean === 0) return x === 0 ? 1 : 0;
  if (x === 0) return Math.exp(-mean);
  return Math.exp(-stirlingError(x) - deviance(x, mean)) / Math.sqrt(TWO_PI * x);
}

/**
 * The binomial term (n over x) p^x q^(n-x) for real x and n; q = 1 - p is passed separately because it may be the
 * smaller, more accurate one.
 */
export function binomialTerm(x: number, n: number, p: number, q: number): number {
  if (p === 0) return x === 0 ? 1 : 0;
  if (q === 0) return x === n ? 1 : 0;
  if (x === 0) return p < 0.5 ? Math.exp(n * Math.log1p(-p)) : q ** n;
  if (x === n) return q < 0.5 ? Math.exp(n * Math.log1p(-q)) : p ** n;
  const exponent =
    stirlingError(n) - stirlingError(x) - stirlingError(n - x) - deviance(x, n * p) - deviance(n - x, n * q);
  return Math.exp(exponent) * Math.sqrt(n / (TWO_PI * x * (n - x)));
}

/** x ln(x / mean) + mean - x, by a series near the mean, where the terms would cancel. */
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

/** The regularized lower and upper incomplete gamma functions, whose sum is 1; each is accurate where it is small. */
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

/**
 * The regularized incomplete beta function I_x(a, b) and its complement to 1.
 * @param y 1 - x, passed separately because it may be the smaller, more accurate one
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

/** The density of the beta distribution: x^(a-1) y^(b-1) / B(a, b). */
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
