import type { MostShown } from '../../../formulas/calculation.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { requireWanted } from '../../../turns/wanted.ts';
import type { Rectangle } from '../cells/a1.ts';
import { countCells, MOST_CELLS, MOST_CHARACTERS, type RowText, TextGrid, tooMuch } from '../cells/grid.ts';
import { type ReadWindow, windowsOf } from '../workbook/calculated-values.ts';
import { rowsAtOnce } from '../workbook/snapshot-reading.ts';
import type { Sheet } from '../workbook/workbook.ts';
import { showPieces } from './cells-reading.ts';

/** Characters of one piece of a text: to encode and to send it takes little of a turn. */
const PIECE = 128 * 1024;

/**
 * What was written into a rectangle as JSON, in pieces, with turns for others in between. Rejects with ApiError
 * validation_failed where it is too much, and with Unwanted.
 */
export function textOfInputs(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): AsyncGenerator<string> {
  return inPieces(inputsOf(tx, workspaceId, sheet, area));
}

async function* inputsOf(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): AsyncGenerator<string> {
  const json = new ValuesJson();
  const atOnce = rowsAtOnce(area.right - area.left + 1);
  for (let top = area.top; top <= area.bottom; top += atOnce) {
    const bottom = Math.min(top + atOnce - 1, area.bottom);
    const grid = await readGrid(tx, workspaceId, sheet, { ...area, top, bottom });
    for (const [at, cells] of grid.rows().entries()) {
      if (cells === '') continue;
      json.add(top - area.top + at, 0, cells, countCells(cells));
      yield json.take();
      await giveWay();
    }
  }
  yield json.end();
}

/** What was written into a rectangle. Rejects with ApiError validation_failed where it is too much, and with GridFull. */
export async function readGrid(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
  room?: number,
): Promise<TextGrid> {
  const grid = new TextGrid(room);
  await showPieces(tx, workspaceId, sheet, area, (row, column, cells, count) =>
    grid.add(row - area.top, column - area.left, cells, count),
  );
  return grid;
}

/**
 * What a rectangle shows as JSON, in pieces, as it is read window after window. Rejects with ApiError validation_failed
 * where it is too much, with Unwanted, and as reading does.
 */
export function textOfValues(sheet: Sheet, area: Rectangle, read: ReadWindow): AsyncGenerator<string> {
  return inPieces(valuesOf(sheet, area, read));
}

async function* valuesOf(sheet: Sheet, area: Rectangle, read: ReadWindow): AsyncGenerator<string> {
  const json = new ValuesJson();
  for (const { top, bottom } of windowsOf(sheet, area)) {
    for await (const runs of read({ ...area, top, bottom }, json.room)) {
      for (const { row, column, values } of runs) {
        const cells = JSON.stringify(values).slice(1, -1);
        json.add(top - area.top + row, column, cells, values.length);
      }
      yield json.take();
    }
  }
  yield json.end();
}

/** A text in pieces of one length, more or less, with turns for others in between. Rejects with Unwanted. */
async function* inPieces(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < PIECE) continue;
    for (const part of partsOf(piece)) {
      requireWanted();
      yield part;
      await giveWay();
    }
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** A text in parts; no character is cut in two. */
function* partsOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > PIECE) {
    const isCut = (text.charCodeAt(start + PIECE - 1) & 0xfc00) === 0xd800;
    const end = start + PIECE - (isCut ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
  yield text.slice(start);
}

const BETWEEN_ROWS = '],[';
const EMPTY_CELL = '"",';

/** Writes the values of a range as JSON, piece after piece: without trailing empty rows and cells, empty cells inside are "". */
class ValuesJson {
  #text = '';
  #row = -1;
  /** The column behind what was written of the row. */
  #column = 0;
  #cells = 0;
  #characters = 0;

  /** How much it takes yet. */
  get room(): MostShown {
    return { cells: MOST_CELLS - this.#cells, characters: MOST_CHARACTERS - this.#characters };
  }

  /**
   * Writes so many cells of a row, from a column on, both counted from the corner of the range, behind all that was written.
   * Throws ApiError validation_failed when it becomes too much.
   */
  add(row: number, column: number, cells: RowText, count: number): void {
    const isNewRow = row > this.#row;
    const before = isNewRow ? 0 : this.#column;
    const end = column + count;
    this.#cells += (isNewRow ? row - this.#row : 0) + end - Math.max(1, before);
    this.#characters += cells.length;
    if (this.#cells > MOST_CELLS || this.#characters > MOST_CHARACTERS) throw tooMuch();
    const rowStart = this.#row < 0 ? `[[${BETWEEN_ROWS.repeat(row)}` : BETWEEN_ROWS.repeat(row - this.#row);
    const start = isNewRow ? rowStart : ',';
    this.#text += start + EMPTY_CELL.repeat(column - before) + cells;
    [this.#row, this.#column] = [row, end];
  }

  /** What was written since it was asked before. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** The rest, when all was added. */
  end(): string {
    return this.#row < 0 ? '[]' : `${this.take()}]]`;
  }
}
