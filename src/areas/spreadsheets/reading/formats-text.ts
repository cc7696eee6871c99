import { shownText } from '../../../formats/workbooks/shown-text.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { Rectangle } from '../cells/a1.ts';
import { rowsAtOnce, type SnapshotCell } from '../workbook/snapshot-reading.ts';
import type { Sheet } from '../workbook/workbook.ts';
import { formattedCells } from '../writing/format-cells.ts';
import { inChunks, ValuesJson } from './values-text.ts';

/** Cells formatted without a yield: the slowest formats take 20 µs for a value. */
const CELLS_AT_ONCE = 512;

/**
 * What the cells of a rectangle show, as texts in JSON, in chunks. `cells` are those of the rectangle, in order. It
 * yields to the event loop. Rejects with ApiError validation_failed above the limits of an answer, with Cancelled, and
 * with the errors of `cells`.
 */
export function textOfShown(
  cells: AsyncIterable<readonly SnapshotCell[]>,
  corner: Pick<Rectangle, 'top' | 'left'>,
): AsyncGenerator<string> {
  return inChunks(shownOf(cells, corner));
}

async function* shownOf(
  cells: AsyncIterable<readonly SnapshotCell[]>,
  { top, left }: Pick<Rectangle, 'top' | 'left'>,
): AsyncGenerator<string> {
  const json = new ValuesJson();
  for await (const some of cells) {
    for (const [i, { row, column, value, format }] of some.entries()) {
      const text = shownText(value, format);
      if (text !== '') json.add(row - top, column - left, JSON.stringify(text), 1);
      if (i % CELLS_AT_ONCE === CELLS_AT_ONCE - 1) await giveWay();
    }
    yield json.take();
  }
  yield json.end();
}

/**
 * The number format codes of a rectangle as JSON, in chunks, null for cells without one. It yields to the event loop.
 * Rejects with ApiError validation_failed above the limits of an answer, and with Cancelled.
 */
export function textOfFormats(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): AsyncGenerator<string> {
  return inChunks(formatsOf(tx, workspaceId, sheet, area));
}

async function* formatsOf(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): AsyncGenerator<string> {
  const json = new ValuesJson('null');
  const { rows, columns } = sheet.formatted ?? { rows: 0, columns: 0 };
  const right = Math.min(area.right, columns - 1);
  const last = right < area.left ? -1 : Math.min(area.bottom, rows - 1);
  const atOnce = rowsAtOnce(right - area.left + 1);
  for (let top = area.top; top <= last; top += atOnce) {
    const bottom = Math.min(top + atOnce - 1, last);
    for (const [row, codes] of await codesByRow(tx, workspaceId, sheet, { ...area, top, bottom, right })) {
      for (const [column, code] of codes)
        json.add(row - area.top, column - area.left, JSON.stringify(code), 1);
      await giveWay();
    }
    yield json.take();
  }
  yield json.end();
}

type CodesOfRow = [column: number, code: string][];

/** The codes of a rectangle, by row and column, in order. */
async function codesByRow(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): Promise<[row: number, CodesOfRow][]> {
  const byRow = new Map<number, CodesOfRow>();
  for await (const cells of formattedCells(tx, workspaceId, sheet, area)) {
    for (const { row, column, format } of cells) {
      byRow.getOrInsertComputed(row, () => []).push([column, format]);
    }
    await giveWay();
  }
  for (const codes of byRow.values()) codes.sort(([one], [other]) => one - other);
  return [...byRow].sort(([one], [other]) => one - other);
}
