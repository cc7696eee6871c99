import type { CellInput, SheetCells } from '../calculation.ts';

/** Cells in one message, and characters of what stands in them: it holds up neither the event loop nor the thread. */
const CELLS_A_MESSAGE = 1_000;
const CHARACTERS_A_MESSAGE = 100_000;
/** Characters of formulas that are read before a thread looks whether others wait. */
const CHARACTERS_A_PIECE = 4_096;

/** Cells in portions that fit into a message each. */
export function portionsOf(cells: readonly CellInput[]): Generator<readonly CellInput[]> {
  return cut(cells, CELLS_A_MESSAGE, CHARACTERS_A_MESSAGE, textLength);
}

/** Cells in pieces that take a moment each: formulas are compiled as they are taken in. */
export function* piecesOf({ sheet, cells }: SheetCells): Generator<SheetCells> {
  for (const piece of cut(cells, CELLS_A_MESSAGE, CHARACTERS_A_PIECE, formulaLength))
    yield { sheet, cells: piece };
}

function textLength({ input }: CellInput): number {
  return typeof input === 'string' ? input.length : 1;
}

function formulaLength({ input }: CellInput): number {
  return typeof input === 'string' && input.startsWith('=') ? input.length : 0;
}

function* cut(
  cells: readonly CellInput[],
  mostCells: number,
  mostCharacters: number,
  lengthOf: (cell: CellInput) => number,
): Generator<readonly CellInput[]> {
  let start = 0;
  let characters = 0;
  for (const [at, cell] of cells.entries()) {
    characters += lengthOf(cell);
    if (at + 1 - start < mostCells && characters < mostCharacters) continue;
    yield cells.slice(start, at + 1);
    start = at + 1;
    characters = 0;
  }
  if (start < cells.length) yield cells.slice(start);
}
