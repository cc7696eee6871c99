import { gridOf, makeGrid } from '../../grids.ts';
import { dot, type Fit, fitPlane, flatten, type Matrix, transpose } from '../../numerics/matrix.ts';
import { sumOf } from '../../numerics/sums.ts';
import { mapWithTicks, type Spend } from '../../steps.ts';
import { CellError, ERROR, type Grid, type NumericResult, type Scalar, type Value } from '../../values.ts';
import { numberPairs, type Pair, pairs } from '../aggregates.ts';
import { type CallContext, define, type FormulaFunction } from '../function.ts';
import { matrixOf } from '../math/matrices.ts';
import { alias, logicalOr } from '../numbers.ts';

/** Sums of products of deviations from the means. */
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

/** A quotient; #DIV/0! for a divisor of 0, which includes too few points. */
function quotient(dividend: number, divisor: number): NumericResult {
  return divisor > 0 ? dividend / divisor : ERROR['#DIV/0!'];
}

function correlation(points: readonly Pair[], spend: Spend): NumericResult {
  const { xx, xy, yy } = scatterOf(points, spend);
  // One square root rounds less than two: for points on a line the coefficient is 1, as in Excel.
  return quotient(xy, Math.sqrt(xx / yy) * yy);
}

/** The points with swapped coordinates. */
function swapped(points: readonly Pair[], spend: Spend): Pair[] {
  return mapWithTicks(points, ([y, x]): Pair => [x, y], spend);
}

/** The slope of the ys over the xs. Excel passes the ys first. */
function slope(points: readonly Pair[], spend: Spend): NumericResult {
  const { xx, xy } = scatterOf(swapped(points, spend), spend);
  return quotient(xy, xx);
}

function lineAt(points: readonly Pair[], x: number, spend: Spend): NumericResult {
  const { meanX, meanY, xx, xy } = scatterOf(swapped(points, spend), spend);
  const rise = quotient(xy, xx);
  return typeof rise === 'number' ? meanY + rise * (x - meanX) : rise;
}

function standardError(points: readonly Pair[], spend: Spend): NumericResult {
  const { count, xx, xy, yy } = scatterOf(swapped(points, spend), spend);
  if (count < 3 || xx === 0) return ERROR['#DIV/0!'];
  return Math.sqrt(Math.max(0, yy - (xy * xy) / xx) / (count - 2));
}

function forecast(x: number, ys: Grid, xs: Grid, spend: Spend): Value {
  const points = numberPairs(ys, xs);
  return points instanceof CellError ? points : lineAt(points, x, spend);
}

const correl = pairs('CORREL', correlation);
const covariance = pairs('COVARIANCE.P', (points, spend) =>
  quotient(scatterOf(points, spend).xy, points.length),
);
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
  pairs('COVARIANCE.S', (points, spend) => quotient(scatterOf(points, spend).xy, points.length - 1)),
  pairs('SLOPE', slope),
  pairs('INTERCEPT', (points, spend) => lineAt(points, 0, spend)),
  pairs('STEYX', standardError),
  forecastLinear,
  alias('FORECAST', forecastLinear),
];

interface Points {
  /** The numbers of each variable. */
  readonly columns: Matrix;
  readonly ys: readonly number[];
  /** Whether the points lie in a row instead of a column. */
  readonly lying: boolean;
}

/** Reads the points of LINEST and similar functions; when the ys are no single row or column, there is one variable. */
function readPoints(ysGrid: Grid, xsGrid: Grid | undefined, spend: Spend): Points | CellError {
  const ys = matrixOf(ysGrid, spend);
  if (ys instanceof CellError) return ys;
  const flat = flatten(ys, spend);
  const xs = xsGrid ? matrixOf(xsGrid, spend) : mapWithTicks(flat, (_, i) => [i + 1], spend);
  if (xs instanceof CellError) return xs;
  const lying = ysGrid.rows === 1 && ysGrid.columns > 1;
  if (xs.length * (xs[0]?.length ?? 0) === flat.length)
    return { columns: [flatten(xs, spend)], ys: flat, lying };
  const columns = lying ? xs : transpose(xs, spend);
  if ((ysGrid.rows !== 1 && ysGrid.columns !== 1) || columns[0]?.length !== flat.length)
    return ERROR['#REF!'];
  return { columns, ys: flat, lying };
}

function logarithms(points: Points, spend: Spend): Points | CellError {
  if (points.ys.some((y) => y <= 0)) return ERROR['#NUM!'];
  return { ...points, ys: mapWithTicks(points.ys, (y) => Math.log(y), spend) };
}

