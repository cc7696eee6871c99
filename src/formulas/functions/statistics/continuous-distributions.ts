import { betaInverse, inverseOfTails } from '../../numerics/distributions.ts';
import { gamma, lnGamma } from '../../numerics/gamma.ts';
import { betaDensity, incompleteBeta } from '../../numerics/incomplete-beta.ts';
import { incompleteGamma } from '../../numerics/incomplete-gamma.ts';
import { poissonTerm } from '../../numerics/saddle-point.ts';
import { ERROR, type NumericResult } from '../../values.ts';
import { alias, distribution, numeric } from '../numeric.ts';

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
  const [part, rest] = [(x - low) / width, (high - x) / width];
  if (cumulative) return incompleteBeta(alpha, second, part, rest).lower;
  if (part > 0 && rest > 0) return betaDensity(alpha, second, part, rest) / width;
  const edge = part === 0 ? alpha : second;
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
