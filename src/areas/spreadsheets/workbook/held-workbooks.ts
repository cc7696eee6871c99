import type { ReadTransaction } from '../../../storage/database.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { type CalculatedValues, retried } from './calculated-values.ts';
import { type OpenedSpreadsheet, openToRead } from './saving.ts';
import type { Workbook } from './workbook.ts';

/**
 * Hands the spreadsheet as it is now to `use` while the calculation holds that version; anew where it was held no longer
 * by the time it was read. `seen` is the version that was read a moment ago. Rejects with ApiError not_found, forbidden or
 * calculation_stopped, and with TooManyWaiting.
 */
export function whileHeld<T>(
  parts: SpreadsheetDependencies,
  user: DriveOwner,
  seen: Workbook,
  use: (opened: OpenedSpreadsheet) => Promise<T>,
): Promise<T> {
  const open = (tx: ReadTransaction) => openToRead(tx, parts, user, seen.id);
  return retried(() => holding(parts, open, seen, use));
}

type Open = (tx: ReadTransaction) => Promise<OpenedSpreadsheet>;
type Use<T> = (opened: OpenedSpreadsheet) => Promise<T>;

/** What costs others least is tried first: what is held, then what is small enough to be sent without a transaction. */
async function holding<T>(
  parts: SpreadsheetDependencies,
  open: Open,
  seen: Workbook,
  use: Use<T>,
): Promise<T> {
  const { calculated } = parts;
  const { turns } = calculated;
  const openInTransaction = async (leave: () => void) => {
    const opened = await bringUpWithin(parts, open);
    leave();
    return use(opened);
  };
  if (calculated.takesLong(seen.id)) {
    return turns.inLongCalculation(seen.id, async () => use(await bringUpWithin(parts, open)));
  }
  const found =
    (calculated.holds(seen) && (await turns.inTurn(seen.id, () => useHeld(parts, open, use)))) ||
    (await turns.inOpening(seen.id, (leave) => useSmall(parts, open, use, leave)));
  return found ? found.result : turns.inLargeOpening(seen.id, openInTransaction);
}

/** Nothing where it would have to be brought up first. */
async function useHeld<T>({ calculated, database }: SpreadsheetDependencies, open: Open, use: Use<T>) {
  const opened = await database.read(open);
  return calculated.holds(opened.workbook) ? { result: await use(opened) } : undefined;
}

/** Nothing where that takes more than may be kept in memory. */
async function useSmall<T>(parts: SpreadsheetDependencies, open: Open, use: Use<T>, leave: () => void) {
  const { opened, bringUp } = await parts.database.read(async (tx) => {
    const opened = await open(tx);
    return { opened, bringUp: await parts.calculated.smallUpdate(tx, opened.workbook) };
  });
  if (!bringUp) return undefined;
  await bringUp();
  leave();
  return { result: await use(opened) };
}

function bringUpWithin(
  { calculated, database }: { calculated: CalculatedValues; database: SpreadsheetDependencies['database'] },
  open: Open,
): Promise<OpenedSpreadsheet> {
  return database.read(async (tx) => {
    const opened = await open(tx);
    await calculated.bringTo(tx, opened.workbook);
    return opened;
  });
}
