import {
  betaInverse,
  chiSquareTails,
  erf,
  fDensity,
  fTails,
  inverseOfTails,
  normalBelow,
  normalDensity,
  normalInverse,
  studentDensity,
  studentInverse,
  studentTails,
} from '../../numerics/distributions.ts';
import {
  betaDensity,
  binomialTerm,
  gamma,
  incompleteBeta,
  incompleteGamma,
  lnGamma,
  poissonTerm,
} from '../../numerics/gamma.ts';
import { ERROR, type NumericResult } from '../../values.ts';
import { alias, distribution, numeric } from '../numbers.ts';

const NUM = ERROR['#NUM!'];

function gammaDistribution(x: number, shape: number, scale: number, cumulative: number): NumericResult {
  if (x < 0 || shape <= 0 || scale <= 0) return NUM;
  if (cumulative) return incompleteGamma(shape, x / scale).lower;
  if (x === 0) return shape > 1 ? 0 : shape === 1 ? 1 / scale : NUM;
  return (poissonTerm(shape, x / scale) * shape) / x;
}

function beta(
  x: number,
  alpha: number,
  second: number,
  low: number,
  high: number,
  cumulative: boolean,
): NumericResult {
  if (alpha <= 0 || second <= 0 || low >= high || x < low || x > high) return NUM;
  const width = high - low;
  const [fraction, rest] = [(x - low) / width, (high - x) / width];
  if (cumulative) return incompleteBeta(alpha, second, fraction, rest).lower;
  if (fraction > 0 && rest > 0) return betaDensity(alpha, second, fraction, rest) / width;
  const edge = fraction === 0 ? alpha : second;
  return edge > 1 ? 0 : edge === 1 ? (alpha * second) / width : NUM;
}

function betaInverseWithin(p: number, alpha: number, second: number, low = 0, high = 1): NumericResult {
  if (p <= 0 || p >= 1 || alpha <= 0 || second <= 0 || low >= high) return NUM;
  return low + betaInverse(p, alpha, second) * (high - low);
}

function weibull(x: number, shape: number, scale: number, cumulative: number): NumericResult {
  if (x < 0 || shape <= 0 || scale <= 0) return NUM;
  const power = (x / scale) ** shape;
  return cumulative ? -Math.expm1(-power) : (shape / scale) * (x / scale) ** (shape - 1) * Math.exp(-power);
}

function exponential(x: number, rate: number, cumulative: number): NumericResult {
  if (x < 0 || rate <= 0) return NUM;
  return cumulative ? -Math.expm1(-rate * x) : rate * Math.exp(-rate * x);
}

const gammaDist = distribution('GAMMA.DIST', 4, gammaDistribution);
const gammaInverse = numeric('GAMMA.INV', 3, 3, (p, shape, scale) =>
  p < 0 || p > 1 || shape <= 0 || scale <= 0
    ? NUM
    : scale * inverseOfTails((x) => incompleteGamma(shape, x), 'lower', p, shape),
);
const betaInverseFunction = numeric('BETA.INV', 3, 5, betaInverseWithin);
const weibullDist = distribution('WEIBULL.DIST', 4, weibull);
const exponentialDist = distribution('EXPON.DIST', 3, exponential);
const logGamma = numeric('GAMMALN', 1, 1, (x) => (x > 0 ? lnGamma(x) : NUM));

export const CONTINUOUS_DISTRIBUTIONS = [
  numeric('GAMMA', 1, 1, gamma),
  logGamma,
  alias('GAMMALN.PRECISE', logGamma),
  gammaDist,
  alias('GAMMADIST', gammaDist),
  gammaInverse,
  alias('GAMMAINV', gammaInverse),
  numeric('BETA.DIST', 4, 6, (x, alpha, second, cumulative, low = 0, high = 1) =>
    beta(x, alpha, second, low, high, cumulative !== 0),
  ),
  numeric('BETADIST', 3, 5, (x, alpha, second, low = 0, high = 1) => beta(x, alpha, second, low, high, true)),
  betaInverseFunction,
  alias('BETAINV', betaInverseFunction),
  weibullDist,
  alias('WEIBULL', weibullDist),
  exponentialDist,
  alias('EXPONDIST', exponentialDist),
];

