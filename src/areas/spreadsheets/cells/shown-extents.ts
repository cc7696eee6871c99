import { ApiError } from '../../../contract/errors.ts';
import type { Extent } from '../../../formulas/calculation.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { whileHeld } from '../workbook/held-workbooks.ts';
import { type OpenedSpreadsheet, openToRead } from '../workbook/saving.ts';
import { sheetNamed, type Workbook } from '../workbook/workbook.ts';

/** A spreadsheet at one moment, and how far each of its sheets shows something then. */
export interface ShownExtents {
  readonly opened: OpenedSpreadsheet;
  readonly extents: readonly Extent[];
}

/**
 * Computes what the formulas of a spreadsheet spill, outside of any transaction; where that takes too long, only what is
 * used counts. Rejects with ApiError not_found or forbidden.
 */
export async function shownExtents(
  parts: SpreadsheetDependencies,
  user: DriveOwner,
  opened: OpenedSpreadsheet,
): Promise<ShownExtents> {
  const { calculated } = parts;
  try {
    return await whileHeld(parts, user, opened.workbook, async (now) => {
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
 * Computes how far one sheet shows something, the first where none is named, and in which version; outside of any
 * transaction. Rejects with ApiError not_found, forbidden or calculation_stopped.
 */
export async function shownExtentOf(
  parts: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  name: string | undefined,
): Promise<Extent & { workbook: Workbook }> {
  const seen = await parts.database.read((tx) => openToRead(tx, parts, user, id));
  return whileHeld(parts, user, seen.workbook, async ({ workbook }) => {
    const { rows, columns } = await parts.calculated.shownExtent(workbook, sheetNamed(workbook, name));
    return { workbook, rows, columns };
  });
}
