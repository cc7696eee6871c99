import { lnGamma } from '../../numerics/gamma.ts';
import { incompleteBeta } from '../../numerics/incomplete-beta.ts';
import { incompleteGamma } from '../../numerics/incomplete-gamma.ts';
import { binomialTerm, poissonTerm } from '../../numerics/saddle-point.ts';
import { ERROR, type NumericResult } from '../../values.ts';
import { alias, distribution, numeric } from '../numeric.ts';

const NUM = ERROR['#NUM!'];
const isPart = (p: number) => p >= 0 && p <= 1;

/** How likely at most k of n succeed. */
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

/** The least number of successes whose cumulative probability reaches a level, found by halving. */
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

/** How likely a sample without putting back holds k successes. */
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

/** The terms of the shorter tail, away from the likeliest one, until they vanish. */
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
  // LibreOffice takes a fifth argument: whether what lies below is asked for.
  numeric('HYPGEOMDIST', 4, 5, (k, sample, successes, all, below = 0) =>
    hypergeometric(k, sample, successes, all, below),
  ),
];
