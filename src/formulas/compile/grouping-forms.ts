import { gridOf } from '../grids.ts';
import { filterWithTicks, mapWithTicks } from '../steps.ts';
import type { SyntaxNode } from '../syntax/parse.ts';
import { CellError, ERROR, type Scalar, type Value } from '../values.ts';
import type { Code, Compiler, Result, Scope } from './compiler.ts';
import {
  type AggregateFunction,
  aggregateFunctions,
  applyAggregate,
  argumentCodes,
  fieldsOf,
  type GroupLine,
  linesOf,
  numbersGiven,
  type Records,
  recordsOf,
} from './grouped-records.ts';

/** A column of values aggregated by one function. */
interface ValueColumn {
  readonly header: Scalar;
  /** The aggregate of some records; functions of two arguments relate it to `whole`. */
  readonly sum: (records: readonly number[], whole?: readonly number[]) => Scalar;
}

/** All value columns for the first function, then for the next. */
function valueColumns(
  records: Records,
  functions: readonly AggregateFunction[],
  scope: Scope,
): readonly ValueColumn[] {
  const { values, header, rows: all } = records;
  return functions.flatMap((aggregate) =>
    Array.from({ length: values.columns }, (_, column) => ({
      header: functions.length > 1 ? aggregate.name : header(values, column, `Value ${column + 1}`),
      sum: (rows: readonly number[], whole = all) =>
        applyAggregate(aggregate, values, column, rows, whole, scope),
    })),
  );
}

/** The arguments for one side of a summary. */
interface SideArguments {
  readonly totals: Result | undefined;
  readonly order: Result | undefined;
  /** 1: the fields are columns of a table, without hierarchy. */
  readonly relation?: Result | undefined;
}

/** The lines of one side; by default with all possible totals. */
function sideLines(
  { sides, rows }: Records,
  side: number,
  columns: readonly ValueColumn[],
  given: SideArguments,
  scope: Scope,
): readonly GroupLine[] | CellError {
  const requested = sideNumbers(given, scope);
  const grid = sides[side];
  if (requested instanceof CellError || grid === undefined)
    return requested instanceof CellError ? requested : [];
  const { totals, order, isTable } = requested;
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

/** The titles of the fields of a side; empty when no headers are shown. */
function fieldNames({ sides, header, showsHeaders }: Records, side: number): Scalar[] {
  const grid = sides[side];
  return Array.from({ length: grid?.columns ?? 0 }, (_, column) =>
    grid === undefined || !showsHeaders ? '' : (header(grid, column, `Row Field ${column + 1}`) ?? ''),
  );
}

/** GROUPBY: a line for each group of records, with its labels and aggregates. */
function groupBy(results: readonly Result[], functions: readonly AggregateFunction[], scope: Scope): Value {
  const [rowFields = null, values, , headers, totals, order, filter, relation] = results;
  const records = recordsOf([rowFields], values, headers, filter, scope);
  if (records instanceof CellError) return records;
  const columns = valueColumns(records, functions, scope);
  const lines = sideLines(records, 0, columns, { totals, order, relation }, scope);
  if (lines instanceof CellError) return lines;
  const table = mapWithTicks(
    lines,
    (line) => [...line.labels, ...columns.map(({ sum }) => sum(line.records))],
    scope.host.spend,
  );
  const names = [...fieldNames(records, 0), ...columns.map(({ header }) => header)];
  return gridOf(records.showsHeaders || functions.length > 1 ? [names, ...table] : table, scope.host.spend);
}

/** PIVOTBY: groups of records in rows and columns, with an aggregate where they cross. */
function pivotBy(results: readonly Result[], functions: readonly AggregateFunction[], scope: Scope): Value {
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

/** The arguments in order; the function is the fourth. */
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
  /** The base of relative values: 0 and 3 the column, 1 and 4 the row, 2 all records. */
  readonly relativeTo: number;
}

function pivotOf(
  records: Records,
  given: PivotArguments,
  functions: readonly AggregateFunction[],
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

/** A row for each column field, and one for the value titles when there are several. */
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
      const common = filterWithTicks(row.records, (record) => holds.has(record), scope.host.spend);
      return crossing(pivot, row, line, common);
    });
    return [...row.labels, ...values];
  });
}

/** The aggregates of the records in both a row and a column; empty without any. */
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

/** Computes a summary from the argument results. */
type Summary = (results: readonly Result[], functions: readonly AggregateFunction[], scope: Scope) => Value;

/** The functions that group records and aggregate each group with a given function. */
export const GROUPING_FORMS: Readonly<
  Record<string, (args: readonly (SyntaxNode | null)[], within: Compiler) => Code>
> = { GROUPBY: form(2, 8, groupBy), PIVOTBY: form(3, 11, pivotBy) };

function form(functionAt: number, most: number, compute: Summary) {
  return (args: readonly (SyntaxNode | null)[], within: Compiler): Code => {
    const { codes, functions } = argumentCodes(args, functionAt, most, within);
    return (scope) => {
      const found = aggregateFunctions(functions, scope);
      if (found instanceof CellError) return found;
      return compute(
        codes.map((code) => code(scope)),
        found,
        scope,
      );
    };
  };
}
