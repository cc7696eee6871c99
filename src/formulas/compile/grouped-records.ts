import { logicalOf, numberOf } from '../conversions.ts';
import { eachCell, gridOf, isGrid, makeGrid } from '../grids.ts';
import { compareValues } from '../operators.ts';
import { clockTicker, filterWithTicks, mapWithTicks, type Spend } from '../steps.ts';
import { FormulaSyntaxError, type SyntaxNode } from '../syntax/parse.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../values.ts';
import {
  type Code,
  type Compiler,
  demandGrid,
  isScalar,
  Lambda,
  operandOf,
  plainValue,
  type Result,
  type Scope,
} from './compiler.ts';
import { apply } from './lambda-forms.ts';

/** A function that aggregates the values of a group, and its column title. */
export interface AggregateFunction {
  readonly lambda: Lambda;
  readonly name: string;
}

/** The codes of the arguments, and of the functions in the function argument: one, or several as HSTACK(SUM,COUNT). */
export function argumentCodes(
  args: readonly (SyntaxNode | null)[],
  functionAt: number,
  most: number,
  within: Compiler,
): { readonly codes: readonly Code[]; readonly functions: readonly { code: Code; name: string }[] } {
  if (args.length <= functionAt || args.length > most)
    throw new FormulaSyntaxError('wrong number of arguments');
  const given = args[functionAt] ?? null;
  const stack = given?.type === 'CallExpression' && given.callee.name.toUpperCase() === 'HSTACK';
  const functions = (stack ? given.arguments : [given]).map((node) => ({
    code: within.compile(node, within),
    name: node?.type === 'ReferenceIdentifier' ? node.value.toUpperCase() : 'LAMBDA',
  }));
  const codes = args.map((one, at) => (at === functionAt ? () => null : within.compile(one, within)));
  return { codes, functions };
}

/** The aggregate functions; an error when an argument is no function. */
export function aggregateFunctions(
  functions: readonly { code: Code; name: string }[],
  scope: Scope,
): readonly AggregateFunction[] | CellError {
  const found: AggregateFunction[] = [];
  for (const { code, name } of functions) {
    const lambda = code(scope);
    if (lambda instanceof CellError) return lambda;
    if (!(lambda instanceof Lambda)) return ERROR['#VALUE!'];
    found.push({ lambda, name });
  }
  return found;
}

/** An argument as a grid of computed cells; undefined for an omitted one. */
function gridGiven(result: Result | undefined, scope: Scope): Grid | CellError | undefined {
  const value = plainValue(result ?? null);
  if (value === null) return undefined;
  if (value instanceof CellError) return value;
  if (isGrid(value)) return demandGrid(value, scope.host);
  return typeof value === 'object' ? ERROR['#VALUE!'] : gridOf([[value]], scope.host.spend);
}

/** The integers of an argument in order; empty for an omitted one. */
export function numbersGiven(result: Result | undefined, scope: Scope): readonly number[] | CellError {
  const grid = gridGiven(result, scope);
  if (grid === undefined || grid instanceof CellError) return grid ?? [];
  const numbers: number[] = [];
  for (const value of valuesOf(grid, scope)) {
    const number = numberOf(value);
    if (number instanceof CellError) return number;
    numbers.push(Math.trunc(number));
  }
  return numbers;
}

/** A test for records by an array of logicals, which must have as many values as there are records. */
function filterGiven(
  result: Result | undefined,
  records: number,
  scope: Scope,
): ((record: number) => boolean) | CellError {
  const grid = gridGiven(result, scope);
  if (grid === undefined) return () => true;
  if (grid instanceof CellError) return grid;
  const values = valuesOf(grid, scope);
  if (values.length !== records) return ERROR['#VALUE!'];
  const logicals = mapWithTicks(values, logicalOf, scope.host.spend);
  const error = logicals.find((one) => one instanceof CellError);
  return error ?? ((record) => logicals[record] === true);
}

function valuesOf(grid: Grid, { host }: Scope): Scalar[] {
  const values: Scalar[] = [];
  eachCell(
    { rows: grid.usedRows, columns: grid.columns, at: (row, column) => grid.at(row, column) },
    (value) => values.push(value),
    host.spend,
  );
  return values;
}

/** The records to aggregate: the grouping fields of one or two sides, the values, and the titles. */
export interface Records {
  readonly sides: readonly Grid[];
  readonly values: Grid;
  /** The rows that are records and pass the filter. */
  readonly rows: readonly number[];
  readonly showsHeaders: boolean;
  /** The title of a column: from the first row if that holds headers. */
  header(grid: Grid, column: number, otherwise: string): Scalar;
}

/** Reads the fields and the values of records, which must have the same number of rows. */
export function recordsOf(
  sides: readonly Result[],
  values: Result | undefined,
  headers: Result | undefined,
  filter: Result | undefined,
  scope: Scope,
): Records | CellError {
  const grids: Grid[] = [];
  for (const one of [...sides, values]) {
    const grid = gridGiven(one, scope);
    if (grid === undefined || grid instanceof CellError) return grid ?? ERROR['#VALUE!'];
    grids.push(grid);
  }
  const table = grids.pop() as Grid;
  if (grids.some((grid) => grid.rows !== table.rows)) return ERROR['#VALUE!'];
  const requested = numbersGiven(headers, scope);
  if (requested instanceof CellError) return requested;
  const { has, shows } = headersOf(requested[0], table, grids);
  const used = Math.max(...[...grids, table].map((grid) => grid.usedRows));
  const counts = filterGiven(filter, table.rows, scope);
  if (counts instanceof CellError) return counts;
  scope.host.spend(used * (table.columns + grids.length));
  const rowIndexes = Array.from({ length: used }, (_, row) => row);
  const counted = (row: number) => (row > 0 || !has) && counts(row);
  const rows = filterWithTicks(rowIndexes, counted, scope.host.spend);
  if (rows.length === 0) return ERROR['#CALC!'];
  const header = (grid: Grid, column: number, otherwise: string) => (has ? grid.at(0, column) : otherwise);
  return { sides: grids, values: table, rows, showsHeaders: shows, header };
}

