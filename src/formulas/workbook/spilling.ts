import { KIND, SPILLED } from '../cells/kinds.ts';
import { type Area, ERROR, type Grid } from '../values.ts';
import type { Book } from './book.ts';
import type { Staleness } from './staleness.ts';

/** Whether an array found room. One that did not is told of what it must wait for. */
export type Spilled = { readonly area: Area } | { readonly blockedIn: readonly Area[] };

/**
 * Writes an array below and to the right of its cell. What is in the way blocks it, but for an array that spilled from a
 * later cell: that one has to give way, so that the outcome does not depend on who came first.
 */
export function spill(formula: number, grid: Grid, book: Book, staleness: Staleness): Spilled {
  const { sheet, row, column } = book.cellOf(formula);
  const area = {
    sheet,
    top: row,
    left: column,
    bottom: row + grid.rows - 1,
    right: column + grid.columns - 1,
  };
  const others = new Set<number>();
  if (!findOthers(area, formula, book, others)) return { blockedIn: withoutAnchor(area) };
  for (const other of others) staleness.formulaChanged(other);
  write(formula, grid, area, book);
  book.spills.set(formula, area);
  return { area };
}

/** Gathers the arrays that must give way; false when something is in the way for good. */
function findOthers(area: Area, formula: number, book: Book, others: Set<number>): boolean {
  for (const [, cells] of book.sheet(area.sheet).columns(area.left, area.right)) {
    for (let slot = cells.from(area.top); slot < cells.count; slot++) {
      if ((cells.rows[slot] as number) > area.bottom) break;
      const [kind, owner] = [cells.kinds[slot] as number, cells.formulas[slot] as number];
      if (owner === formula || (kind === KIND.empty && owner < 0)) continue;
      if ((kind & SPILLED) === 0 || isBefore(owner, formula, book)) return false;
      others.add(owner);
    }
  }
  return true;
}

/** Row by row, as one reads. */
function isBefore(one: number, other: number, book: Book): boolean {
  const [a, b] = [book.cellOf(one), book.cellOf(other)];
  return a.row < b.row || (a.row === b.row && a.column < b.column);
}

/** All of an area but its first cell. */
function withoutAnchor({ sheet, top, left, bottom, right }: Area): Area[] {
  const areas: Area[] = [];
  if (right > left) areas.push({ sheet, top, left: left + 1, bottom: top, right });
  if (bottom > top) areas.push({ sheet, top: top + 1, left, bottom, right });
  return areas;
}

function write(formula: number, grid: Grid, area: Area, book: Book): void {
  const rows = Int32Array.from({ length: grid.rows }, (_, at) => area.top + at);
  for (let column = 0; column < grid.columns; column++) {
    const cells = book.sheet(area.sheet).ensure(area.left + column);
    cells.insert(rows);
    const first = cells.find(area.top);
    for (let row = 0; row < grid.rows; row++) {
      const slot = first + row;
      cells.put(slot, grid.at(row, column) ?? 0);
      if (row + column === 0) continue;
      cells.kinds[slot] = (cells.kinds[slot] as number) | SPILLED;
      cells.formulas[slot] = formula;
    }
  }
}

/** Whether an array is what a formula has spilled already. */
export function isSpilled(formula: number, grid: Grid, book: Book): boolean {
  const area = book.spills.get(formula);
  if (area === undefined || area.bottom - area.top + 1 !== grid.rows) return false;
  if (area.right - area.left + 1 !== grid.columns) return false;
  for (let column = 0; column < grid.columns; column++) {
    const cells = book.sheet(area.sheet).ensure(area.left + column);
    const first = cells.find(area.top);
    for (let row = 0; row < grid.rows; row++) {
      if (cells.formulas[first + row] !== formula) return false;
      if (cells.value(first + row) !== (grid.at(row, column) ?? 0)) return false;
    }
  }
  return true;
}

/** What an array shows that finds no room. */
export const NO_ROOM = ERROR['#SPILL!'];
