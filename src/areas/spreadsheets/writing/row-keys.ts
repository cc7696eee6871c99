import type { WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { type Rectangle, ROWS } from '../cells/a1.ts';
import { lineLookup, positionLookup, type Run, spansOf } from '../cells/axis.ts';
import type { Sheet } from '../workbook/workbook.ts';
import { insertKeyedRows, type KeyedRow, listKeyedRows } from './row-key-store.ts';

/** Where a row with a key is now, from the first of its columns to the last; undefined if it has been deleted. */
export function rangeOfKeyedRow(sheet: Sheet, { position, columns }: KeyedRow): Rectangle | undefined {
  const row = position === null ? undefined : lineLookup(sheet.rowAxis)(position);
  const lines = linesOf(columns, lineLookup(sheet.columnAxis));
  if (row === undefined || row >= ROWS || lines.length === 0) return undefined;
  return { top: row, bottom: row, left: Math.min(...lines), right: Math.max(...lines) };
}

/** The numbers of the columns that are still there. */
function linesOf(columns: readonly Run[], lineOf: (position: number) => number | undefined): number[] {
  return columns.flatMap(([position, count]) =>
    Array.from({ length: count }, (_, i) => lineOf(position + i)).filter((line) => line !== undefined),
  );
}

/** The key of a row from the first of its columns to the last, as it is stored. */
export function keyedRow(sheet: Sheet, rowKey: string, { top, left, right }: Rectangle): KeyedRow {
  const columns = spansOf(sheet.columnAxis, left, right).map(({ position, count }): Run => [position, count]);
  return { rowKey, position: positionLookup(sheet.rowAxis)(top), columns };
}

/** Keys that are read together. */
const KEYS_AT_ONCE = 512;

/** Gives the keys of a sheet to its copy, whose rows and columns are stored under their numbers. */
export async function copyRowKeys(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  copy: Sheet,
): Promise<void> {
  const [lineOfRow, lineOfColumn] = [lineLookup(sheet.rowAxis), lineLookup(sheet.columnAxis)];
  for (let after = ''; ; ) {
    const rows = await listKeyedRows(tx, { workspaceId, sheet: sheet.id }, after, KEYS_AT_ONCE);
    const copied = rows.map(({ rowKey, position, columns }) => ({
      rowKey,
      position: (position === null ? undefined : lineOfRow(position)) ?? null,
      columns: linesOf(columns, lineOfColumn).map((line): Run => [line, 1]),
    }));
    await insertKeyedRows(tx, { workspaceId, sheet: copy.id }, copied);
    after = rows.at(-1)?.rowKey ?? '';
    if (rows.length < KEYS_AT_ONCE) return;
    await giveWay();
  }
}