/** 0: no headers; 1: headers, not shown; 2: no headers, but generate them; 3: headers, shown. */
function headersOf(
  requested: number | undefined,
  values: Grid,
  sides: readonly Grid[],
): { has: boolean; shows: boolean } {
  if (requested !== undefined)
    return { has: requested === 1 || requested === 3, shows: requested === 2 || requested === 3 };
  const has = typeof values.at(0, 0) === 'string' && typeof values.at(1, 0) === 'number';
  return { has, shows: has && sides.some((side) => side.columns > 1) };
}

/** The grouping fields of a record on one side. */
export function fieldsOf(side: Grid, row: number): Scalar[] {
  return Array.from({ length: side.columns }, (_, column) => side.at(row, column) ?? '');
}

/**
 * Applies an aggregate function to a column of values of some records; a function of two arguments also gets the
 * values of `whole`.
 */
export function applyAggregate(
  { lambda }: AggregateFunction,
  values: Grid,
  column: number,
  records: readonly number[],
  whole: readonly number[],
  scope: Scope,
): Scalar {
  const columnOf = (rows: readonly number[]) =>
    makeGrid(
      { rows: rows.length, columns: 1 },
      (row) => values.at(rows[row] as number, column),
      scope.host.spend,
    );
  scope.host.spend(records.length);
  const given = lambda.wanted > 1 ? [columnOf(records), columnOf(whole)] : [columnOf(records)];
  const value = operandOf(apply(lambda, given, scope), scope.host);
  return isScalar(value) ? value : ERROR['#CALC!'];
}

/** A row or column of a summary: its labels and its records. */
export interface GroupLine {
  readonly labels: readonly Scalar[];
  readonly records: readonly number[];
  /** The number of fields that its records share: 0 in the total line. */
  readonly level: number;
}

/** How records are grouped on one side of a summary. */
interface Grouping {
  /** The grouping fields of a record, the outermost first. */
  readonly keys: (record: number) => readonly Scalar[];
  readonly fields: number;
  /**
   * 1 requests the grand total, 2 also the subtotals of the outermost groups, and so on; negative numbers put
   * totals on top.
   */
  readonly totals: number;
  /** The sort order: field numbers from 1, then value columns; negative numbers sort descending. */
  readonly order: readonly number[];
  /** The aggregate of a group, for sorting by value. */
  readonly totalOf: (records: readonly number[], value: number) => Scalar;
  readonly spend: Spend;
}

/** The lines of a summary in order, including totals. */
export function linesOf(records: readonly number[], grouping: Grouping): GroupLine[] {
  const { fields, totals } = grouping;
  const lines = nestedLines(records, [], grouping);
  if (totals === 0) return lines;
  const name = Math.abs(totals) > 1 && fields > 1 ? 'Grand Total' : 'Total';
  const all = { labels: padLabels([name], fields), records, level: 0 };
  return totals < 0 ? [all, ...lines] : [...lines, all];
}

/** The lines of records that share their first fields. */
function nestedLines(records: readonly number[], common: readonly Scalar[], grouping: Grouping): GroupLine[] {
  const { fields, totals, keys, spend } = grouping;
  const level = common.length;
  if (level === fields) return [{ labels: common, records, level }];
  const groups = new Map<Scalar, { key: Scalar; records: number[] }>();
  const tick = clockTicker(spend);
  for (const record of records) {
    tick();
    const key = keys(record)[level] ?? '';
    const known = typeof key === 'string' ? key.toLowerCase() : key;
    const group = groups.get(known) ?? { key, records: [] };
    groups.set(known, group);
    group.records.push(record);
  }
  return sortGroups([...groups.values()], level, grouping).flatMap((group) => {
    tick();
    const labels = [...common, group.key];
    const lines = nestedLines(group.records, labels, grouping);
    if (labels.length === fields || Math.abs(totals) <= labels.length) return lines;
    const total = { labels: padLabels(labels, fields), records: group.records, level: labels.length };
    return totals < 0 ? [total, ...lines] : [...lines, total];
  });
}

function padLabels(labels: readonly Scalar[], fields: number): Scalar[] {
  return [...labels, ...new Array<Scalar>(fields - labels.length).fill('')];
}

interface Group {
  readonly key: Scalar;
  readonly records: readonly number[];
}

/** Sorts groups of one field by a value or by their key. */
function sortGroups(
  groups: Group[],
  level: number,
  { order, fields, totalOf, spend }: Grouping,
): readonly Group[] {
  const by = order.find((one) => Math.abs(one) > fields);
  const own = order.find((one) => Math.abs(one) === level + 1) ?? 1;
  const totalled = ({ records }: Group) =>
    by === undefined ? null : totalOf(records, Math.abs(by) - fields - 1);
  const keyed = mapWithTicks(groups, (group) => ({ group, value: totalled(group) }), spend);
  const tick = clockTicker(spend);
  keyed.sort((a, b) => {
    tick();
    return (
      Math.sign(by ?? 1) * compare(a.value, b.value) || Math.sign(own) * compare(a.group.key, b.group.key)
    );
  });
  return mapWithTicks(keyed, ({ group }) => group, spend);
}

/** Errors sort last and compare equal. */
function compare(a: Scalar, b: Scalar): number {
  if (a instanceof CellError || b instanceof CellError)
    return Number(a instanceof CellError) - Number(b instanceof CellError);
  return compareValues(a, b);
}
