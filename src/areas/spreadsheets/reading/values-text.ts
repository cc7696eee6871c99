import type { MostShown } from '../../../formulas/calculation.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { throwIfCancelled } from '../../../turns/cancellation.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { Rectangle } from '../cells/a1.ts';
import {
  countCells,
  MOST_CELLS,
  MOST_CHARACTERS,
  type RowText,
  rangeTooLarge,
  TextGrid,
} from '../cells/grid.ts';
import { type ReadWindow, windowsOf } from '../workbook/calculated-values.ts';
import { rowsAtOnce } from '../workbook/snapshot-reading.ts';
import type { Sheet } from '../workbook/workbook.ts';
import { showPieces } from './used-cells.ts';

/** Characters of one chunk: encoding and sending it takes only a small share of a turn. */
const CHUNK = 128 * 1024;

/**
 * The inputs of a rectangle as JSON, in chunks. It yields to the event loop between chunks. Rejects with ApiError
 * validation_failed above the limits of an answer, and with Cancelled.
 */
export function textOfInputs(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): AsyncGenerator<string> {
  return inChunks(inputsOf(tx, workspaceId, sheet, area));
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

/** The inputs of a rectangle. Rejects with ApiError validation_failed above the limits of an answer, and with GridFull. */
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
 * The values of a rectangle as JSON, in chunks, read window by window. Rejects with ApiError validation_failed above
 * the limits of an answer, with Cancelled, and with the errors of `read`.
 */
export function textOfValues(sheet: Sheet, area: Rectangle, read: ReadWindow): AsyncGenerator<string> {
  return inChunks(valuesOf(sheet, area, read));
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

/** Collects texts into chunks of about equal length. It yields to the event loop between chunks. Rejects with Cancelled. */
export async function* inChunks(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < CHUNK) continue;
    for (const chunk of chunksOf(piece)) {
      throwIfCancelled();
      yield chunk;
      await giveWay();
    }
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** Splits a text into chunks. It never splits a surrogate pair. */
function* chunksOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > CHUNK) {
    const isCut = (text.charCodeAt(start + CHUNK - 1) & 0xfc00) === 0xd800;
    const end = start + CHUNK - (isCut ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
  yield text.slice(start);
}

const BETWEEN_ROWS = '],[';
const EMPTY_CELL = '""';

/**
 * Serializes the values of a range as JSON, piece by piece: without trailing empty rows and cells, empty cells inside
 * are "" or what is given for them.
 */
export class ValuesJson {
  #text = '';
  #row = -1;
  /** The column behind the last written cell of the row. */
  #column = 0;
  #cells = 0;
  #characters = 0;
  readonly #empty: string;

  constructor(empty = EMPTY_CELL) {
    this.#empty = `${empty},`;
  }

  /** How many cells and characters may still be added. */
  get room(): MostShown {
    return { cells: MOST_CELLS - this.#cells, characters: MOST_CHARACTERS - this.#characters };
  }

  /**
   * Appends `count` cells of a row, starting at a column behind everything written so far. Row and column count from
   * the corner of the range. Throws ApiError validation_failed above the limits of an answer.
   */
  add(row: number, column: number, cells: RowText, count: number): void {
    const isNewRow = row > this.#row;
    const before = isNewRow ? 0 : this.#column;
    const end = column + count;
    this.#cells += (isNewRow ? row - this.#row : 0) + end - Math.max(1, before);
    this.#characters += cells.length;
    if (this.#cells > MOST_CELLS || this.#characters > MOST_CHARACTERS) throw rangeTooLarge();
    const rowStart = this.#row < 0 ? `[[${BETWEEN_ROWS.repeat(row)}` : BETWEEN_ROWS.repeat(row - this.#row);
    const start = isNewRow ? rowStart : ',';
    this.#text += start + this.#empty.repeat(column - before) + cells;
    [this.#row, this.#column] = [row, end];
  }

  /** Removes and returns the text written since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** The remaining text, after the last `add`. */
  end(): string {
    return this.#row < 0 ? '[]' : `${this.take()}]]`;
  }
}
