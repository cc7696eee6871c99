import { lookingUp, type Spend } from '../spending.ts';

/** So many rows are gone through between two looks at the clock. */
const ROWS_A_LOOK = 64;

/** Numbers in rows and columns; every row has as many as the first. */
export type Matrix = readonly (readonly number[])[];

export function transpose(matrix: Matrix, spend: Spend): Matrix {
  const look = lookingUp(spend);
  return (matrix[0] ?? []).map((_, column) =>
    matrix.map((row) => {
      look();
      return row[column] ?? 0;
    }),
  );
}

/** The numbers of a matrix row by row. */
export function flattened(matrix: Matrix, spend: Spend): number[] {
  const look = lookingUp(spend);
  const numbers: number[] = [];
  for (const row of matrix) {
    for (const number of row) {
      look();
      numbers.push(number);
    }
  }
  return numbers;
}

/** The product of two matrices; the first has as many columns as the second has rows. */
export function multiply(one: Matrix, other: Matrix, spend: Spend): Matrix {
  const columns = transpose(other, spend);
  const look = lookingUp(spend, ROWS_A_LOOK);
  return one.map((row) =>
    columns.map((column) => {
      look();
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
  return eliminate(rows, false, lookingUp(spend, ROWS_A_LOOK));
}

/** The inverse of a square matrix; undefined when it has none. */
export function inverse(matrix: Matrix, spend: Spend): Matrix | undefined {
  const size = matrix.length;
  const rows = matrix.map((row, i) =>
    Float64Array.from({ length: 2 * size }, (_, j) => (j < size ? (row[j] ?? 0) : Number(j - size === i))),
  );
  const look = lookingUp(spend, ROWS_A_LOOK);
  return eliminate(rows, true, look) === 0 ? undefined : rows.map((row) => [...row.subarray(size)]);
}

/**
 * Gauss' elimination with the largest pivot of each column, in place; answers the determinant.
 * @param reduced whether the left square is to become the identity
 */
function eliminate(rows: Float64Array[], reduced: boolean, look: () => void): number {
  let product = 1;
  for (let column = 0; column < rows.length; column += 1) {
    const place = pivotRow(rows, column);
    const pivot = rows[place]?.[column] ?? 0;
    if (pivot === 0) return 0;
    product *= place === column ? pivot : -pivot;
    swap(rows, place, column);
    clearColumn(rows, column, reduced, look);
  }
  return product;
}

function clearColumn(rows: Float64Array[], column: number, reduced: boolean, look: () => void): void {
  const pivotal = rows[column] ?? new Float64Array();
  const pivot = pivotal[column] ?? 1;
  for (let i = reduced ? 0 : column + 1; i < rows.length; i += 1) {
    look();
    if (i !== column) subtract(rows[i], pivotal, (rows[i]?.[column] ?? 0) / pivot, column);
  }
  if (reduced) for (let j = column; j < pivotal.length; j += 1) pivotal[j] = (pivotal[j] ?? 0) / pivot;
}

function pivotRow(rows: readonly Float64Array[], column: number): number {
  let place = column;
  for (let i = column + 1; i < rows.length; i += 1) {
    if (Math.abs(rows[i]?.[column] ?? 0) > Math.abs(rows[place]?.[column] ?? 0)) place = i;
  }
  return place;
}

function swap(rows: Float64Array[], i: number, j: number): void {
  const [one, other] = [rows[i], rows[j]];
  if (one && other) [rows[i], rows[j]] = [other, one];
}

function subtract(row: Float64Array | undefined, pivotal: Float64Array, factor: number, from: number): void {
  if (!row || factor === 0) return;
  for (let j = from; j < row.length; j += 1) row[j] = (row[j] ?? 0) - factor * (pivotal[j] ?? 0);
}
