import type { ReadTransaction } from '../../../storage/database.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { type CalculatedValues, retryWhenEvicted } from './calculated-values.ts';
import { type OpenedSpreadsheet, openToRead } from './open-and-save.ts';
import type { Workbook } from './workbook.ts';

/**
 * Calls `use` with the current version of the spreadsheet while the calculation holds that version; again if the
 * version was evicted before it was read. `seen` is a version that was read a moment ago. Rejects with ApiError
 * not_found, forbidden or calculation_stopped, and with TooManyWaiting.
 */
export function whileHeld<T>(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  seen: Workbook,
  use: (opened: OpenedSpreadsheet) => Promise<T>,
): Promise<T> {
  const open = (tx: ReadTransaction) => openToRead(tx, dependencies, user, seen.id);
  return retryWhenEvicted(() => useWhileHeld(dependencies, open, seen, use));
}

type Open = (tx: ReadTransaction) => Promise<OpenedSpreadsheet>;
type Use<T> = (opened: OpenedSpreadsheet) => Promise<T>;

/**
 * Tries the cheapest way for other users first: a held version, then an update that is small enough to be sent without
 * a transaction, then an update within a transaction.
 */
async function useWhileHeld<T>(
  dependencies: SpreadsheetDependencies,
  open: Open,
  seen: Workbook,
  use: Use<T>,
): Promise<T> {
  const { calculated } = dependencies;
  const { access } = calculated;
  const openInTransaction = async (leave: () => void) => {
    const opened = await refreshInTransaction(dependencies, open);
    leave();
    return use(opened);
  };
  if (calculated.takesLong(seen.id)) {
    return access.inLongCalculation(seen.id, async () => use(await refreshInTransaction(dependencies, open)));
  }
  const found =
    (calculated.holds(seen) && (await access.exclusively(seen.id, () => useHeld(dependencies, open, use)))) ||
    (await access.inOpening(seen.id, (leave) => useSmall(dependencies, open, use, leave)));
  return found ? found.result : access.inLargeOpening(seen.id, openInTransaction);
}

/** Undefined if the calculation does not hold the current version. */
async function useHeld<T>({ calculated, database }: SpreadsheetDependencies, open: Open, use: Use<T>) {
  const opened = await database.read(open);
  return calculated.holds(opened.workbook) ? { result: await use(opened) } : undefined;
}

/** Undefined if the update is too large to hold in memory. */
async function useSmall<T>(
  dependencies: SpreadsheetDependencies,
  open: Open,
  use: Use<T>,
  leave: () => void,
) {
  const { opened, refresh } = await dependencies.database.read(async (tx) => {
    const opened = await open(tx);
    return { opened, refresh: await dependencies.calculated.smallUpdate(tx, opened.workbook) };
  });
  if (!refresh) return undefined;
  await refresh();
  leave();
  return { result: await use(opened) };
}

function refreshInTransaction(
  { calculated, database }: { calculated: CalculatedValues; database: SpreadsheetDependencies['database'] },
  open: Open,
): Promise<OpenedSpreadsheet> {
  return database.read(async (tx) => {
    const opened = await open(tx);
    await calculated.refreshTo(tx, opened.workbook);
    return opened;
  });
}
