import { MAX_COLUMNS, MAX_ROWS } from '../limits.ts';
import { readA1Ref } from '../syntax/formula-library.ts';
import type { Area } from '../values.ts';

/** A row or a column: fixed, or so far from the cell of the formula. */
interface Place {
  readonly fixed: boolean;
  readonly at: number;
}

/** An area as a formula names it, before it stands in a cell. */
export interface Reference {
  /** Absent of what is on the formula's own sheet. */
  readonly sheet: number | undefined;
  readonly top: Place;
  readonly left: Place;
  readonly bottom: Place;
  readonly right: Place;
}

export interface Cell {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

/** The sheets that a prefix names: one, or all from one to another; undefined when there is none or it is in another file. */
export type SheetFinder = (name: string) => number | undefined;

/** Reads a reference that stands in a cell; empty when its sheet is unknown. Several of one that goes through sheets. */
export function readReferences(text: string, base: Cell, findSheet: SheetFinder): readonly Reference[] {
  const parsed = readA1Ref(text, { allowNamed: false });
  if (parsed === undefined || !('range' in parsed) || text.includes('[')) return [];
  const { range, context } = parsed;
  const row = (at: number | null | undefined, fixed: boolean | null | undefined, open: number): Place =>
    place(at, fixed, open, base.row);
  const column = (at: number | null | undefined, fixed: boolean | null | undefined, open: number): Place =>
    place(at, fixed, open, base.column);
  const corners = {
    top: row(range.top, range.$top, 0),
    left: column(range.left, range.$left, 0),
    bottom: row(range.bottom, range.$bottom, MAX_ROWS - 1),
    right: column(range.right, range.$right, MAX_COLUMNS - 1),
  };
  return sheetsOf(context ?? [], findSheet).map((sheet) => ({ sheet, ...corners }));
}

function place(
  at: number | null | undefined,
  fixed: boolean | null | undefined,
  open: number,
  base: number,
): Place {
  if (at === null || at === undefined) return { fixed: true, at: open };
  return fixed === true ? { fixed, at } : { fixed: false, at: at - base };
}

/** The sheets that a prefix names, in order; undefined is the formula's own, none are unknown. */
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

/** Where a reference points from a cell. Beyond an edge of the sheet it comes in again at the other, as names do in Excel. */
export function areaFrom(reference: Reference, cell: Cell): Area {
  const top = placed(reference.top, cell.row, MAX_ROWS);
  const bottom = placed(reference.bottom, cell.row, MAX_ROWS);
  const left = placed(reference.left, cell.column, MAX_COLUMNS);
  const right = placed(reference.right, cell.column, MAX_COLUMNS);
  return {
    sheet: reference.sheet ?? cell.sheet,
    top: Math.min(top, bottom),
    left: Math.min(left, right),
    bottom: Math.max(top, bottom),
    right: Math.max(left, right),
  };
}

function placed(place: Place, base: number, limit: number): number {
  if (place.fixed) return place.at;
  const at = base + place.at;
  return at < 0 ? at + limit : at >= limit ? at - limit : at;
}
