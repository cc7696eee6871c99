import { erf, normalBelow, normalDensity, normalInverse } from '../../numerics/normal.ts';
import { ERROR } from '../../values.ts';
import { alias, distribution, numeric } from '../numeric.ts';

const isPart = (p: number) => p > 0 && p < 1;

const normDist = distribution('NORM.DIST', 4, (x, mean, deviation, cumulative) => {
  if (deviation <= 0) return ERROR['#NUM!'];
  const z = (x - mean) / deviation;
  return cumulative ? normalBelow(z) : normalDensity(z) / deviation;
});

const normInverse = numeric('NORM.INV', 3, 3, (p, mean, deviation) =>
  isPart(p) && deviation > 0 ? mean + deviation * normalInverse(p) : ERROR['#NUM!'],
);

const standardInverse = numeric('NORM.S.INV', 1, 1, (p) => (isPart(p) ? normalInverse(p) : ERROR['#NUM!']));

const lognormInverse = numeric('LOGNORM.INV', 3, 3, (p, mean, deviation) =>
  isPart(p) && deviation > 0 ? Math.exp(mean + deviation * normalInverse(p)) : ERROR['#NUM!'],
);

/** The lognormal distribution up to x, or its density at x. */
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
  // LibreOffice takes a fourth argument: whether what lies below is asked for.
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
