import { isGrid } from '../grids.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../limits.ts';
import { readR1C1Ref } from '../syntax/formula-library.ts';
import { type Area, CellError, ERROR, type Grid, Union, type Value } from '../values.ts';
import { type Host, plainValue, type Result, type Surroundings } from './compiler.ts';
import { areaFrom, type Cell, readReferences, sheetsOf } from './references.ts';

/** The range operator: the smallest area that contains both references, as A1:B2 for A1 and B2. */
export function spanReferences(left: Result, right: Result, host: Host): Value {
  const [a, b] = [areaOf(left), areaOf(right)];
  if (a === undefined || b === undefined) return missing(left, right);
  if (a.sheet !== b.sheet) return ERROR['#REF!'];
  return host.reference({
    sheet: a.sheet,
    top: Math.min(a.top, b.top),
    left: Math.min(a.left, b.left),
    bottom: Math.max(a.bottom, b.bottom),
    right: Math.max(a.right, b.right),
  });
}

/** The intersection operator; #NULL! when the references are disjoint. */
export function intersectReferences(left: Result, right: Result, host: Host): Value {
  const areas = areasOf(left).flatMap((a) => areasOf(right).flatMap((b) => common(a, b)));
  if (areas.length === 0)
    return areasOf(left).length * areasOf(right).length === 0 ? missing(left, right) : ERROR['#NULL!'];
  return referenceTo(areas, host);
}

/** The union operator. */
export function uniteReferences(left: Result, right: Result, host: Host): Value {
  const [a, b] = [areasOf(left), areasOf(right)];
  return a.length === 0 || b.length === 0 ? missing(left, right) : referenceTo([...a, ...b], host);
}

/** A grid for one area, a union for several. */
export function referenceTo(areas: readonly Area[], host: Host): Value {
  const grids = areas.map((area) => host.reference(area));
  const [first] = grids;
  if (first === undefined) return ERROR['#REF!'];
  return grids.length === 1 ? first : new Union(grids);
}

/** The value of a reference in the row or column of the cell; the first value of an array. */
export function implicitIntersection(grid: Grid, cell: { row: number; column: number }): Value {
  const { area } = grid;
  if (area === undefined || (grid.rows === 1 && grid.columns === 1)) return grid.at(0, 0);
  if (grid.columns === 1 && cell.row >= area.top && cell.row <= area.bottom)
    return grid.at(cell.row - area.top, 0);
  if (grid.rows === 1 && cell.column >= area.left && cell.column <= area.right) {
    return grid.at(0, cell.column - area.left);
  }
  return ERROR['#VALUE!'];
}

/** What an operator of references shows for operands of which one is none. */
function missing(...operands: readonly Result[]): CellError {
  return operands.find((operand) => operand instanceof CellError) ?? ERROR['#VALUE!'];
}

function areaOf(value: Result): Area | undefined {
  return areasOf(value).length === 1 ? areasOf(value)[0] : undefined;
}

function areasOf(value: Result): readonly Area[] {
  if (value instanceof Union) return value.grids.flatMap((grid) => grid.area ?? []);
  if (isGrid(value as Value)) return (value as Grid).area === undefined ? [] : [(value as Grid).area as Area];
  return [];
}

function common(a: Area, b: Area): Area[] {
  const area = {
    sheet: a.sheet,
    top: Math.max(a.top, b.top),
    left: Math.max(a.left, b.left),
    bottom: Math.min(a.bottom, b.bottom),
    right: Math.min(a.right, b.right),
  };
  return a.sheet === b.sheet && area.top <= area.bottom && area.left <= area.right ? [area] : [];
}

/** Longer than the longest quoted sheet name with the longest name after it. */
const MAX_LENGTH = 400;

/** Parses a reference as INDIRECT does; #REF! for an invalid reference, an external one, or an unknown sheet. */
export function referenceOf(
  text: string,
  notation: 'A1' | 'R1C1',
  host: Host,
  surroundings: Surroundings,
): Value {
  const { cell } = host;
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return ERROR['#REF!'];
  const areas =
    notation === 'A1' ? areasInA1(trimmed, cell, surroundings) : areasInR1C1(trimmed, cell, surroundings);
  if (areas.length > 0) return referenceTo(areas, host);
  const named = surroundings.findName(trimmed, cell.sheet);
  const value = plainValue(named?.code({ host, ...cell, locals: [], depth: 0 }) ?? null);
  return value instanceof Union || (isGrid(value) && value.area !== undefined) ? value : ERROR['#REF!'];
}

/** INDIRECT accepts leading zeros in row numbers. */
function withoutZeros(text: string): string {
  const cells = Math.max(text.lastIndexOf('!'), text.lastIndexOf("'")) + 1;
  return text.slice(0, cells) + text.slice(cells).replace(/(^|[:$A-Za-z])0+(?=\d)/g, '$1');
}

function areasInA1(text: string, cell: Cell, { findSheet }: Surroundings): readonly Area[] {
  return readReferences(withoutZeros(text), cell, findSheet).map((reference) => areaFrom(reference, cell));
}

interface Corner {
  readonly at: number | null | undefined;
  readonly fixed: boolean | null | undefined;
}

function areasInR1C1(text: string, cell: Cell, { findSheet }: Surroundings): readonly Area[] {
  const parsed = readR1C1Ref(text, { allowNamed: false });
  if (parsed === undefined || !('range' in parsed) || text.includes('[[')) return [];
  const { range, context } = parsed;
  const row = (at: Corner['at'], fixed: Corner['fixed'], open: number) =>
    absoluteIndex({ at, fixed }, cell.row, open);
  const column = (at: Corner['at'], fixed: Corner['fixed'], open: number) =>
    absoluteIndex({ at, fixed }, cell.column, open);
  const [r0, r1] = [
    row(range.r0, range.$r0, 0),
    row(range.r1 ?? range.r0, range.$r1 ?? range.$r0, MAX_ROWS - 1),
  ];
  const [c0, c1] = [
    column(range.c0, range.$c0, 0),
    column(range.c1 ?? range.c0, range.$c1 ?? range.$c0, MAX_COLUMNS - 1),
  ];
  if (Math.min(r0, r1, c0, c1) < 0 || Math.max(r0, r1) >= MAX_ROWS || Math.max(c0, c1) >= MAX_COLUMNS)
    return [];
  const corners = {
    top: Math.min(r0, r1),
    left: Math.min(c0, c1),
    bottom: Math.max(r0, r1),
    right: Math.max(c0, c1),
  };
  return sheetsOf(context ?? [], findSheet).map((sheet) => ({ sheet: sheet ?? cell.sheet, ...corners }));
}

function absoluteIndex({ at, fixed }: Corner, base: number, open: number): number {
  if (at === null || at === undefined) return open;
  return fixed === true ? at : base + at;
}
