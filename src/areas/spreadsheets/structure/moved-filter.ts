import type { FilterColumn, SheetFilter } from '../../../formats/workbooks/workbook.ts';
import { COLUMNS, ROWS } from '../cells/a1.ts';
import type { Step } from './references.ts';

/** A step that inserts or removes rows or columns. */
export type LineStep = Extract<Step, { axis: 'rows' | 'columns' }>;

/** The filter after a step; undefined if its heading row or all of its columns were removed. */
export function movedFilter(filter: SheetFilter, step: LineStep): SheetFilter | undefined {
  const { top, left, bottom, right } = filter;
  if (step.axis === 'rows') {
    const heading = lineAfter(top, step);
    if (heading === undefined || heading >= ROWS) return undefined;
    return { ...filter, top: heading, bottom: Math.max(heading, lastLineAfter(bottom, step, ROWS)) };
  }
  const first = firstLineAfter(left, step);
  const last = lastLineAfter(right, step, COLUMNS);
  if (last < first || first >= COLUMNS) return undefined;
  const columns = filter.columns.flatMap((column) => movedColumn(column, left, first, step));
  return { ...filter, left: first, right: last, columns };
}

function movedColumn(column: FilterColumn, left: number, first: number, step: LineStep): FilterColumn[] {
  const line = lineAfter(left + column.offset, step);
  return line === undefined ? [] : [{ ...column, offset: line - first }];
}

/** Undefined for a removed line. */
export function lineAfter(line: number, { kind, at, count }: LineStep): number | undefined {
  if (line < at) return line;
  if (kind === 'insert') return line + count;
  return line < at + count ? undefined : line - count;
}

/** The first line of a range after a step, also if the first lines of the range were removed. */
export function firstLineAfter(line: number, step: LineStep): number {
  return lineAfter(line, step) ?? step.at;
}

/** The last line of a range after a step, also if the last lines of the range were removed. */
export function lastLineAfter(line: number, step: LineStep, size: number): number {
  return Math.min(lineAfter(line, step) ?? step.at - 1, size - 1);
}
