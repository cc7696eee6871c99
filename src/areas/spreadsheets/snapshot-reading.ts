import type { ShownValue } from '../../formulas/calculation.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { isFormula } from './block.ts';
import type { CalculatedValues } from './calculated-values.ts';
import { type UsedCell, usedCells } from './cells-reading.ts';
import { openToRead } from './opening.ts';
import type { DriveOwner, SpreadsheetParts } from './parts.ts';
import type { SnapshotCell, SpreadsheetSnapshot } from './snapshot.ts';
import { hasFormulas, type Sheet, type Workbook } from './workbook.ts';

/** Hands a spreadsheet as it is at one moment to `use`, whose cells can be read until it has ended. */
export async function withSnapshot<T>(
  parts: SpreadsheetParts,
  user: DriveOwner,
  id: string,
  use: (snapshot: SpreadsheetSnapshot) => Promise<T>,
): Promise<T> {
  const { database, calculated } = parts;
  return calculated.inTurn(id, () =>
    database.read(async (tx) => {
      const { title, state, workbook } = await openToRead(tx, parts, user, id);
      if (hasFormulas(workbook)) await calculated.bringTo(tx, workbook);
      const sheets = workbook.sheets.map((sheet) => ({
        name: sheet.name,
        rows: sheet.rows,
        columns: sheet.columns,
        cells: () => snapshotCells(tx, calculated, workbook, sheet),
      }));
      return use({ title, state, sheets });
    }),
  );
}

/** Rows of one portion. */
const ROWS_AT_ONCE = 512;

async function* snapshotCells(
  tx: ReadTransaction,
  calculated: CalculatedValues,
  workbook: Workbook,
  sheet: Sheet,
): AsyncGenerator<SnapshotCell[]> {
  for (let top = 0; top < sheet.rows; top += ROWS_AT_ONCE) {
    const bottom = Math.min(top + ROWS_AT_ONCE, sheet.rows) - 1;
    const area = { top, bottom, left: 0, right: sheet.columns - 1 };
    const cells: UsedCell[] = [];
    for await (const some of usedCells(tx, workbook.workspaceId, sheet, area)) cells.push(...some);
    if (cells.length === 0) continue;
    const values = cells.some(({ input }) => isFormula(input))
      ? await calculated.readWindow(workbook, sheet, area)
      : [];
    yield inOrder(cells).map((cell) => ({ ...cell, value: shownValue(cell, values[cell.row - top]) }));
  }
}

function inOrder(cells: UsedCell[]): UsedCell[] {
  return cells.sort((a, b) => a.row - b.row || a.column - b.column);
}

function shownValue({ input, column }: UsedCell, row: readonly ShownValue[] | undefined): ShownValue {
  return isFormula(input) ? (row?.[column] ?? '') : input;
}
