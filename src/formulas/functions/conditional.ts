import { type Criterion, criterionOf } from '../criteria.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../limits.ts';
import { clockTicker } from '../steps.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../values.ts';
import type { CallContext } from './function.ts';

/** A range and its criterion. */
export interface Condition {
  readonly cells: Grid;
  readonly test: Criterion;
}

/**
 * Reads pairs of ranges and criteria.
 * @param like the grid whose shape all ranges must have; otherwise the result is #VALUE!
 */
export function readConditions(
  given: readonly (Grid | Scalar)[],
  like: Grid,
): readonly Condition[] | CellError {
  const conditions: Condition[] = [];
  for (let i = 0; i + 1 < given.length; i += 2) {
    const cells = given[i] as Grid;
    if (!sameShape(cells, like)) return ERROR['#VALUE!'];
    conditions.push({ cells, test: criterionOf(given[i + 1] as Scalar) });
  }
  return conditions;
}

/** The sum range of SUMIF: starts at the first cell of `values`, with the shape of `cells`. */
export function sumRange(cells: Grid, values: Grid, context: CallContext): Grid {
  if (!values.area || sameShape(cells, values)) return values;
  const { sheet, top, left } = values.area;
  return context.reference({
    sheet,
    top,
    left,
    bottom: Math.min(top + cells.rows, MAX_ROWS) - 1,
    right: Math.min(left + cells.columns, MAX_COLUMNS) - 1,
  });
}

/** Whether two grids have the same shape. */
export function sameShape(one: Grid, other: Grid): boolean {
  return one.rows === other.rows && one.columns === other.columns;
}

/** Returns a test whether a position meets all conditions; it checks the clock at intervals. */
function allHold(
  conditions: readonly Condition[],
  context: CallContext,
): (row: number, column: number) => boolean {
  const tick = clockTicker(context.spend);
  return (row, column) =>
    conditions.every(({ cells, test }) => {
      tick();
      return test(cells.at(row, column));
    });
}

/**
 * The numbers or errors of the cells whose positions meet all conditions. The cost depends on the non-empty cells
 * only.
 */
export function chosenNumbers(
  values: Grid,
  conditions: readonly Condition[],
  context: CallContext,
): readonly number[] | CellError {
  const chosen: number[] = [];
  const holds = allHold(conditions, context);
  let error: CellError | undefined;
  let visited = 0;
  values.each((value, row, column) => {
    visited += 1;
    if (typeof value !== 'number' && !(value instanceof CellError)) return;
    if (!holds(row, column)) return;
    if (typeof value === 'number') chosen.push(value);
    else error ??= value;
  });
  context.spend(visited);
  return error ?? chosen;
}

/**
 * The number of positions that meet all conditions. The cost depends on the non-empty cells only, even if empty
 * ones match.
 */
export function countChosen(conditions: readonly Condition[], context: CallContext): number {
  const [first] = conditions;
  if (!first) return 0;
  const holds = allHold(conditions, context);
  const walked = conditions.find(({ test }) => !test(null));
  if (walked !== undefined && conditions.length === 1) {
    return countUsed(walked.cells, (_row, _column, value) => walked.test(value), context);
  }
  return walked
    ? countUsed(walked.cells, holds, context)
    : first.cells.rows * first.cells.columns - countFailing(conditions, holds, context);
}

function countUsed(
  cells: Grid,
  holds: (row: number, column: number, value: Scalar) => boolean,
  context: CallContext,
): number {
  let count = 0;
  let visited = 0;
  cells.each((value, row, column) => {
    visited += 1;
    if (holds(row, column, value)) count += 1;
  });
  context.spend(visited);
  return count;
}

/** When every condition accepts empty cells, only positions with a non-empty cell can fail. */
function countFailing(
  conditions: readonly Condition[],
  holds: (row: number, column: number) => boolean,
  context: CallContext,
): number {
  let failing = 0;
  for (const [i, { cells }] of conditions.entries()) {
    const earlier = conditions.slice(0, i);
    const seen = (row: number, column: number) =>
      earlier.some(({ cells: others }) => others.at(row, column) !== null);
    failing += countUsed(cells, (row, column) => !seen(row, column) && !holds(row, column), context);
  }
  return failing;
}
