import type {
  Area,
  CellNote,
  ColumnLook,
  FrozenPanes,
  SheetLooks,
} from '../../../formats/workbooks/looks.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { COLUMNS, ROWS } from '../cells/a1.ts';
import { firstLineAfter, type LineStep, lastLineAfter, lineAfter } from '../structure/moved-filter.ts';

/**
 * The looks of a sheet after a step that inserts or removes lines. Areas grow and shrink with their lines; what has
 * lost all of its cells is gone. New columns have no width of their own. It yields to the event loop in between.
 */
export async function movedLooks(looks: SheetLooks, step: LineStep): Promise<SheetLooks> {
  const { columns, merges, notes, links, panes, ...others } = looks;
  const moved = panes && movedPanes(panes, step);
  return {
    ...others,
    columns: step.axis === 'rows' ? columns : columns.flatMap((column) => movedColumns(column, step)),
    merges: await movedAll(merges, (merge) => movedArea(merge, step).filter(isRange)),
    notes: await movedAll(notes, (note) => movedNote(note, step)),
    links: await movedAll(links, (link) => movedArea(link, step)),
    ...(moved && { panes: moved }),
  };
}

const AT_ONCE = 1_000;

async function movedAll<T>(all: readonly T[], move: (one: T) => T[]): Promise<T[]> {
  const moved: T[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    for (const one of all.slice(at, at + AT_ONCE)) moved.push(...move(one));
    await giveWay();
  }
  return moved;
}

function movedNote(note: CellNote, step: LineStep): CellNote[] {
  const isRows = step.axis === 'rows';
  const row = isRows ? lineAfter(note.row, step) : note.row;
  const column = isRows ? note.column : lineAfter(note.column, step);
  return row === undefined || column === undefined ? [] : [{ ...note, row, column }];
}

/** Whether a step would push merged cells, a note or a link off the sheet, or cut them at its edge. */
export function isPushedOff({ merges, notes, links }: SheetLooks, step: LineStep): boolean {
  if (step.kind === 'remove') return false;
  const { axis, at, count } = step;
  const end = sizeOf(axis) - count;
  // Whole rows and columns reach to the edge wherever they are.
  const isOff = (first: number, last: number) => first >= at && last >= end && first > 0;
  const areas = [...merges, ...links];
  return axis === 'rows'
    ? areas.some(({ top, bottom }) => isOff(top, bottom)) || notes.some(({ row }) => isOff(row, row))
    : areas.some(({ left, right }) => isOff(left, right)) ||
        notes.some(({ column }) => isOff(column, column));
}

function sizeOf(axis: LineStep['axis']): number {
  return axis === 'rows' ? ROWS : COLUMNS;
}

function isRange({ top, left, bottom, right }: Area): boolean {
  return top !== bottom || left !== right;
}

function movedArea<T extends Area>(area: T, step: LineStep): T[] {
  const { top, left, bottom, right } = area;
  const lines = step.axis === 'rows' ? movedLines(top, bottom, step) : movedLines(left, right, step);
  if (!lines) return [];
  const [first, last] = lines;
  return [
    step.axis === 'rows' ? { ...area, top: first, bottom: last } : { ...area, left: first, right: last },
  ];
}

/** The first and the last line after a step; undefined if all were removed or pushed off the sheet. */
function movedLines(first: number, last: number, step: LineStep): [first: number, last: number] | undefined {
  const start = firstLineAfter(first, step);
  const end = lastLineAfter(last, step, sizeOf(step.axis));
  return start > end ? undefined : [start, end];
}

/** Columns inserted between others with the same look do not have it. */
function movedColumns(look: ColumnLook, step: LineStep): ColumnLook[] {
  const { first, last } = look;
  const isSplit = step.kind === 'insert' && step.at > first && step.at <= last;
  if (!isSplit) {
    const lines = movedLines(first, last, step);
    return lines ? [{ ...look, first: lines[0], last: lines[1] }] : [];
  }
  const after = movedLines(step.at, last, step);
  return [{ ...look, last: step.at - 1 }, ...(after ? [{ ...look, first: after[0], last: after[1] }] : [])];
}

/** Lines that are inserted between frozen ones are frozen. Panes without any frozen line are gone. */
function movedPanes(panes: FrozenPanes, step: LineStep): FrozenPanes | undefined {
  const isRows = step.axis === 'rows';
  const [start, count, scrolled] = isRows
    ? [panes.top, panes.rows, panes.scrolledRow]
    : [panes.left, panes.columns, panes.scrolledColumn];
  const frozen = count === 0 ? undefined : movedLines(start, start + count - 1, step);
  const size = sizeOf(step.axis);
  const first = Math.min(frozen ? frozen[0] : firstLineAfter(start, step), size - 1);
  const left = frozen ? frozen[1] - frozen[0] + 1 : 0;
  const shown = Math.min(Math.max(firstLineAfter(scrolled, step), first + left), size - 1);
  if (first + left >= size) return undefined;
  const moved = isRows
    ? { ...panes, top: first, rows: left, scrolledRow: shown }
    : { ...panes, left: first, columns: left, scrolledColumn: shown };
  return moved.rows + moved.columns === 0 ? undefined : moved;
}
