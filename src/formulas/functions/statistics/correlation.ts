import { mean, sum } from '../../numerics/sums.ts';
import { CellError, ERROR, type Grid, type Value } from '../../values.ts';
import { define } from '../define.ts';
import { alias } from '../numeric.ts';
import { numberPairs, type Pair, pairs } from '../pairs.ts';

type Answer = number | CellError;

/** Sums of products of the distances from the means. */
interface Scatter {
  readonly count: number;
  readonly meanX: number;
  readonly meanY: number;
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
}

function scatterOf(points: readonly Pair[]): Scatter {
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const products = (of: (dx: number, dy: number) => number) =>
    sum(points.map(([x, y]) => of(x - meanX, y - meanY)));
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
function over(dividend: number, divisor: number): Answer {
  return divisor > 0 ? dividend / divisor : ERROR['#DIV/0!'];
}

function correlation(points: readonly Pair[]): Answer {
  const { xx, xy, yy } = scatterOf(points);
  // One root rounds less than two: of points on a line the coefficient is 1, as in Excel.
  return over(xy, Math.sqrt(xx / yy) * yy);
}

/** The line of the ys over the xs. Excel gives the ys first. */
function slope(points: readonly Pair[]): Answer {
  const { xx, xy } = scatterOf(points.map(([y, x]) => [x, y]));
  return over(xy, xx);
}

function lineAt(points: readonly Pair[], x: number): Answer {
  const { meanX, meanY, xx, xy } = scatterOf(points.map(([y, one]) => [one, y]));
  const rise = over(xy, xx);
  return typeof rise === 'number' ? meanY + rise * (x - meanX) : rise;
}

function standardError(points: readonly Pair[]): Answer {
  const { count, xx, xy, yy } = scatterOf(points.map(([y, x]) => [x, y]));
  if (count < 3 || xx === 0) return ERROR['#DIV/0!'];
  return Math.sqrt(Math.max(0, yy - (xy * xy) / xx) / (count - 2));
}

function forecast(x: number, ys: Grid, xs: Grid): Value {
  const points = numberPairs(ys, xs);
  return points instanceof CellError ? points : lineAt(points, x);
}

const correl = pairs('CORREL', correlation);
const covariance = pairs('COVARIANCE.P', (points) => over(scatterOf(points).xy, points.length));
const forecastLinear = define('FORECAST.LINEAR', ['number', 'grid', 'grid'], ([x, ys, xs]) =>
  forecast(x, ys, xs),
);

export const CORRELATION = [
  correl,
  alias('PEARSON', correl),
  pairs('RSQ', (points) => {
    const r = correlation(points);
    return typeof r === 'number' ? r * r : r;
  }),
  covariance,
  alias('COVAR', covariance),
  pairs('COVARIANCE.S', (points) => over(scatterOf(points).xy, points.length - 1)),
  pairs('SLOPE', slope),
  pairs('INTERCEPT', (points) => lineAt(points, 0)),
  pairs('STEYX', standardError),
  forecastLinear,
  alias('FORECAST', forecastLinear),
];