const isPart = (p: number) => p >= 0 && p <= 1;

/** The probability of at most k successes in n trials. */
function binomialBelow(k: number, n: number, p: number): number {
  return k >= n ? 1 : incompleteBeta(k + 1, n - k, p).upper;
}

function binomial(successes: number, trials: number, p: number, cumulative: number): NumericResult {
  const [k, n] = [Math.trunc(successes), Math.trunc(trials)];
  if (k < 0 || n < k || !isPart(p)) return NUM;
  return cumulative ? binomialBelow(k, n, p) : binomialTerm(k, n, p, 1 - p);
}

function binomialRange(trials: number, p: number, from: number, to: number = from): NumericResult {
  const [n, low, high] = [Math.trunc(trials), Math.trunc(from), Math.trunc(to)];
  if (n < 0 || !isPart(p) || low < 0 || low > n || high < low || high > n) return NUM;
  if (low === high) return binomialTerm(low, n, p, 1 - p);
  return binomialBelow(high, n, p) - (low === 0 ? 0 : binomialBelow(low - 1, n, p));
}

/** The least number of successes whose cumulative probability reaches a level, by binary search. */
function binomialInverse(trials: number, p: number, level: number): NumericResult {
  const n = Math.trunc(trials);
  if (n < 0 || p <= 0 || p >= 1 || level <= 0 || level >= 1) return NUM;
  let [low, high] = [0, n];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (binomialBelow(middle, n, p) >= level) high = middle;
    else low = middle + 1;
  }
  return low;
}

function negativeBinomial(failures: number, successes: number, p: number, cumulative: number): NumericResult {
  const [f, s] = [Math.trunc(failures), Math.trunc(successes)];
  if (f < 0 || s < 1 || p <= 0 || p >= 1) return NUM;
  if (cumulative) return incompleteBeta(s, f + 1, p).lower;
  return (s / (s + f)) * binomialTerm(s, s + f, p, 1 - p);
}

function poisson(events: number, mean: number, cumulative: number): NumericResult {
  const k = Math.trunc(events);
  if (events < 0 || mean < 0) return NUM;
  return cumulative ? incompleteGamma(k + 1, mean).upper : poissonTerm(k, mean);
}

/** The probability of k successes in a sample without replacement. */
function hypergeometricTerm(k: number, sample: number, successes: number, all: number): number {
  if (k > successes || sample - k > all - successes) return 0;
  const ln = (n: number, m: number) => lnGamma(n + 1) - lnGamma(m + 1) - lnGamma(n - m + 1);
  return Math.exp(ln(successes, k) + ln(all - successes, sample - k) - ln(all, sample));
}

function hypergeometric(
  k: number,
  sample: number,
  successes: number,
  all: number,
  cumulative: number,
): NumericResult {
  const [found, drawn, good, total] = [k, sample, successes, all].map(Math.trunc) as [
    number,
    number,
    number,
    number,
  ];
  if (drawn < 0 || drawn > total || good < 0 || good > total || total <= 0) return NUM;
  if (found < Math.max(0, drawn + good - total) || found > Math.min(drawn, good)) return NUM;
  if (!cumulative) return hypergeometricTerm(found, drawn, good, total);
  return hypergeometricBelow(found, drawn, good, total);
}

/** Sums the shorter tail, away from the mode, until the terms vanish. */
function hypergeometricBelow(k: number, sample: number, successes: number, all: number): number {
  const mode = Math.floor(((sample + 1) * (successes + 1)) / (all + 2));
  const step = k < mode ? -1 : 1;
  const end = k < mode ? -1 : Math.min(sample, successes) + 1;
  let total = 0;
  for (let i = k < mode ? k : k + 1; i !== end; i += step) {
    const term = hypergeometricTerm(i, sample, successes, all);
    total += term;
    if (term <= total * 1e-17) break;
  }
  return step < 0 ? total : Math.max(0, 1 - total);
}

