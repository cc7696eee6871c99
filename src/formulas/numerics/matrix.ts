import { clockTicker, mapWithTicks, type Spend } from '../steps.ts';
import { mean, sumOfProducts } from './sums.ts';

/** Rows between two clock checks. */
const ROWS_PER_CHECK = 64;

/** Numbers in rows of equal length. */
export type Matrix = readonly (readonly number[])[];

export function transpose(matrix: Matrix, spend: Spend): Matrix {
  const tick = clockTicker(spend);
  return (matrix[0] ?? []).map((_, column) =>
    matrix.map((row) => {
      tick();
      return row[column] ?? 0;
    }),
  );
}

/** The numbers of a matrix row by row. */
export function flatten(matrix: Matrix, spend: Spend): number[] {
  const tick = clockTicker(spend);
  const numbers: number[] = [];
  for (const row of matrix) {
    for (const number of row) {
      tick();
      numbers.push(number);
    }
  }
  return numbers;
}

/** The product of two matrices; the first has as many columns as the second has rows. */
export function multiply(one: Matrix, other: Matrix, spend: Spend): Matrix {
  const columns = transpose(other, spend);
  const tick = clockTicker(spend, ROWS_PER_CHECK);
  return one.map((row) =>
    columns.map((column) => {
      tick();
      return dot(row, column);
    }),
  );
}

export function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** The determinant of a square matrix. */
export function determinant(matrix: Matrix, spend: Spend): number {
  const rows = matrix.map((row) => Float64Array.from(row));
  return eliminate(rows, false, clockTicker(spend, ROWS_PER_CHECK));
}

/** The inverse of a square matrix; undefined for a singular one. */
export function inverse(matrix: Matrix, spend: Spend): Matrix | undefined {
  const size = matrix.length;
  const rows = matrix.map((row, i) =>
    Float64Array.from({ length: 2 * size }, (_, j) => (j < size ? (row[j] ?? 0) : Number(j - size === i))),
  );
  const tick = clockTicker(spend, ROWS_PER_CHECK);
  return eliminate(rows, true, tick) === 0 ? undefined : rows.map((row) => [...row.subarray(size)]);
}

/**
 * Gaussian elimination in place with the largest pivot of each column; returns the determinant.
 * @param reduced whether the left square becomes the identity
 */
function eliminate(rows: Float64Array[], reduced: boolean, tick: () => void): number {
  let product = 1;
  for (let column = 0; column < rows.length; column += 1) {
    const row = pivotRow(rows, column);
    const pivot = rows[row]?.[column] ?? 0;
    if (pivot === 0) return 0;
    product *= row === column ? pivot : -pivot;
    swap(rows, row, column);
    clearColumn(rows, column, reduced, tick);
  }
  return product;
}

function clearColumn(rows: Float64Array[], column: number, reduced: boolean, tick: () => void): void {
  const pivotal = rows[column] ?? new Float64Array();
  const pivot = pivotal[column] ?? 1;
  for (let i = reduced ? 0 : column + 1; i < rows.length; i += 1) {
    tick();
    if (i !== column) subtract(rows[i], pivotal, (rows[i]?.[column] ?? 0) / pivot, column);
  }
  if (reduced) for (let j = column; j < pivotal.length; j += 1) pivotal[j] = (pivotal[j] ?? 0) / pivot;
}

function pivotRow(rows: readonly Float64Array[], column: number): number {
  let row = column;
  for (let i = column + 1; i < rows.length; i += 1) {
    if (Math.abs(rows[i]?.[column] ?? 0) > Math.abs(rows[row]?.[column] ?? 0)) row = i;
  }
  return row;
}

function swap(rows: Float64Array[], i: number, j: number): void {
  const [one, other] = [rows[i], rows[j]];
  if (one && other) [rows[i], rows[j]] = [other, one];
}

function subtract(row: Float64Array | undefined, pivotal: Float64Array, factor: number, from: number): void {
  if (!row || factor === 0) return;
  for (let j = from; j < row.length; j += 1) row[j] = (row[j] ?? 0) - factor * (pivotal[j] ?? 0);
}

/** A regression plane: y = intercept + Σ slope·x, with its statistics. */
export interface Fit {
  readonly slopes: readonly number[];
  readonly intercept: number;
  readonly slopeErrors: readonly number[];
  readonly interceptError: number;
  /** The degrees of freedom. */
  readonly freedom: number;
  readonly explained: number;
  readonly residual: number;
}

interface Triangle {
  readonly columns: number[][];
  readonly projections: number[];
  readonly isIndependent: boolean[];
}

/** The fraction of its length that a column must retain after orthogonalization to count as independent. */
const INDEPENDENT = 1e-11;

/**
 * The least-squares plane. Linearly dependent columns get the slope 0, as in Excel.
 * @param columns the numbers of each variable, one for each point
 * @param ys one for each point
 * @param withIntercept whether the plane may have an intercept
 */
export function fitPlane(columns: Matrix, ys: readonly number[], withIntercept: boolean, spend: Spend): Fit {
  const centers = columns.map((column) => (withIntercept ? mean(column, spend) : 0));
  const center = withIntercept ? mean(ys, spend) : 0;
  const centered = columns.map((column, j) => mapWithTicks(column, (x) => x - (centers[j] ?? 0), spend));
  const rest = mapWithTicks(ys, (y) => y - center, spend);
  const total = sumOfProducts(rest, rest, spend);
  const triangle = orthogonalize(centered, rest, spend);
  const inverse = invertTriangle(triangle);
  const slopes = inverse.map((row) => dot(row, triangle.projections));
  const used = triangle.isIndependent.filter(Boolean).length;
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

/** Gram-Schmidt orthogonalization in place; afterwards `rest` is the residual. */
function orthogonalize(columns: number[][], rest: number[], spend: Spend): Triangle {
  const triangle: Triangle = { columns: [], projections: [], isIndependent: [] };
  const lengths = columns.map((column) => Math.sqrt(dot(column, column)));
  for (const [j, column] of columns.entries()) {
    const length = Math.sqrt(dot(column, column));
    const isIndependent = length > (lengths[j] ?? 0) * INDEPENDENT;
    const unit = mapWithTicks(column, (x) => (isIndependent ? x / length : 0), spend);
    triangle.isIndependent.push(isIndependent);
    triangle.projections.push(takeOut(unit, rest, spend));
    const parts = columns.map((other, k) => (k > j ? takeOut(unit, other, spend) : 0));
    triangle.columns.push(parts.with(j, isIndependent ? length : 1));
  }
  return triangle;
}

function takeOut(unit: readonly number[], from: number[], spend: Spend): number {
  const part = dot(unit, from);
  spend(0);
  for (let i = 0; i < from.length; i += 1) from[i] = (from[i] ?? 0) - part * (unit[i] ?? 0);
  return part;
}

/** The inverse of the upper triangle, row by row from below; a dependent column has rows of 0. */
function invertTriangle({ columns: rows, isIndependent }: Triangle): number[][] {
  const size = rows.length;
  const inverse = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  for (let i = size - 1; i >= 0; i -= 1) {
    if (!isIndependent[i]) continue;
    const diagonal = rows[i]?.[i] ?? 1;
    for (let k = i; k < size; k += 1) {
      let value = Number(i === k);
      for (let j = i + 1; j <= k; j += 1) value -= (rows[i]?.[j] ?? 0) * (inverse[j]?.[k] ?? 0);
      inverse[i]?.splice(k, 1, value / diagonal);
    }
  }
  return inverse;
}
