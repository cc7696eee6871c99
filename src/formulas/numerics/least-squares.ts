import { mapLooking, type Spend } from '../spending.ts';
import { dot, type Matrix } from './matrix.ts';
import { mean, sumOfProducts } from './sums.ts';

/** A plane through points: y = intercept + Σ slope·x, with what statistics say of it. */
export interface Fit {
  readonly slopes: readonly number[];
  readonly intercept: number;
  readonly slopeErrors: readonly number[];
  readonly interceptError: number;
  /** How many points are left over to tell the error. */
  readonly freedom: number;
  readonly explained: number;
  readonly residual: number;
}

interface Triangle {
  readonly columns: number[][];
  readonly projections: number[];
  readonly kept: boolean[];
}

/** What of its length a column must keep beside the earlier ones to say anything new. */
const INDEPENDENT = 1e-11;

/**
 * The plane of least squares. Columns that others already tell get the slope 0, as Excel does it.
 * @param columns the numbers of each variable, one a point
 * @param ys one a point
 * @param withIntercept whether the plane may pass beside the origin
 */
export function fitPlane(columns: Matrix, ys: readonly number[], withIntercept: boolean, spend: Spend): Fit {
  const centers = columns.map((column) => (withIntercept ? mean(column, spend) : 0));
  const center = withIntercept ? mean(ys, spend) : 0;
  const centered = columns.map((column, j) => mapLooking(column, (x) => x - (centers[j] ?? 0), spend));
  const rest = mapLooking(ys, (y) => y - center, spend);
  const total = sumOfProducts(rest, rest, spend);
  const triangle = orthogonalize(centered, rest, spend);
  const inverse = invertTriangle(triangle);
  const slopes = inverse.map((row) => dot(row, triangle.projections));
  const used = triangle.kept.filter(Boolean).length;
  const freedom = ys.length - used - Number(withIntercept);
  const residual = sumOfProducts(rest, rest, spend);
  const error = freedom > 0 ? Math.sqrt(residual / freedom) : 0;
  const toCenter =
    inverse[0]?.map((_, k) =>
      dot(
        centers,
        inverse.map((row) => row[k] ?? 0),
      ),
    ) ?? [];
  return {
    slopes,
    intercept: center - dot(slopes, centers),
    slopeErrors: inverse.map((row) => error * Math.hypot(...row)),
    interceptError: withIntercept ? error * Math.sqrt(1 / ys.length + dot(toCenter, toCenter)) : 0,
    freedom,
    explained: Math.max(0, total - residual),
    residual,
  };
}

/** Gram and Schmidt's way, in place: what is left in `rest` afterwards is the residual. */
function orthogonalize(columns: number[][], rest: number[], spend: Spend): Triangle {
  const triangle: Triangle = { columns: [], projections: [], kept: [] };
  const lengths = columns.map((column) => Math.sqrt(dot(column, column)));
  for (const [j, column] of columns.entries()) {
    const length = Math.sqrt(dot(column, column));
    const kept = length > (lengths[j] ?? 0) * INDEPENDENT;
    const unit = mapLooking(column, (x) => (kept ? x / length : 0), spend);
    triangle.kept.push(kept);
    triangle.projections.push(takeOut(unit, rest, spend));
    const parts = columns.map((other, k) => (k > j ? takeOut(unit, other, spend) : 0));
    triangle.columns.push(parts.with(j, kept ? length : 1));
  }
  return triangle;
}

function takeOut(unit: readonly number[], from: number[], spend: Spend): number {
  const part = dot(unit, from);
  spend(0);
  for (let i = 0; i < from.length; i += 1) from[i] = (from[i] ?? 0) - part * (unit[i] ?? 0);
  return part;
}

/** The inverse of the upper triangle, row by row from below; a column that says nothing new has rows of 0. */
function invertTriangle({ columns: rows, kept }: Triangle): number[][] {
  const size = rows.length;
  const inverse = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  for (let i = size - 1; i >= 0; i -= 1) {
    if (!kept[i]) continue;
    const diagonal = rows[i]?.[i] ?? 1;
    for (let k = i; k < size; k += 1) {
      let value = Number(i === k);
      for (let j = i + 1; j <= k; j += 1) value -= (rows[i]?.[j] ?? 0) * (inverse[j]?.[k] ?? 0);
      inverse[i]?.splice(k, 1, value / diagonal);
    }
  }
  return inverse;
}
