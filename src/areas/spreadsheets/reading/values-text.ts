import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { requireWanted } from '../../../turns/wanted.ts';
import type { Rectangle } from '../cells/a1.ts';
import { TextGrid } from '../cells/grid.ts';
import { countCells } from '../cells/row-text.ts';
import { type ReadWindow, windowsOf } from '../workbook/calculated-values.ts';
import { rowsAtOnce } from '../workbook/snapshot-reading.ts';
import type { Sheet } from '../workbook/workbook.ts';
import { showPieces } from './cells-reading.ts';
import { ValuesJson } from './values-json.ts';

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
