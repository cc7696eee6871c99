import { isGrid } from '../grids.ts';
import { type Area, ERROR, type Grid, Union, type Value } from '../values.ts';
import type { Host, Result } from './code.ts';

/** The smallest area that holds both references, as A1:B2 means of A1 and B2. */
export function spanned(left: Result, right: Result, host: Host): Value {
  const [a, b] = [areaOf(left), areaOf(right)];
  if (a === undefined || b === undefined) return ERROR['#VALUE!'];
  if (a.sheet !== b.sheet) return ERROR['#REF!'];
  return host.reference({
    sheet: a.sheet,
    top: Math.min(a.top, b.top),
    left: Math.min(a.left, b.left),
    bottom: Math.max(a.bottom, b.bottom),
    right: Math.max(a.right, b.right),
  });
}

/** What two references have in common; #NULL! when nothing. */
export function intersected(left: Result, right: Result, host: Host): Value {
  const areas = areasOf(left).flatMap((a) => areasOf(right).flatMap((b) => common(a, b)));
  if (areas.length === 0)
    return areasOf(left).length * areasOf(right).length === 0 ? ERROR['#VALUE!'] : ERROR['#NULL!'];
  return referenceTo(areas, host);
}

/** Several references as one. */
export function united(left: Result, right: Result, host: Host): Value {
  const [a, b] = [areasOf(left), areasOf(right)];
  return a.length === 0 || b.length === 0 ? ERROR['#VALUE!'] : referenceTo([...a, ...b], host);
}

/** One grid of one area, a union of several. */
export function referenceTo(areas: readonly Area[], host: Host): Value {
  const grids = areas.map((area) => host.reference(area));
  const [first] = grids;
  if (first === undefined) return ERROR['#REF!'];
  return grids.length === 1 ? first : new Union(grids);
}

/** The value of a reference in the row or the column of the cell, of an array its first. */
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