/** The result rows of LINEST; the slopes run from the last variable to the first, before the intercept. */
function statistics(fit: Fit, coefficients: readonly number[], withIntercept: boolean, spend: Spend): Value {
  const { explained, residual, freedom, slopeErrors } = fit;
  const used = coefficients.length - 1;
  const error = freedom > 0 ? Math.sqrt(residual / freedom) : 0;
  const f = freedom > 0 && residual > 0 ? explained / used / (residual / freedom) : ERROR['#NUM!'];
  const short: Scalar[][] = [
    [explained / (explained + residual), error],
    [f, freedom],
    [explained, residual],
  ];
  const filling = new Array<Scalar>(Math.max(0, coefficients.length - 2)).fill(ERROR['#N/A']);
  return gridOf(
    [
      coefficients,
      [...slopeErrors.toReversed(), withIntercept ? fit.interceptError : ERROR['#N/A']],
      ...short.map((row) => [...row, ...filling]),
    ],
    spend,
  );
}

type Scale = 'linear' | 'exponential';

function fitPoints(
  points: Points,
  scale: Scale,
  withIntercept: boolean,
  context: CallContext,
): Fit | CellError {
  context.spend(points.ys.length * points.columns.length ** 2);
  const scaled = scale === 'linear' ? points : logarithms(points, context.spend);
  return scaled instanceof CellError
    ? scaled
    : fitPlane(scaled.columns, scaled.ys, withIntercept, context.spend);
}

function estimate(name: string, scale: Scale): FormulaFunction {
  const back = scale === 'linear' ? (x: number) => x : Math.exp;
  return define(
    name,
    ['grid', 'any', 'scalar', 'logical'],
    ([ys, xs, given, all = false], context) => {
      const withIntercept = logicalOr(given, true);
      if (withIntercept instanceof CellError) return withIntercept;
      const points = readPoints(ys, gridOrNone(xs), context.spend);
      if (points instanceof CellError) return points;
      const fit = fitPoints(points, scale, withIntercept, context);
      if (fit instanceof CellError) return fit;
      const coefficients = [...fit.slopes.toReversed(), fit.intercept].map(back);
      return all
        ? statistics(fit, coefficients, withIntercept, context.spend)
        : gridOf([coefficients], context.spend);
    },
    { required: 1 },
  );
}

/** An argument omitted between commas is null. */
function gridOrNone(value: Value | undefined): Grid | undefined {
  return typeof value === 'object' && value !== null && 'at' in value ? (value as Grid) : undefined;
}

function extrapolate(name: string, scale: Scale): FormulaFunction {
  const back = scale === 'linear' ? (x: number) => x : Math.exp;
  return define(
    name,
    ['grid', 'any', 'any', 'scalar'],
    ([ys, xs, news, given], context) => {
      const withIntercept = logicalOr(given, true);
      if (withIntercept instanceof CellError) return withIntercept;
      const known = gridOrNone(xs);
      const points = readPoints(ys, known, context.spend);
      if (points instanceof CellError) return points;
      const fit = fitPoints(points, scale, withIntercept, context);
      if (fit instanceof CellError) return fit;
      const wanted = gridOrNone(news) ?? (typeof news === 'number' ? gridOf([[news]], context.spend) : known);
      return along(fit, points, wanted ?? countedLike(ys, context.spend), back, context.spend);
    },
    { required: 1 },
  );
}

function countedLike(ys: Grid, spend: Spend): Grid {
  const count = ys.rows * ys.columns;
  const shape = ys.rows === 1 ? { rows: 1, columns: count } : { rows: count, columns: 1 };
  return makeGrid(shape, (row, column) => row + column + 1, spend);
}

function along(fit: Fit, points: Points, wanted: Grid, back: (x: number) => number, spend: Spend): Value {
  const news = matrixOf(wanted, spend);
  if (news instanceof CellError) return news;
  const at = (xs: readonly number[]) => back(fit.intercept + dot(fit.slopes, xs));
  if (points.columns.length === 1)
    return makeGrid(wanted, (row, column) => at([news[row]?.[column] ?? 0]), spend);
  const places = points.lying ? transpose(news, spend) : news;
  if (places[0]?.length !== points.columns.length) return ERROR['#REF!'];
  const shape = points.lying ? { rows: 1, columns: places.length } : { rows: places.length, columns: 1 };
  return makeGrid(shape, (row, column) => at(places[row + column] ?? []), spend);
}

export const REGRESSION = [
  estimate('LINEST', 'linear'),
  estimate('LOGEST', 'exponential'),
  extrapolate('TREND', 'linear'),
  extrapolate('GROWTH', 'exponential'),
];
