import { MAX_COLUMNS, MAX_ROWS } from '../limits.ts';
import { readA1Ref } from '../syntax/formula-library.ts';
import type { Area } from '../values.ts';

/** A row or column: absolute, or relative to the cell of the formula. */
interface Coordinate {
  readonly fixed: boolean;
  readonly at: number;
}

/** An area as written in a formula, before it is applied to a cell. */
export interface Reference {
  /** Absent for the formula's own sheet. */
  readonly sheet: number | undefined;
  readonly top: Coordinate;
  readonly left: Coordinate;
  readonly bottom: Coordinate;
  readonly right: Coordinate;
}

export interface Cell {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

/** Finds the index of a sheet by name; undefined for an unknown or external sheet. */
export type SheetFinder = (name: string) => number | undefined;

/** Parses a reference in a cell; empty for an unknown sheet, several for a 3-D reference. */
export function readReferences(text: string, base: Cell, findSheet: SheetFinder): readonly Reference[] {
  const parsed = readA1Ref(text, { allowNamed: false });
  if (parsed === undefined || !('range' in parsed) || text.includes('[')) return [];
  const { range, context } = parsed;
  const row = (at: number | null | undefined, fixed: boolean | null | undefined, open: number): Coordinate =>
    coordinate(at, fixed, open, base.row);
  const column = (
    at: number | null | undefined,
    fixed: boolean | null | undefined,
    open: number,
  ): Coordinate => coordinate(at, fixed, open, base.column);
  const corners = {
    top: row(range.top, range.$top, 0),
    left: column(range.left, range.$left, 0),
    bottom: row(range.bottom, range.$bottom, MAX_ROWS - 1),
    right: column(range.right, range.$right, MAX_COLUMNS - 1),
  };
  return sheetsOf(context ?? [], findSheet).map((sheet) => ({ sheet, ...corners }));
}

function coordinate(
  at: number | null | undefined,
  fixed: boolean | null | undefined,
  open: number,
  base: number,
): Coordinate {
  if (at === null || at === undefined) return { fixed: true, at: open };
  return fixed === true ? { fixed, at } : { fixed: false, at: at - base };
}

/** The sheets of a prefix in order; undefined is the formula's own sheet, an empty list an unknown one. */
export function sheetsOf(
  context: readonly string[],
  findSheet: SheetFinder,
): readonly (number | undefined)[] {
  const [name] = context;
  if (name === undefined) return [undefined];
  if (context.length > 1) return [];
  const sheet = findSheet(name);
  if (sheet !== undefined) return [sheet];
  const [first, last] = name.split(':').map(findSheet);
  if (first === undefined || last === undefined) return [];
  return Array.from({ length: Math.abs(last - first) + 1 }, (_, at) => Math.min(first, last) + at);
}

/**
 * The area of a reference for a cell. Relative references wrap at the edges of the sheet, as those of names do in
 * Excel.
 */
export function areaFrom(reference: Reference, cell: Cell): Area {
  const top = absoluteIndex(reference.top, cell.row, MAX_ROWS);
  const bottom = absoluteIndex(reference.bottom, cell.row, MAX_ROWS);
  const left = absoluteIndex(reference.left, cell.column, MAX_COLUMNS);
  const right = absoluteIndex(reference.right, cell.column, MAX_COLUMNS);
  return {
    sheet: reference.sheet ?? cell.sheet,
    top: Math.min(top, bottom),
    left: Math.min(left, right),
    bottom: Math.max(top, bottom),
    right: Math.max(left, right),
  };
}

function absoluteIndex(coordinate: Coordinate, base: number, limit: number): number {
  if (coordinate.fixed) return coordinate.at;
  const at = base + coordinate.at;
  return at < 0 ? at + limit : at >= limit ? at - limit : at;
}