const binomialDist = distribution('BINOM.DIST', 4, binomial);
const binomialInverseFunction = numeric('BINOM.INV', 3, 3, binomialInverse);
const poissonDist = distribution('POISSON.DIST', 3, poisson);

export const DISCRETE_DISTRIBUTIONS = [
  binomialDist,
  alias('BINOMDIST', binomialDist),
  numeric('BINOM.DIST.RANGE', 3, 4, binomialRange),
  binomialInverseFunction,
  alias('CRITBINOM', binomialInverseFunction),
  distribution('NEGBINOM.DIST', 4, negativeBinomial),
  numeric('NEGBINOMDIST', 3, 3, (failures, successes, p) => negativeBinomial(failures, successes, p, 0)),
  poissonDist,
  alias('POISSON', poissonDist),
  distribution('HYPGEOM.DIST', 5, hypergeometric),
  // LibreOffice has a fifth argument: cumulative.
  numeric('HYPGEOMDIST', 4, 5, (k, sample, successes, all, below = 0) =>
    hypergeometric(k, sample, successes, all, below),
  ),
];

const isInnerPart = (p: number) => p > 0 && p < 1;

const normDist = distribution('NORM.DIST', 4, (x, mean, deviation, cumulative) => {
  if (deviation <= 0) return ERROR['#NUM!'];
  const z = (x - mean) / deviation;
  return cumulative ? normalBelow(z) : normalDensity(z) / deviation;
});

const normInverse = numeric('NORM.INV', 3, 3, (p, mean, deviation) =>
  isInnerPart(p) && deviation > 0 ? mean + deviation * normalInverse(p) : ERROR['#NUM!'],
);

const standardInverse = numeric('NORM.S.INV', 1, 1, (p) =>
  isInnerPart(p) ? normalInverse(p) : ERROR['#NUM!'],
);

const lognormInverse = numeric('LOGNORM.INV', 3, 3, (p, mean, deviation) =>
  isInnerPart(p) && deviation > 0 ? Math.exp(mean + deviation * normalInverse(p)) : ERROR['#NUM!'],
);

/** The cumulative lognormal distribution at x, or its density. */
function lognormal(x: number, mean: number, deviation: number, cumulative: number) {
  if (x <= 0 || deviation <= 0) return ERROR['#NUM!'];
  const z = (Math.log(x) - mean) / deviation;
  return cumulative ? normalBelow(z) : normalDensity(z) / (deviation * x);
}

export const NORMAL_DISTRIBUTIONS = [
  normDist,
  alias('NORMDIST', normDist),
  normInverse,
  alias('NORMINV', normInverse),
  distribution('NORM.S.DIST', 2, (z, cumulative) => (cumulative ? normalBelow(z) : normalDensity(z))),
  numeric('NORMSDIST', 1, 1, normalBelow),
  standardInverse,
  alias('NORMSINV', standardInverse),
  distribution('LOGNORM.DIST', 4, lognormal),
  // LibreOffice has a fourth argument: cumulative.
  numeric('LOGNORMDIST', 3, 4, (x, mean, deviation, below = 1) => lognormal(x, mean, deviation, below)),
  lognormInverse,
  alias('LOGINV', lognormInverse),
  numeric('GAUSS', 1, 1, (z) => erf(z / Math.SQRT2) / 2),
  numeric('PHI', 1, 1, normalDensity),
  numeric('STANDARDIZE', 3, 3, (x, mean, deviation) =>
    deviation > 0 ? (x - mean) / deviation : ERROR['#NUM!'],
  ),
  numeric('FISHER', 1, 1, (x) => (Math.abs(x) < 1 ? Math.atanh(x) : ERROR['#NUM!'])),
  numeric('FISHERINV', 1, 1, Math.tanh),
];

const LARGEST_FREEDOM = 1e10;

function isFreedom(freedom: number): boolean {
  return freedom >= 1 && freedom <= LARGEST_FREEDOM;
}

function student(t: number, freedom: number, cumulative: number): NumericResult {
  const whole = Math.trunc(freedom);
  if (!isFreedom(whole)) return NUM;
  return cumulative ? studentTails(t, whole).lower : studentDensity(t, whole);
}

