import { logicalOf, numberOf } from '../conversions.ts';
import { eachPlace, gridOf, isGrid, makeGrid } from '../grids.ts';
import { compareValues } from '../operators.ts';
import { filterLooking, lookingUp, mapLooking, type Spend } from '../spending.ts';
import { FormulaSyntaxError, type SyntaxNode } from '../syntax/parse.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../values.ts';
import {
  type Code,
  type Compiler,
  isScalar,
  Lambda,
  operandOf,
  plainValue,
  type Result,
  type Scope,
  settled,
} from './compiler.ts';
import { apply } from './lambda-forms.ts';

/** A function that sums up the values of a group, and what its column is called. */
export interface Summing {
  readonly lambda: Lambda;
  readonly name: string;
}

/** The codes of arguments, of which one may be several functions side by side: HSTACK(SUM,COUNT). */
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

/** The functions that were given; an error where one is none. */
export function summingOf(
  functions: readonly { code: Code; name: string }[],
  scope: Scope,
): readonly Summing[] | CellError {
  const found: Summing[] = [];
  for (const { code, name } of functions) {
    const lambda = code(scope);
    if (lambda instanceof CellError) return lambda;
    if (!(lambda instanceof Lambda)) return ERROR['#VALUE!'];
    found.push({ lambda, name });
  }
  return found;
}

/** An argument as a grid whose cells are known; undefined of one left out. */
function gridGiven(result: Result | undefined, scope: Scope): Grid | CellError | undefined {
  const value = plainValue(result ?? null);
  if (value === null) return undefined;
  if (value instanceof CellError) return value;
  if (isGrid(value)) return settled(value, scope.host);
  return typeof value === 'object' ? ERROR['#VALUE!'] : gridOf([[value]], scope.host.spend);
}

/** Whole numbers of an argument, in their order; none of one left out. */
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

/** Which records count, by an array of truth values as long as there are records. */
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
  const logicals = mapLooking(values, logicalOf, scope.host.spend);
  const error = logicals.find((one) => one instanceof CellError);
  return error ?? ((record) => logicals[record] === true);
}

function valuesOf(grid: Grid, { host }: Scope): Scalar[] {
  const values: Scalar[] = [];
  eachPlace(
    { rows: grid.usedRows, columns: grid.columns, at: (row, column) => grid.at(row, column) },
    (value) => values.push(value),
    host.spend,
  );
  return values;
}

/** Records to sum up: the fields of each by one or two sides, their values, and what is called what. */
export interface Records {
  readonly sides: readonly Grid[];
  readonly values: Grid;
  /** The rows that are records and count. */
  readonly rows: readonly number[];
  readonly showsHeaders: boolean;
  /** What a column is called: by the first row where that has headers. */
  header(grid: Grid, column: number, otherwise: string): Scalar;
}

/** Reads the fields of records and their values, which have as many rows. */
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
  const asked = numbersGiven(headers, scope);
  if (asked instanceof CellError) return asked;
  const { has, shows } = headersOf(asked[0], table, grids);
  const used = Math.max(...[...grids, table].map((grid) => grid.usedRows));
  const counts = filterGiven(filter, table.rows, scope);
  if (counts instanceof CellError) return counts;
  scope.host.spend(used * (table.columns + grids.length));
  const places = Array.from({ length: used }, (_, row) => row);
  const counted = (row: number) => (row > 0 || !has) && counts(row);
  const rows = filterLooking(places, counted, scope.host.spend);
  if (rows.length === 0) return ERROR['#CALC!'];
  const header = (grid: Grid, column: number, otherwise: string) => (has ? grid.at(0, column) : otherwise);
  return { sides: grids, values: table, rows, showsHeaders: shows, header };
}

/** 0 no headers, 1 there are and they are not shown, 2 there are none and some are made, 3 there are and are shown. */
function headersOf(
  asked: number | undefined,
  values: Grid,
  sides: readonly Grid[],
): { has: boolean; shows: boolean } {
  if (asked !== undefined) return { has: asked === 1 || asked === 3, shows: asked === 2 || asked === 3 };
  const has = typeof values.at(0, 0) === 'string' && typeof values.at(1, 0) === 'number';
  return { has, shows: has && sides.some((side) => side.columns > 1) };
}

