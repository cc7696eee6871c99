import { ApiError } from '../../../contract/errors.ts';
import { MAX_JSON_BYTES } from '../../../contract/json.ts';
import {
  BLOCK_COLUMNS,
  BLOCK_ROWS,
  type BlockKey,
  type CellValue,
  cellPosition,
  EMPTY_BLOCK,
  FULL,
  isFormula,
  isQuote,
  isVolatile,
  rowsOf,
} from './block.ts';
import type { ColumnGrowth } from './column-store.ts';

/** By how much the counts of a sheet change because of edits; a count may become smaller. */
export interface Growth {
  formulas: number;
  volatiles: number;
  /** Formulas that only quote a text. */
  quotes: number;
  /** By the stored position of the column. */
  readonly columns: Map<number, ColumnGrowth>;
}

/**
 * As much as one write may send: no write into an empty block is refused, and reading a full block still takes only one
 * turn of the event loop.
 */
const MAX_BLOCK_BYTES = MAX_JSON_BYTES;

/** An edit would make a block larger than can be read and stored at once. */
export class FullBlock extends ApiError {
  constructor() {
    const message = `A block of ${BLOCK_ROWS} rows by ${BLOCK_COLUMNS} columns holds at most ${MAX_BLOCK_BYTES / 1e6} MB of text in its cells. Put less there, or some of it elsewhere.`;
    super('validation_failed', message, { errors: [{ pointer: '', code: 'too_large', message }] });
  }
}

/** Compares the size in UTF-8, as the block is stored. */
function isTooLarge(cells: string): boolean {
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  return cells.length > MAX_BLOCK_BYTES / 3 && Buffer.byteLength(cells) > MAX_BLOCK_BYTES;
}

/** Counts without any change. */
export function noGrowth(): Growth {
  return { formulas: 0, volatiles: 0, quotes: 0, columns: new Map() };
}

/** The blocks that edits have changed. */
export interface EditedBlocks {
  readonly stored: readonly (BlockKey & { formulas: number; cells: string })[];
  /** Blocks without any cell left. */
  readonly emptied: readonly BlockKey[];
}

/** Edits of one sheet in memory: the affected blocks before and after. */
export class BlockEdits {
  readonly #blocks = new Map<string, EditedBlock>();
  readonly #growth: Growth;

  /**
   * `stored` are the blocks that the database holds; blocks that are missing in it are empty. Changes of the counts of
   * the sheet are added to `growth`.
   */
  constructor(stored: Iterable<BlockKey & { cells: string }>, growth: Growth) {
    this.#growth = growth;
    for (const block of stored) this.#blocks.set(keyOf(block), new EditedBlock(block, block.cells, growth));
  }

  /** The block with this key, to be edited. */
  block(key: BlockKey): EditedBlock {
    const name = keyOf(key);
    const block = this.#blocks.get(name) ?? new EditedBlock(key, EMPTY_BLOCK, this.#growth);
    this.#blocks.set(name, block);
    return block;
  }

  /** The blocks whose content has changed. Throws FullBlock if one has become too large. */
  result(): EditedBlocks {
    const stored: (BlockKey & { formulas: number; cells: string })[] = [];
    const emptied: BlockKey[] = [];
    for (const { key, before, cells } of this.#blocks.values()) {
      const after = cells.text();
      if (after === before) continue;
      if (after.length > before.length && isTooLarge(after)) throw new FullBlock();
      if (after === EMPTY_BLOCK) emptied.push(key);
      else stored.push({ ...key, formulas: countFormulas(after), cells: after });
    }
    return { stored, emptied };
  }
}

const NO_GROWTH: ColumnGrowth = { cells: 0, reach: 0 };

/** A block that is being edited. */
export class EditedBlock {
  readonly key: BlockKey;
  /** Content as the database holds it. */
  readonly before: string;
  readonly cells: OpenBlock;
  readonly #growth: Growth;

  constructor({ rowBlock, columnBlock }: BlockKey, before: string, growth: Growth) {
    this.key = { rowBlock, columnBlock };
    this.before = before;
    this.cells = new OpenBlock(before);
    this.#growth = growth;
  }

  /**
   * Sets the cell at an offset, which is in the row with this number; `undefined` empties it. Returns whether the content
   * of the cell has changed.
   */
  set(offset: number, row: number, input: CellValue | undefined): boolean {
    const before = this.cells.set(offset, input);
    if (before === input) return false;
    // Most writes replace one value by another.
    if (before === undefined) this.#countUsed(offset, 1, row + 1);
    else this.#countFormula(before, -1);
    if (input === undefined) this.#countUsed(offset, -1, 0);
    else this.#countFormula(input, 1);
    return true;
  }

  #countUsed(offset: number, by: 1 | -1, reach: number): void {
    const { columns } = this.#growth;
    const { column } = cellPosition(this.key, offset);
    const { cells, reach: before } = columns.get(column) ?? NO_GROWTH;
    columns.set(column, { cells: cells + by, reach: Math.max(before, reach) });
  }

  #countFormula(input: CellValue, by: 1 | -1): void {
    if (isFormula(input)) this.#growth.formulas += by;
    if (isQuote(input)) this.#growth.quotes += by;
    if (isVolatile(input)) this.#growth.volatiles += by;
  }
}

function keyOf({ rowBlock, columnBlock }: BlockKey): string {
  return `${rowBlock},${columnBlock}`;
}

/** A stored block that is being edited. Only the rows that are edited are parsed and serialized again. */
export class OpenBlock {
  readonly #texts: string[];
  /** The parsed rows, by row number; "" is an empty cell. */
  readonly #rows: (CellValue[] | undefined)[] = [];

  constructor(text: string) {
    this.#texts = rowsOf(text);
  }

  /** Sets the cell at an offset; `undefined` empties it. Returns the previous content, undefined if the cell was empty. */
  set(offset: number, input: CellValue | undefined): CellValue | undefined {
    const cells = this.#row(Math.floor(offset / BLOCK_COLUMNS));
    const column = offset % BLOCK_COLUMNS;
    const before = cells[column];
    while (cells.length < column) cells.push('');
    cells[column] = input ?? '';
    return before === '' ? undefined : before;
  }

  /** The block in its stored form. */
  text(): string {
    const texts = this.#texts;
    for (const [row, cells] of this.#rows.entries()) {
      if (cells === undefined) continue;
      while (texts.length <= row) texts.push('');
      texts[row] = textOf(cells);
    }
    return texts.slice(0, texts.findLastIndex((text) => text !== '') + 1).join('\n');
  }

  #row(row: number): CellValue[] {
    this.#rows[row] ??= cellsOf(this.#texts[row] ?? '');
    return this.#rows[row];
  }
}

/** Number of formulas in a stored block. */
export function countFormulas(text: string): number {
  // A formula is a text that begins with "=". Without such a text no cell has to be parsed.
  if (!text.includes('"=')) return 0;
  return rowsOf(text).reduce((count, row) => count + cellsOf(row).filter(isFormula).length, 0);
}

function cellsOf(row: string): CellValue[] {
  return JSON.parse(`[${row}]`) as CellValue[];
}

function textOf(cells: readonly CellValue[]): string {
  const used = cells.findLastIndex((cell) => cell !== '') + 1;
  const text = JSON.stringify(cells.slice(0, used)).slice(1, -1);
  return used === BLOCK_COLUMNS ? text + FULL : text;
}
