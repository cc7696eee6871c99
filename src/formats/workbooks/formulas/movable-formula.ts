import {
  type RangeA1,
  readA1Ref,
  stringifyA1Ref,
  tokenTypes,
} from '../../../formulas/syntax/formula-library.ts';
import type { CellAddress } from '../cell-address.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../limits.ts';
import { tokensOf } from './tokens.ts';

const RANGES: ReadonlySet<string> = new Set([
  tokenTypes.REF_RANGE,
  tokenTypes.REF_BEAM,
  tokenTypes.REF_TERNARY,
]);

/** A formula that may stand at other cells: its relative references go along, and round the edges of the sheet. */
export class MovableFormula {
  readonly #origin: CellAddress;
  readonly #pieces: readonly (string | Reference)[];

  constructor(text: string, origin: CellAddress) {
    this.#origin = origin;
    this.#pieces = tokensOf(text).map(({ type, value }) => (RANGES.has(type) ? referenceOf(value) : value));
  }

  at(address: CellAddress): string {
    const rows = address.row - this.#origin.row;
    const columns = address.column - this.#origin.column;
    return this.#pieces
      .map((piece) => (typeof piece === 'string' ? piece : referenceText(piece, rows, columns)))
      .join('');
  }
}

interface Reference {
  /** The sheet, as it is written. */
  readonly prefix: string;
  readonly range: RangeA1;
  /** It is written as a range, though it may be of one cell. */
  readonly isRange: boolean;
}

function referenceOf(text: string): Reference | string {
  const start = text.lastIndexOf('!') + 1;
  const found = readA1Ref(text.slice(start));
  if (!found || !('range' in found)) return text;
  return { prefix: text.slice(0, start), range: found.range, isRange: text.includes(':', start) };
}

function referenceText({ prefix, range, isRange }: Reference, rows: number, columns: number): string {
  const text = stringifyA1Ref({ range: moved(range, rows, columns) });
  return prefix + (isRange && !text.includes(':') ? `${text}:${text}` : text);
}

function moved(range: RangeA1, rows: number, columns: number): RangeA1 {
  const { top, bottom, left, right, $top, $bottom, $left, $right } = range;
  return {
    ...range,
    top: shifted(top, $top, rows, MAX_ROWS),
    bottom: shifted(bottom, $bottom, rows, MAX_ROWS),
    left: shifted(left, $left, columns, MAX_COLUMNS),
    right: shifted(right, $right, columns, MAX_COLUMNS),
  };
}

function shifted(
  at: number | null | undefined,
  isFixed: boolean | null | undefined,
  by: number,
  size: number,
): number | null {
  if (at === null || at === undefined) return null;
  return isFixed ? at : (((at + by) % size) + size) % size;
}
