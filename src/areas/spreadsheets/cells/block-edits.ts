import { ApiError } from '../../../contract/errors.ts';
import { MAX_JSON_BYTES } from '../../../contract/json.ts';
import {
  BLOCK_COLUMNS,
  BLOCK_ROWS,
  type BlockKey,
  type CellValue,
  EMPTY_BLOCK,
  FULL,
  isFormula,
  isVolatile,
  placesOf,
  rowsOf,
} from './block.ts';

/** What a sheet has more, or less, of after its edits. */
export interface Growth {
  formulas: number;
  volatiles: number;
  /** Used cells by the place of their column. */
  readonly columns: Map<number, number>;
}

/** As much as one write may send: no write into an empty block is refused, and a full one is still read within a turn. */
const MAX_BLOCK_BYTES = MAX_JSON_BYTES;

/** A block would hold more than can be read and stored at once. */
export class FullBlock extends ApiError {
  constructor() {
    const message = `A block of ${BLOCK_ROWS} rows by ${BLOCK_COLUMNS} columns holds at most ${MAX_BLOCK_BYTES / 1e6} MB of text in its cells. Put less there, or some of it elsewhere.`;
    super('validation_failed', message, { errors: [{ pointer: '', code: 'too_large', message }] });
  }
}

/** In UTF-8, as it is stored. */
function isTooLarge(cells: string): boolean {
  // No character takes more than three bytes for each unit of text.
  return cells.length > MAX_BLOCK_BYTES / 3 && Buffer.byteLength(cells) > MAX_BLOCK_BYTES;
}

/** Nothing yet. */
export function noGrowth(): Growth {
  return { formulas: 0, volatiles: 0, columns: new Map() };
}

/** What edits make of blocks. */
export interface EditedBlocks {
  readonly stored: readonly (BlockKey & { formulas: number; cells: string })[];
  /** Nothing is left in these. */
  readonly emptied: readonly BlockKey[];
}

/** Cells of one sheet that are being changed, in memory: the blocks that they are in, before and after. */
export class BlockEdits {
  readonly #blocks = new Map<string, EditedBlock>();
  readonly #growth: Growth;

  /** Blocks as they are stored; those that are not among them are empty. What the sheet grows by is added to `growth`. */
  constructor(stored: Iterable<BlockKey & { cells: string }>, growth: Growth) {
    this.#growth = growth;
    for (const block of stored) this.#blocks.set(keyOf(block), new EditedBlock(block, block.cells, growth));
  }

  /** A block whose cells are to be changed. */
  block(key: BlockKey): EditedBlock {
    const name = keyOf(key);
    const block = this.#blocks.get(name) ?? new EditedBlock(key, EMPTY_BLOCK, this.#growth);
    this.#blocks.set(name, block);
    return block;
  }

  /** The blocks that are not as they were. Throws FullBlock where one has too many bytes. */
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

/** Cells of one block that are being changed. */
export class EditedBlock {
  readonly key: BlockKey;
  /** As it is stored. */
  readonly before: string;
  readonly cells: OpenBlock;
  readonly #growth: Growth;

  constructor({ rowBlock, columnBlock }: BlockKey, before: string, growth: Growth) {
    this.key = { rowBlock, columnBlock };
    this.before = before;
    this.cells = new OpenBlock(before);
    this.#growth = growth;
  }

  /** Sets the cell at an offset; `undefined` empties it. Answers whether it held something else. */
  set(offset: number, input: CellValue | undefined): boolean {
    const before = this.cells.set(offset, input);
    if (before === input) return false;
    // Most writes put one value in the place of another.
    if (before === undefined) this.#countUsed(offset, 1);
    else this.#countFormula(before, -1);
    if (input === undefined) this.#countUsed(offset, -1);
    else this.#countFormula(input, 1);
    return true;
  }

  #countUsed(offset: number, by: 1 | -1): void {
    const { columns } = this.#growth;
    const { column } = placesOf(this.key, offset);
    columns.set(column, (columns.get(column) ?? 0) + by);
  }

  #countFormula(input: CellValue, by: 1 | -1): void {
    if (isFormula(input)) this.#growth.formulas += by;
    if (isVolatile(input)) this.#growth.volatiles += by;
  }
}

function keyOf({ rowBlock, columnBlock }: BlockKey): string {
  return `${rowBlock},${columnBlock}`;
}

/** A stored block whose cells are being changed: of its rows only those that are looked at are read and written anew. */
export class OpenBlock {
  readonly #texts: string[];
  /** By their numbers, those that were looked at; "" is an empty cell. */
  readonly #rows: (CellValue[] | undefined)[] = [];

  constructor(text: string) {
    this.#texts = rowsOf(text);
  }

  /** Fills the cell at an offset; `undefined` empties it. Answers what it held; undefined where it was empty. */
  set(offset: number, input: CellValue | undefined): CellValue | undefined {
    const cells = this.#row(Math.floor(offset / BLOCK_COLUMNS));
    const column = offset % BLOCK_COLUMNS;
    const before = cells[column];
    while (cells.length < column) cells.push('');
    cells[column] = input ?? '';
    return before === '' ? undefined : before;
  }

  /** The block as it is to be stored. */
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

/** How many formulas a stored block holds. */
export function countFormulas(text: string): number {
  // A formula is a text that begins with "=": where none does, no cell has to be read.
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
