import { gridOf, makeGrid } from '../../grids.ts';
import { type Fit, fitPlane } from '../../numerics/least-squares.ts';
import { dot, flattened, type Matrix, transpose } from '../../numerics/matrix.ts';
import { mapLooking, type Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid, type Scalar, type Value } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext, FormulaFunction } from '../function.ts';
import { matrixOf } from '../matrix-of.ts';
import { logicalOr } from '../optional.ts';

interface Points {
  /** The numbers of each variable. */
  readonly columns: Matrix;
  readonly ys: readonly number[];
  /** Whether the points lie beside rather than below one another. */
  readonly lying: boolean;
}

/** Reads the points of LINEST and its kin; of ys that are no single column or row there is one variable. */
function readPoints(ysGrid: Grid, xsGrid: Grid | undefined, spend: Spend): Points | CellError {
  const ys = matrixOf(ysGrid, spend);
  if (ys instanceof CellError) return ys;
  const flat = flattened(ys, spend);
  const xs = xsGrid ? matrixOf(xsGrid, spend) : mapLooking(flat, (_, i) => [i + 1], spend);
  if (xs instanceof CellError) return xs;
  const lying = ysGrid.rows === 1 && ysGrid.columns > 1;
  if (xs.length * (xs[0]?.length ?? 0) === flat.length)
    return { columns: [flattened(xs, spend)], ys: flat, lying };
  const columns = lying ? xs : transpose(xs, spend);
  if ((ysGrid.rows !== 1 && ysGrid.columns !== 1) || columns[0]?.length !== flat.length)
    return ERROR['#REF!'];
  return { columns, ys: flat, lying };
}

function logarithms(points: Points, spend: Spend): Points | CellError {
  if (points.ys.some((y) => y <= 0)) return ERROR['#NUM!'];
  return { ...points, ys: mapLooking(points.ys, (y) => Math.log(y), spend) };
}

/** The rows that LINEST answers; the slopes stand from the last variable to the first, before the intercept. */
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

/** An argument that was left out between commas is null. */
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
