import { numberOf } from '../../conversions.ts';
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

const COUNT_ALL = 3;
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

function total(code: number, cells: readonly Scalar[], place?: number): Value {
  if (code === COUNT_ALL) return cells.length;
  const error = cells.find((cell) => cell instanceof CellError);
  if (error && code !== 2) return error;
  const numbers = cells.filter((cell) => typeof cell === 'number');
  if (place !== undefined) return PLACED_AGGREGATES.get(code)?.(numbers, place) ?? ERROR['#VALUE!'];
  return AGGREGATES.get(code)?.(numbers) ?? ERROR['#VALUE!'];
}

function subtotal(code: number, values: readonly Value[], context: CallContext): Value {
  const plain = Math.trunc(code) % 100;
  if (code < 1 || code >= 112 || plain < 1 || plain > 11) return ERROR['#VALUE!'];
  const rows = code >= 101 ? 'hidden' : 'filtered';
  return total(plain, countedCells(values, { rows, subtotals: true, errors: false }, context));
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
  if (code < 14) return total(code, countedCells(values, passing, context));
  const [cells = null, last] = values;
  const place = last === undefined || isCells(last) ? ERROR['#VALUE!'] : numberOf(last);
  if (place instanceof CellError) return place;
  return total(code, countedCells([cells], passing, context), place);
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
