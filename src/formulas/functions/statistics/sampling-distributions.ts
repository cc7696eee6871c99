import {
  chiSquareTails,
  fDensity,
  fTails,
  inverseOfTails,
  studentDensity,
  studentInverse,
  studentTails,
} from '../../numerics/distributions.ts';
import { poissonTerm } from '../../numerics/saddle-point.ts';
import { ERROR, type NumericResult } from '../../values.ts';
import { alias, distribution, numeric } from '../numeric.ts';

const NUM = ERROR['#NUM!'];
const LARGEST_FREEDOM = 1e10;

function isFreedom(freedom: number): boolean {
  return freedom >= 1 && freedom <= LARGEST_FREEDOM;
}

const isPart = (p: number) => p >= 0 && p <= 1;

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
