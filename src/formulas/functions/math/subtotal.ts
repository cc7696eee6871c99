import { numberOf } from '../../conversions.ts';
import { lift } from '../../lifting.ts';
import type { Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid, type Scalar, type Value } from '../../values.ts';
import { AGGREGATES, PLACED_AGGREGATES } from '../aggregates.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { gridsOf, isCells } from '../numbers.ts';

/** What of the cells does not count. */
interface Passing {
  /** Rows that a filter leaves out, all that are not shown, or none. */
  readonly rows: 'filtered' | 'hidden' | 'none';
  readonly subtotals: boolean;
  readonly errors: boolean;
}

const COUNT = 2;
const COUNT_ALL = 3;
/** From this function of AGGREGATE on a further number says which, or which part. */
const FIRST_PLACED = 14;
/** Of texts, and of sheets that are quoted for their names, nothing is called. */
const QUOTED = /"[^"]*"|'[^']*'/g;

/** A total over cells that hold totals themselves would count what is below them twice. */
function isSubtotal(grid: Grid, row: number, column: number, context: CallContext): boolean {
  if (!grid.area) return false;
  const { sheet, top, left } = grid.area;
  const formula = context.formula(sheet, top + row, left + column);
  return formula !== undefined && /\b(?:SUBTOTAL|AGGREGATE)\s*\(/i.test(formula.replace(QUOTED, ''));
}

/** Answers whether a row of a grid is passed over; rows of computed arrays are none of a sheet. */
function passedRows({ area }: Grid, { rows }: Passing, context: CallContext): (row: number) => boolean {
  if (!area || rows === 'none') return () => false;
  return (row) => {
    const why = context.whyHidden(area.sheet, area.top + row);
    return rows === 'hidden' ? why !== undefined : why === 'byFilter';
  };
}

function countedCells(values: readonly Value[], passing: Passing, context: CallContext): Scalar[] {
  const cells: Scalar[] = [];
  for (const value of values) {
    for (const grid of isCells(value) ? gridsOf(value) : []) {
      const isPassed = passedRows(grid, passing, context);
      grid.each((cell, row, column) => {
        if (passing.errors && cell instanceof CellError) return;
        if (isPassed(row)) return;
        if (!passing.subtotals || !isSubtotal(grid, row, column, context)) cells.push(cell);
      });
    }
    if (!isCells(value)) cells.push(value);
  }
  context.spend(cells.length);
  return cells;
}

function total(code: number, cells: readonly Scalar[], spend: Spend): Scalar {
  if (code === COUNT_ALL) return cells.length;
  const error = cells.find((cell) => cell instanceof CellError);
  if (error && code !== COUNT) return error;
  return AGGREGATES.get(code)?.(numbersAmong(cells), spend) ?? ERROR['#VALUE!'];
}

function placed(code: number, cells: readonly Scalar[], place: number, spend: Spend): Scalar {
  const error = cells.find((cell) => cell instanceof CellError);
  return error ?? PLACED_AGGREGATES.get(code)?.(numbersAmong(cells), place, spend) ?? ERROR['#VALUE!'];
}

function numbersAmong(cells: readonly Scalar[]): number[] {
  return cells.filter((cell) => typeof cell === 'number');
}

function subtotal(code: number, values: readonly Value[], context: CallContext): Value {
  const plain = Math.trunc(code) % 100;
  if (code < 1 || code >= 112 || plain < 1 || plain > 11) return ERROR['#VALUE!'];
  const rows = code >= 101 ? 'hidden' : 'filtered';
  return totalOfReferences(plain, values, { rows, subtotals: true, errors: false }, context);
}

function aggregate(given: number, choice: number, values: readonly Value[], context: CallContext): Value {
  const code = Math.trunc(given);
  const option = Math.trunc(choice);
  if (code < 1 || code > 19 || option < 0 || option > 7) return ERROR['#VALUE!'];
  const passing: Passing = {
    rows: option % 2 === 1 ? 'hidden' : 'none',
    subtotals: option < 4,
    errors: [2, 3, 6, 7].includes(option),
  };
  if (code < FIRST_PLACED) return totalOfReferences(code, values, passing, context);
  const [cells = null, places] = values;
  if (places === undefined || values.length > 2) return ERROR['#VALUE!'];
  const counted = countedCells([cells], passing, context);
  const at = ([given = null]: readonly Scalar[]): Scalar => {
    const place = numberOf(given);
    return place instanceof CellError ? place : placed(code, counted, place, context.spend);
  };
  return lift([places], at, (steps) => context.spend(steps * (counted.length + 1)));
}

/** Of computed arrays there are no totals but those by place. */
function totalOfReferences(
  code: number,
  values: readonly Value[],
  passing: Passing,
  context: CallContext,
): Scalar {
  const areReferences = values.every(
    (value) => isCells(value) && gridsOf(value).every(({ area }) => area !== undefined),
  );
  return areReferences
    ? total(code, countedCells(values, passing, context), context.spend)
    : ERROR['#VALUE!'];
}

export const SUBTOTALS = [
  define('SUBTOTAL', ['number', 'any'], ([code, ...values], context) => subtotal(code, values, context), {
    repeats: 1,
    takesErrors: true,
    eachReference: true,
  }),
  define(
    'AGGREGATE',
    ['number', 'number', 'any'],
    ([code, option, ...values], context) => aggregate(code, option, values, context),
    { repeats: 1, takesErrors: true },
  ),
];