function studentAbove(t: number, freedom: number, tails: number): NumericResult {
  const whole = Math.trunc(freedom);
  const count = Math.trunc(tails);
  if (!isFreedom(whole) || t < 0 || count < 1 || count > 2) return NUM;
  return count * studentTails(t, whole).upper;
}

const studentTwoTailed = numeric('T.INV.2T', 2, 2, (p, freedom) =>
  p > 0 && p <= 1 && isFreedom(freedom) ? studentInverse(p / 2, Math.trunc(freedom)) : NUM,
);

function studentLower(p: number, freedom: number): NumericResult {
  if (p <= 0 || p >= 1 || !isFreedom(freedom)) return NUM;
  const t = studentInverse(Math.min(p, 1 - p), Math.trunc(freedom));
  return p < 0.5 ? -t : t;
}

function chiSquare(x: number, freedom: number, cumulative: number): NumericResult {
  const whole = Math.trunc(freedom);
  if (x < 0 || !isFreedom(whole)) return NUM;
  if (cumulative) return chiSquareTails(x, whole).lower;
  if (x === 0) return whole > 2 ? 0 : whole === 2 ? 0.5 : NUM;
  return (poissonTerm(whole / 2, x / 2) * whole) / (2 * x);
}

function chiSquareInverse(side: 'lower' | 'upper') {
  return (p: number, freedom: number): NumericResult =>
    isPart(p) && isFreedom(freedom)
      ? inverseOfTails((x) => chiSquareTails(x, Math.trunc(freedom)), side, p, freedom)
      : NUM;
}

function fDistribution(x: number, first: number, second: number, cumulative: number): NumericResult {
  if (x < 0 || !isFreedom(first) || !isFreedom(second)) return NUM;
  const [one, other] = [Math.trunc(first), Math.trunc(second)];
  if (cumulative) return fTails(x, one, other).lower;
  return x === 0 ? (one > 2 ? 0 : one === 2 ? 1 : NUM) : fDensity(x, one, other);
}

function fInverse(side: 'lower' | 'upper') {
  return (p: number, first: number, second: number): NumericResult =>
    isPart(p) && isFreedom(first) && isFreedom(second)
      ? inverseOfTails((x) => fTails(x, Math.trunc(first), Math.trunc(second)), side, p)
      : NUM;
}

const chiSquareAbove = numeric('CHISQ.DIST.RT', 2, 2, (x, freedom) =>
  x < 0 || !isFreedom(freedom) ? NUM : chiSquareTails(x, Math.trunc(freedom)).upper,
);
const chiSquareAboveInverse = numeric('CHISQ.INV.RT', 2, 2, chiSquareInverse('upper'));
const fAbove = numeric('F.DIST.RT', 3, 3, (x, first, second) =>
  x < 0 || !isFreedom(first) || !isFreedom(second)
    ? NUM
    : fTails(x, Math.trunc(first), Math.trunc(second)).upper,
);
const fAboveInverse = numeric('F.INV.RT', 3, 3, fInverse('upper'));

export const SAMPLING_DISTRIBUTIONS = [
  distribution('T.DIST', 3, student),
  numeric('T.DIST.RT', 2, 2, (t, freedom) =>
    isFreedom(freedom) ? studentTails(t, Math.trunc(freedom)).upper : NUM,
  ),
  numeric('T.DIST.2T', 2, 2, (t, freedom) => studentAbove(t, freedom, 2)),
  numeric('TDIST', 3, 3, studentAbove),
  numeric('T.INV', 2, 2, studentLower),
  studentTwoTailed,
  alias('TINV', studentTwoTailed),
  distribution('CHISQ.DIST', 3, chiSquare),
  chiSquareAbove,
  alias('CHIDIST', chiSquareAbove),
  numeric('CHISQ.INV', 2, 2, chiSquareInverse('lower')),
  chiSquareAboveInverse,
  alias('CHIINV', chiSquareAboveInverse),
  distribution('F.DIST', 4, fDistribution),
  fAbove,
  alias('FDIST', fAbove),
  numeric('F.INV', 3, 3, fInverse('lower')),
  fAboveInverse,
  alias('FINV', fAboveInverse),
];
