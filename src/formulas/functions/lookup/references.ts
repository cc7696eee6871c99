import { isGrid, isReference } from '../../grids.ts';
import { CellError, ERROR, Union } from '../../values.ts';
import { define } from '../define.ts';
import { numberOr } from '../optional.ts';

const LAST_ROW = 1_048_575;
const LAST_COLUMN = 16_383;

export const INDIRECT = define(
  'INDIRECT',
  ['text', 'logical'],
  ([text, inA1 = true], context) => context.referenceOf(text, inA1 ? 'A1' : 'R1C1'),
  { required: 1, volatile: true, makesReferences: true },
);

export const OFFSET = define(
  'OFFSET',
  ['any', 'number', 'number', 'scalar', 'scalar'],
  ([from, down, right, tall, wide], context) => {
    if (!isGrid(from) || !from.area) return ERROR['#VALUE!'];
    const { area } = from;
    const height = numberOr(tall, from.rows);
    const width = numberOr(wide, from.columns);
    if (height instanceof CellError) return height;
    if (width instanceof CellError) return width;
    const [top, bottom] = span(area.top + Math.trunc(down), sizeOf(height));
    const [left, end] = span(area.left + Math.trunc(right), sizeOf(width));
    if (top < 0 || left < 0 || bottom > LAST_ROW || end > LAST_COLUMN) return ERROR['#REF!'];
    if (bottom < top || end < left) return ERROR['#REF!'];
    return context.reference({ sheet: area.sheet, top, left, bottom, right: end });
  },
  { required: 3, volatile: true, makesReferences: true },
);

/** A part of a row or column is one, as Excel has it; more are so many whole ones. */
function sizeOf(count: number): number {
  return count > 0 && count < 1 ? 1 : Math.trunc(count);
}

/** First and last of so many rows or columns from one on; a negative count goes backwards, 0 is none. */
function span(start: number, count: number): [first: number, last: number] {
  return count < 0 ? [start + count + 1, start] : [start, start + count - 1];
}

export const AREAS = define('AREAS', ['any'], ([given]) => {
  if (given instanceof Union) return given.grids.length;
  return isReference(given) ? 1 : ERROR['#VALUE!'];
});

export const ISREF = define('ISREF', ['any'], ([given]) => given instanceof Union || isReference(given), {
  takesErrors: true,
});
