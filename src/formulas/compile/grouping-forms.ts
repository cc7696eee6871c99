import { gridOf } from '../grids.ts';
import type { SyntaxNode } from '../syntax/parse.ts';
import { CellError, type Scalar, type Value } from '../values.ts';
import type { Code, Result, Scope } from './code.ts';
import type { Compiler } from './compiler.ts';
import { type Grouping, type GroupLine, linesOf } from './group-lines.ts';
import { fieldsOf, type Records, recordsOf, summed } from './grouped-records.ts';
import { argumentCodes, numbersGiven, type Summing, summingOf } from './grouping-arguments.ts';

/** Sums up records by what its arguments came to. */
type Summary = (results: readonly Result[], functions: readonly Summing[], scope: Scope) => Value;

/** The functions that sum up records in groups, each group by a function that is given. */
export const GROUPING_FORMS: Readonly<
  Record<string, (args: readonly (SyntaxNode | null)[], within: Compiler) => Code>
> = { GROUPBY: form(2, 8, groupBy), PIVOTBY: form(3, 11, pivotBy) };

function form(functionAt: number, most: number, compute: Summary) {
  return (args: readonly (SyntaxNode | null)[], within: Compiler): Code => {
    const { codes, functions } = argumentCodes(args, functionAt, most, within);
    return (scope) => {
      const found = summingOf(functions, scope);
      if (found instanceof CellError) return found;
      return compute(
        codes.map((code) => code(scope)),
        found,
        scope,
      );
    };
  };
}

/** One column of values: of which column, summed up by which function. */
interface ValueColumn {
  readonly column: number;
  readonly summing: Summing;
}

function valueColumns({ values }: Records, functions: readonly Summing[]): ValueColumn[] {
  return functions.flatMap((summing) =>
    Array.from({ length: values.columns }, (_, column) => ({ column, summing })),
  );
}

function headerOf(records: Records, { column, summing }: ValueColumn, functions: readonly Summing[]): Scalar {
  return functions.length > 1 ? summing.name : records.header(records.values, column, `Value ${column + 1}`);
}

function groupBy(results: readonly Result[], functions: readonly Summing[], scope: Scope): Value {
  const [rowFields, values, , headers, totals, order, filter, relation] = results;
  const records = recordsOf([rowFields ?? null], values, headers, filter, scope);
  if (records instanceof CellError) return records;
  const columns = valueColumns(records, functions);
  const cell = (rows: readonly number[], { column, summing }: ValueColumn) =>
    summed(summing, records.values, column, rows, records.rows, scope);
  const lines = sideLines(
    records,
    0,
    { totals, order, relation },
    (rows, at) => cell(rows, columns[at] as ValueColumn),
    scope,
  );
  if (lines instanceof CellError) return lines;
  const table = lines.map(({ labels, records: rows }) => [
    ...labels,
    ...columns.map((one) => cell(rows, one)),
  ]);
  const names = columns.map((one) => headerOf(records, one, functions));
  const shows = records.showsHeaders || functions.length > 1;
  return gridOf(shows ? [[...fieldNames(records, 0), ...names], ...table] : table);
}

interface SideArguments {
  readonly totals: Result | undefined;
  readonly order: Result | undefined;
  readonly relation?: Result | undefined;
}

/** The lines of one side; as they are asked for, or with all totals that there can be. */
function sideLines(
  { sides, rows }: Records,
  side: number,
  given: SideArguments,
  totalOf: Grouping['totalOf'],
  scope: Scope,
): readonly GroupLine[] | CellError {
  const [totals, order, relation] = [given.totals, given.order, given.relation].map((one) =>
    numbersGiven(one, scope),
  );
  if (totals instanceof CellError || totals === undefined) return totals ?? [];
  if (order instanceof CellError || order === undefined) return order ?? [];
  if (relation instanceof CellError) return relation;
  const grid = sides[side];
  if (grid === undefined) return [];
  const isTable = relation?.[0] === 1;
  const depth = totals[0] ?? (grid.columns > 1 && !isTable ? 2 : 1);
  const keys = (row: number) => fieldsOf(grid, row);
  return linesOf(rows, {
    keys,
    fields: grid.columns,
    totals: isTable ? Math.sign(depth) : depth,
    order,
    totalOf,
  });
}

function fieldNames({ sides, header, showsHeaders }: Records, side: number): Scalar[] {
  const grid = sides[side];
  return Array.from({ length: grid?.columns ?? 0 }, (_, column) =>
    grid === undefined || !showsHeaders ? '' : (header(grid, column, `Row Field ${column + 1}`) ?? ''),
  );
}

function pivotBy(results: readonly Result[], functions: readonly Summing[], scope: Scope): Value {
  const [
    rowFields,
    columnFields,
    values,
    ,
    headers,
    rowTotals,
    rowOrder,
    columnTotals,
    columnOrder,
    filter,
    relative,
  ] = results;
  const records = recordsOf([rowFields ?? null, columnFields ?? null], values, headers, filter, scope);
  if (records instanceof CellError) return records;
  const columns = valueColumns(records, functions);
  const whole = (rows: readonly number[], at: number) => {
    const { column, summing } = columns[at] as ValueColumn;
    return summed(summing, records.values, column, rows, records.rows, scope);
  };
  const down = sideLines(records, 0, { totals: rowTotals, order: rowOrder }, whole, scope);
  if (down instanceof CellError) return down;
  const across = sideLines(records, 1, { totals: columnTotals, order: columnOrder }, whole, scope);
  if (across instanceof CellError) return across;
  const relatives = numbersGiven(relative, scope);
  if (relatives instanceof CellError) return relatives;
  const [to = 0] = relatives;
  const lines = across.map((line) => ({ line, holds: new Set(line.records) }));
  const cells = down.map((row) => [
    ...row.labels,
    ...lines.flatMap((line) => crossing(records, row, line, columns, to, scope)),
  ]);
  return gridOf([...columnHeaders(records, across, columns, functions), ...cells]);
}

/** The values of records that are in a row and in a column; nothing where there are none. */
function crossing(
  records: Records,
  row: GroupLine,
  { line, holds }: { line: GroupLine; holds: ReadonlySet<number> },
  columns: readonly ValueColumn[],
  relativeTo: number,
  scope: Scope,
): Scalar[] {
  const common = row.records.filter((record) => holds.has(record));
  scope.host.spend(row.records.length);
  // 0 and 3 ask for a share of the column, 1 and 4 of the row, 2 of all.
  const whole = relativeTo === 2 ? records.rows : relativeTo % 3 === 1 ? row.records : line.records;
  return columns.map(({ column, summing }) =>
    common.length === 0 ? '' : summed(summing, records.values, column, common, whole, scope),
  );
}

/** A row for each field of the columns, and one of what the values are called where there are several. */
function columnHeaders(
  records: Records,
  across: readonly GroupLine[],
  columns: readonly ValueColumn[],
  functions: readonly Summing[],
): Scalar[][] {
  const names = fieldNames(records, 0);
  const corner = names.map(() => '');
  const fields = records.sides[1]?.columns ?? 0;
  const rows: Scalar[][] = Array.from({ length: fields }, (_, field) => [
    ...corner,
    ...across.flatMap(({ labels }) => columns.map(() => labels[field] ?? '')),
  ]);
  if (columns.length > 1) {
    rows.push([...corner, ...across.flatMap(() => columns.map((one) => headerOf(records, one, functions)))]);
  }
  return records.showsHeaders
    ? [...rows.slice(0, -1), [...names, ...(rows.at(-1) ?? []).slice(names.length)]]
    : rows;
}
