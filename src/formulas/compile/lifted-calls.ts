import type { FormulaFunction, Parameter } from '../functions/function.ts';
import { isGrid } from '../grids.ts';
import { lookingUp } from '../spending.ts';
import { CellError, ERROR, type Grid, type Scalar, type Value } from '../values.ts';
import type { Scope } from './code.ts';
import { computeLifted, isScalar } from './operands.ts';

/** Calls of a function cost more than values that are read: some search for their answer in thousands of steps. */
const CALLS_A_LOOK = 16;

/** An argument that a function is called with place by place. */
export interface LiftedArgument {
  readonly at: number;
  readonly grid: Grid;
  /** What is made of a single value; of an array of references each is handed on as it is. */
  readonly convert: (value: Scalar) => Value | undefined;
}

/** Whether an array of references is taken one by one at a parameter. */
export function takesEachReference(one: FormulaFunction, kind: Parameter, value: Value): value is Grid {
  if (!isGrid(value) || value.reference === undefined) return false;
  return kind === 'grid' || (kind === 'any' && one.eachReference === true);
}

/** A function of single values, or of single references, called for each place of the grids among its arguments. */
export function runLifted(
  one: FormulaFunction,
  given: readonly (Value | undefined)[],
  lifted: readonly LiftedArgument[],
  run: (given: readonly (Value | undefined)[]) => Value,
  scope: Scope,
): Value {
  const results = one.makesReferences === true ? [] : undefined;
  const look = lookingUp(scope.host.spend, CALLS_A_LOOK);
  const places = computeLifted(
    lifted.map(({ grid }) => (grid.reference === undefined ? grid : numbered(grid))),
    (values) => {
      look();
      const all = [...given];
      for (const [nth, { at, grid, convert }] of lifted.entries()) {
        const value = placed(grid, values[nth] ?? null, convert);
        if (value instanceof CellError && one.takesErrors !== true) return value;
        all[at] = value;
      }
      return single(run(all), results);
    },
    scope,
  );
  return results === undefined ? places : references(places, results);
}

/** The places of a grid, row by row, in place of what stands there. */
function numbered(grid: Grid): Grid {
  return { ...extentOf(grid), at: (row, column) => row * grid.columns + column, each: () => undefined };
}

function placed(grid: Grid, value: Scalar, convert: LiftedArgument['convert']): Value | undefined {
  if (grid.reference === undefined || typeof value !== 'number') return convert(value);
  return grid.reference(Math.floor(value / grid.columns), value % grid.columns);
}

/** A result as one value; of references the number under which they are kept. */
function single(result: Value, kept: Value[] | undefined): Scalar {
  if (isScalar(result)) return result;
  if (kept !== undefined) return kept.push(result) - 1;
  return isGrid(result) ? result.at(0, 0) : ERROR['#VALUE!'];
}

/** An array of references, of which each shows its first value. */
function references(places: Value, kept: readonly Value[]): Value {
  const found = (place: Scalar): Value => (typeof place === 'number' ? (kept[place] ?? null) : place);
  if (!isGrid(places)) return found(places as Scalar);
  const reference = (row: number, column: number) => found(places.at(row, column));
  const at = (row: number, column: number): Scalar => {
    const value = reference(row, column);
    return isGrid(value) ? value.at(0, 0) : isScalar(value) ? value : ERROR['#VALUE!'];
  };
  return {
    ...extentOf(places),
    reference,
    at,
    each(visit) {
      places.each((_, row, column) => {
        const value = at(row, column);
        if (value !== null) visit(value, row, column);
      });
    },
  };
}

function extentOf({ rows, columns, usedRows, usedColumns }: Grid) {
  return { rows, columns, usedRows, usedColumns };
}
