import { ApiError } from '../../../contract/errors.ts';
import type { ColumnSpan, Extent } from '../../../formulas/calculation.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { whileHeld } from '../workbook/held-workbooks.ts';
import { type OpenedSpreadsheet, openToRead } from '../workbook/open-and-save.ts';
import { sheetNamed, type Workbook } from '../workbook/workbook.ts';

/** A spreadsheet at one version, and the extent that each of its sheets shows in it. */
export interface ShownExtents {
  readonly opened: OpenedSpreadsheet;
  readonly extents: readonly Extent[];
}

/**
 * Computes the shown extents, including cells that formulas spill into, outside of any transaction. If the calculation
 * is stopped, the used extents are returned instead. Rejects with ApiError not_found or forbidden.
 */
export async function shownExtents(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  opened: OpenedSpreadsheet,
): Promise<ShownExtents> {
  const { calculated } = dependencies;
  try {
    return await whileHeld(dependencies, user, opened.workbook, async (now) => {
      const extents: Extent[] = [];
      for (const sheet of now.workbook.sheets)
        extents.push(await calculated.shownExtent(now.workbook, sheet));
      return { opened: now, extents };
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'calculation_stopped')) throw error;
    return { opened, extents: opened.workbook.sheets.map(({ rows, columns }) => ({ rows, columns })) };
  }
}

/**
 * Computes how many rows of a sheet (the first one if `name` is undefined), or of some columns of it, show something, and
 * the version that this belongs to, outside of any transaction. Rejects with ApiError not_found, forbidden or
 * calculation_stopped.
 */
export async function shownRowsOf(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { sheet: name, columns }: { sheet: string | undefined; columns: ColumnSpan | undefined },
): Promise<{ workbook: Workbook; rows: number }> {
  const seen = await dependencies.database.read((tx) => openToRead(tx, dependencies, user, id));
  return whileHeld(dependencies, user, seen.workbook, async ({ workbook }) => {
    const sheet = sheetNamed(workbook, name);
    const { calculated } = dependencies;
    if (columns) return { workbook, rows: await calculated.shownRowsWithin(workbook, sheet, columns) };
    return { workbook, rows: (await calculated.shownExtent(workbook, sheet)).rows };
  });
}
