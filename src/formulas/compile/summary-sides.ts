import { CellError, ERROR, type Scalar } from '../values.ts';
import type { Result, Scope } from './code.ts';
import { type GroupLine, linesOf } from './group-lines.ts';
import { fieldsOf, type Records } from './grouped-records.ts';
import { numbersGiven } from './grouping-arguments.ts';
import type { ValueColumn } from './value-columns.ts';

/** What is asked of one side of a summary. */
export interface SideArguments {
  readonly totals: Result | undefined;
  readonly order: Result | undefined;
  /** 1 where its fields are columns of a table, none within another. */
  readonly relation?: Result | undefined;
}

/** The lines of one side; as they are asked for, or with all totals that there can be. */
export function sideLines(
  { sides, rows }: Records,
  side: number,
  columns: readonly ValueColumn[],
  given: SideArguments,
  scope: Scope,
): readonly GroupLine[] | CellError {
  const asked = sideNumbers(given, scope);
  const grid = sides[side];
  if (asked instanceof CellError || grid === undefined) return asked instanceof CellError ? asked : [];
  const { totals, order, isTable } = asked;
  if (order.some((one) => Math.abs(one) > grid.columns + columns.length)) return ERROR['#VALUE!'];
  const depth = totals ?? (grid.columns > 1 && !isTable ? 2 : 1);
  return linesOf(rows, {
    keys: (row) => fieldsOf(grid, row),
    fields: grid.columns,
    totals: isTable ? Math.sign(depth) : depth,
    order,
    totalOf: (records, value) => columns[value]?.sum(records) ?? null,
    spend: scope.host.spend,
  });
}

interface SideNumbers {
  readonly totals: number | undefined;
  readonly order: readonly number[];
  readonly isTable: boolean;
}

function sideNumbers(given: SideArguments, scope: Scope): SideNumbers | CellError {
  const totals = numbersGiven(given.totals, scope);
  if (totals instanceof CellError) return totals;
  const order = numbersGiven(given.order, scope);
  if (order instanceof CellError) return order;
  const relation = numbersGiven(given.relation, scope);
  if (relation instanceof CellError) return relation;
  return { totals: totals[0], order, isTable: relation[0] === 1 };
}

/** What the fields of a side are called; nothing where no headers are shown. */
export function fieldNames({ sides, header, showsHeaders }: Records, side: number): Scalar[] {
  const grid = sides[side];
  return Array.from({ length: grid?.columns ?? 0 }, (_, column) =>
    grid === undefined || !showsHeaders ? '' : (header(grid, column, `Row Field ${column + 1}`) ?? ''),
  );
}
