import { gridOf } from '../grids.ts';
import { filterLooking } from '../spending.ts';
import { CellError, type Scalar, type Value } from '../values.ts';
import type { Result, Scope } from './code.ts';
import type { GroupLine } from './group-lines.ts';
import { type Records, recordsOf } from './grouped-records.ts';
import { numbersGiven, type Summing } from './grouping-arguments.ts';
import { fieldNames, type SideArguments, sideLines } from './summary-sides.ts';
import { type ValueColumn, valueColumns } from './value-columns.ts';

/** PIVOTBY: groups of records down and across, and where they cross what their values come to. */
export function pivotBy(results: readonly Result[], functions: readonly Summing[], scope: Scope): Value {
  const given = pivotArguments(results);
  const records = recordsOf(given.sides, given.values, given.headers, given.filter, scope);
  if (records instanceof CellError) return records;
  const pivot = pivotOf(records, given, functions, scope);
  if (pivot instanceof CellError) return pivot;
  return gridOf([...headersOf(pivot), ...bodyOf(pivot, scope)], scope.host.spend);
}

interface PivotArguments {
  readonly sides: readonly Result[];
  readonly values: Result | undefined;
  readonly headers: Result | undefined;
  readonly filter: Result | undefined;
  readonly down: SideArguments;
  readonly across: SideArguments;
  readonly relativeTo: Result | undefined;
}

/** The arguments in their order: the function is at the fourth place. */
function pivotArguments(results: readonly Result[]): PivotArguments {
  const [rowFields = null, columnFields = null, values, , headers, ...rest] = results;
  const [rowTotals, rowOrder, columnTotals, columnOrder, filter, relativeTo] = rest;
  return {
    sides: [rowFields, columnFields],
    values,
    headers,
    filter,
    down: { totals: rowTotals, order: rowOrder },
    across: { totals: columnTotals, order: columnOrder },
    relativeTo,
  };
}

/** A summary with groups on two sides. */
interface Pivot {
  readonly records: Records;
  readonly columns: readonly ValueColumn[];
  readonly down: readonly GroupLine[];
  readonly across: readonly GroupLine[];
  /** Of what values are a share: 0 and 3 of their column, 1 and 4 of their row, 2 of all. */
  readonly relativeTo: number;
}

function pivotOf(
  records: Records,
  given: PivotArguments,
  functions: readonly Summing[],
  scope: Scope,
): Pivot | CellError {
  const columns = valueColumns(records, functions, scope);
  const down = sideLines(records, 0, columns, given.down, scope);
  if (down instanceof CellError) return down;
  const across = sideLines(records, 1, columns, given.across, scope);
  if (across instanceof CellError) return across;
  const relative = numbersGiven(given.relativeTo, scope);
  if (relative instanceof CellError) return relative;
  return { records, columns, down, across, relativeTo: relative[0] ?? 0 };
}

/** A row for each field of the columns, and one of what the values are called where there are several. */
function headersOf({ records, columns, across }: Pivot): Scalar[][] {
  const names = fieldNames(records, 0);
  const corner = names.map(() => '');
  const fields = records.sides[1]?.columns ?? 0;
  const rows: Scalar[][] = Array.from({ length: fields }, (_, field) =>
    across.flatMap(({ labels }) => columns.map(() => labels[field] ?? '')),
  );
  if (columns.length > 1) rows.push(across.flatMap(() => columns.map(({ header }) => header)));
  const last = rows.length - 1;
  return rows.map((row, at) => [...(at === last ? names : corner), ...row]);
}

function bodyOf(pivot: Pivot, scope: Scope): Scalar[][] {
  const lines = pivot.across.map((line) => ({ line, holds: new Set(line.records) }));
  return pivot.down.map((row) => {
    const values = lines.flatMap(({ line, holds }) => {
      scope.host.spend(row.records.length);
      const common = filterLooking(row.records, (record) => holds.has(record), scope.host.spend);
      return crossing(pivot, row, line, common);
    });
    return [...row.labels, ...values];
  });
}

/** The values of records that are in a row and in a column; nothing where there are none. */
function crossing(
  { records, columns, relativeTo }: Pivot,
  row: GroupLine,
  column: GroupLine,
  common: readonly number[],
): Scalar[] {
  if (common.length === 0) return columns.map(() => '');
  const ofRow = relativeTo % 3 === 1;
  const whole = relativeTo === 2 ? records.rows : (ofRow ? row : column).records;
  return columns.map(({ sum }) => sum(common, whole));
}