/** The fields of a record on one side. */
export function fieldsOf(side: Grid, row: number): Scalar[] {
  return Array.from({ length: side.columns }, (_, column) => side.at(row, column) ?? '');
}

/** What a function makes of a column of values of some records; one that wants two arguments gets those of a whole too. */
export function summed(
  { lambda }: Summing,
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

/** A row, or a column, of a summary: what it is called, and the records that it sums up. */
export interface GroupLine {
  readonly labels: readonly Scalar[];
  readonly records: readonly number[];
  /** How many fields its records have in common: none in the line of all. */
  readonly level: number;
}

/** How records are grouped along one side of a summary. */
interface Grouping {
  /** The fields of a record by which it is grouped, the widest first. */
  readonly keys: (record: number) => readonly Scalar[];
  readonly fields: number;
  /** 1 asks for the line of all, 2 for those of the widest groups too, and so on; negative ones stand on top. */
  readonly totals: number;
  /** Fields from 1 on, and behind them values, to sort by; negative ones fall. */
  readonly order: readonly number[];
  /** What groups come to, by which they may be sorted. */
  readonly totalOf: (records: readonly number[], value: number) => Scalar;
  readonly spend: Spend;
}

/** The lines of a summary in their order, with those of totals. */
export function linesOf(records: readonly number[], grouping: Grouping): GroupLine[] {
  const { fields, totals } = grouping;
  const lines = within(records, [], grouping);
  if (totals === 0) return lines;
  const name = Math.abs(totals) > 1 && fields > 1 ? 'Grand Total' : 'Total';
  const all = { labels: filled([name], fields), records, level: 0 };
  return totals < 0 ? [all, ...lines] : [...lines, all];
}

/** The lines of records that have their first fields in common. */
function within(records: readonly number[], common: readonly Scalar[], grouping: Grouping): GroupLine[] {
  const { fields, totals, keys, spend } = grouping;
  const level = common.length;
  if (level === fields) return [{ labels: common, records, level }];
  const groups = new Map<Scalar, { key: Scalar; records: number[] }>();
  const look = lookingUp(spend);
  for (const record of records) {
    look();
    const key = keys(record)[level] ?? '';
    const known = typeof key === 'string' ? key.toLowerCase() : key;
    const group = groups.get(known) ?? { key, records: [] };
    groups.set(known, group);
    group.records.push(record);
  }
  return sorted([...groups.values()], level, grouping).flatMap((group) => {
    look();
    const labels = [...common, group.key];
    const lines = within(group.records, labels, grouping);
    if (labels.length === fields || Math.abs(totals) <= labels.length) return lines;
    const total = { labels: filled(labels, fields), records: group.records, level: labels.length };
    return totals < 0 ? [total, ...lines] : [...lines, total];
  });
}

function filled(labels: readonly Scalar[], fields: number): Scalar[] {
  return [...labels, ...new Array<Scalar>(fields - labels.length).fill('')];
}

interface Group {
  readonly key: Scalar;
  readonly records: readonly number[];
}

/** Groups of one field in the order that is asked for: by a value, or by their own key. */
function sorted(
  groups: Group[],
  level: number,
  { order, fields, totalOf, spend }: Grouping,
): readonly Group[] {
  const by = order.find((one) => Math.abs(one) > fields);
  const own = order.find((one) => Math.abs(one) === level + 1) ?? 1;
  const totalled = ({ records }: Group) =>
    by === undefined ? null : totalOf(records, Math.abs(by) - fields - 1);
  const keyed = mapLooking(groups, (group) => ({ group, value: totalled(group) }), spend);
  const look = lookingUp(spend);
  keyed.sort((a, b) => {
    look();
    return (
      Math.sign(by ?? 1) * compare(a.value, b.value) || Math.sign(own) * compare(a.group.key, b.group.key)
    );
  });
  return mapLooking(keyed, ({ group }) => group, spend);
}

/** Errors come last, and are not told apart. */
function compare(a: Scalar, b: Scalar): number {
  if (a instanceof CellError || b instanceof CellError)
    return Number(a instanceof CellError) - Number(b instanceof CellError);
  return compareValues(a, b);
}
