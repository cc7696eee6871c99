import { sumOf } from '../../numerics/sums.ts';
import { mapLooking, type Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid, type NumericResult, type Value } from '../../values.ts';
import { define } from '../define.ts';
import { alias } from '../numeric.ts';
import { numberPairs, type Pair, pairs } from '../pairs.ts';

/** Sums of products of the distances from the means. */
interface Scatter {
  readonly count: number;
  readonly meanX: number;
  readonly meanY: number;
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
}

function scatterOf(points: readonly Pair[], spend: Spend): Scatter {
  const meanX = sumOf(points, ([x]) => x, spend) / points.length;
  const meanY = sumOf(points, ([, y]) => y, spend) / points.length;
  const products = (of: (dx: number, dy: number) => number) =>
    sumOf(points, ([x, y]) => of(x - meanX, y - meanY), spend);
  return {
    count: points.length,
    meanX,
    meanY,
    xx: products((dx) => dx * dx),
    xy: products((dx, dy) => dx * dy),
    yy: products((_, dy) => dy * dy),
  };
}

/** A quotient; #DIV/0! of a divisor of 0 and of too few points. */
function over(dividend: number, divisor: number): NumericResult {
  return divisor > 0 ? dividend / divisor : ERROR['#DIV/0!'];
}

function correlation(points: readonly Pair[], spend: Spend): NumericResult {
  const { xx, xy, yy } = scatterOf(points, spend);
  // One root rounds less than two: of points on a line the coefficient is 1, as in Excel.
  return over(xy, Math.sqrt(xx / yy) * yy);
}

/** The points with the other number first. */
function turned(points: readonly Pair[], spend: Spend): Pair[] {
  return mapLooking(points, ([y, x]): Pair => [x, y], spend);
}

/** The line of the ys over the xs. Excel gives the ys first. */
function slope(points: readonly Pair[], spend: Spend): NumericResult {
  const { xx, xy } = scatterOf(turned(points, spend), spend);
  return over(xy, xx);
}

function lineAt(points: readonly Pair[], x: number, spend: Spend): NumericResult {
  const { meanX, meanY, xx, xy } = scatterOf(turned(points, spend), spend);
  const rise = over(xy, xx);
  return typeof rise === 'number' ? meanY + rise * (x - meanX) : rise;
}

function standardError(points: readonly Pair[], spend: Spend): NumericResult {
  const { count, xx, xy, yy } = scatterOf(turned(points, spend), spend);
  if (count < 3 || xx === 0) return ERROR['#DIV/0!'];
  return Math.sqrt(Math.max(0, yy - (xy * xy) / xx) / (count - 2));
}

function forecast(x: number, ys: Grid, xs: Grid, spend: Spend): Value {
  const points = numberPairs(ys, xs);
  return points instanceof CellError ? points : lineAt(points, x, spend);
}

const correl = pairs('CORREL', correlation);
const covariance = pairs('COVARIANCE.P', (points, spend) => over(scatterOf(points, spend).xy, points.length));
const forecastLinear = define('FORECAST.LINEAR', ['number', 'grid', 'grid'], ([x, ys, xs], context) =>
  forecast(x, ys, xs, context.spend),
);

export const CORRELATION = [
  correl,
  alias('PEARSON', correl),
  pairs('RSQ', (points, spend) => {
    const r = correlation(points, spend);
    return typeof r === 'number' ? r * r : r;
  }),
  covariance,
  alias('COVAR', covariance),
  pairs('COVARIANCE.S', (points, spend) => over(scatterOf(points, spend).xy, points.length - 1)),
  pairs('SLOPE', slope),
  pairs('INTERCEPT', (points, spend) => lineAt(points, 0, spend)),
  pairs('STEYX', standardError),
  forecastLinear,
  alias('FORECAST', forecastLinear),
];
