import { type BlockKey, type CellValue, EMPTY_BLOCK, isFormula, isVolatile, locate } from './block.ts';
import { countFormulas, OpenBlock } from './open-block.ts';

interface EditedBlock extends BlockKey {
  readonly before: string;
  readonly cells: OpenBlock;
}

/** What a sheet has more, or less, of after its edits. */
export interface Growth {
  formulas: number;
  volatiles: number;
  /** Used cells by the place of their column. */
  readonly columns: Map<number, number>;
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

  /**
   * Blocks as they are stored; those that `set` touches and that are not among them are empty. What the sheet grows by
   * is added to `growth`.
   */
  constructor(stored: Iterable<BlockKey & { cells: string }>, growth: Growth) {
    this.#growth = growth;
    for (const { rowBlock, columnBlock, cells } of stored) {
      const block = { rowBlock, columnBlock, before: cells, cells: new OpenBlock(cells) };
      this.#blocks.set(keyOf(block), block);
    }
  }

  /** Sets the cell at a place; `undefined` empties it. Answers whether it held something else. */
  set(row: number, column: number, input: CellValue | undefined): boolean {
    const place = locate(row, column);
    const { cells } = this.#block(place);
    const before = cells.get(place.offset);
    if (before === input) return false;
    cells.set(place.offset, input);
    this.#count(column, before, -1);
    this.#count(column, input, 1);
    return true;
  }

  /** The blocks that are not as they were. */
  result(): EditedBlocks {
    const stored: (BlockKey & { formulas: number; cells: string })[] = [];
    const emptied: BlockKey[] = [];
    for (const { rowBlock, columnBlock, before, cells } of this.#blocks.values()) {
      const after = cells.text();
      if (after === before) continue;
      if (after === EMPTY_BLOCK) emptied.push({ rowBlock, columnBlock });
      else stored.push({ rowBlock, columnBlock, formulas: countFormulas(after), cells: after });
    }
    return { stored, emptied };
  }

  #block(key: BlockKey): EditedBlock {
    const name = keyOf(key);
    const found = this.#blocks.get(name);
    if (found) return found;
    const { rowBlock, columnBlock } = key;
    const block = { rowBlock, columnBlock, before: EMPTY_BLOCK, cells: new OpenBlock(EMPTY_BLOCK) };
    this.#blocks.set(name, block);
    return block;
  }

  #count(column: number, input: CellValue | undefined, by: 1 | -1): void {
    if (input === undefined) return;
    const { columns } = this.#growth;
    columns.set(column, (columns.get(column) ?? 0) + by);
    if (isFormula(input)) this.#growth.formulas += by;
    if (isVolatile(input)) this.#growth.volatiles += by;
  }
}

/** The blocks that some cells are in, each once. */
export function blocksAround(cells: Iterable<{ row: number; column: number }>): BlockKey[] {
  const keys = new Map<string, BlockKey>();
  for (const { row, column } of cells) {
    const { rowBlock, columnBlock } = locate(row, column);
    keys.set(keyOf({ rowBlock, columnBlock }), { rowBlock, columnBlock });
  }
  return [...keys.values()];
}

function keyOf({ rowBlock, columnBlock }: BlockKey): string {
  return `${rowBlock},${columnBlock}`;
}
