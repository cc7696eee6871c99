import { isGrid } from '../grids.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../limits.ts';
import { readR1C1Ref } from '../syntax/formula-library.ts';
import { type Area, ERROR, Union, type Value } from '../values.ts';
import { referenceTo } from './areas.ts';
import type { Host } from './code.ts';
import type { Surroundings } from './compiler.ts';
import { plainValue } from './operands.ts';
import { areaFrom, type Cell, readReferences, sheetsOf } from './references.ts';

/** Longer than the longest name of a sheet in quotes with the longest name behind it. */
const MAX_LENGTH = 400;

/** What a text refers to as INDIRECT reads it; #REF! of no reference, of another file and of an unknown sheet. */
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

/** INDIRECT takes rows with zeros before them. */
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
    placed({ at, fixed }, cell.row, open);
  const column = (at: Corner['at'], fixed: Corner['fixed'], open: number) =>
    placed({ at, fixed }, cell.column, open);
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

function placed({ at, fixed }: Corner, base: number, open: number): number {
  if (at === null || at === undefined) return open;
  return fixed === true ? at : base + at;
}
