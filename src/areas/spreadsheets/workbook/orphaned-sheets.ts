import type { Database, ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { isAtHome } from '../../../storage/moves.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import { listBlockSizes, removeBlocks, type SheetKey } from '../cells/block-store.ts';
import { removeColumns } from '../cells/column-store.ts';
import { listFormats, removeFormats } from '../cells/format-store.ts';
import { removeHiddenRows } from '../cells/hidden-rows-store.ts';
import { removeLooks } from '../looks/looks-store.ts';
import { listKeyedRows, removeKeyedRows } from '../writing/row-key-store.ts';

const noteRemains = command((tx: WriteTransaction, p: SheetKey & { sweepAt: number }) =>
  tx
    .insertInto('spreadsheet_remains')
    .values({ workspace_id: p.workspaceId, sheet: p.sheet, sweep_at: p.sweepAt })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'sheet'])
        .doUpdateSet((e) => ({ sweep_at: e.ref('excluded.sweep_at') })),
    ),
);

/** Records a sheet that belongs to no spreadsheet. Its data may be removed from the time `sweepAt` on. */
export async function putOrphanedSheets(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  sweepAt: number,
): Promise<void> {
  await noteRemains(tx, { workspaceId, sheet, sweepAt });
}

const dropRemains = statement((tx: WriteTransaction, p: SheetKey) =>
  tx.deleteFrom('spreadsheet_remains').where('workspace_id', '=', p.workspaceId).where('sheet', '=', p.sheet),
);

/** Returns whether the sheet was recorded. */
export async function removeOrphanedSheets(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
): Promise<boolean> {
  return (await dropRemains(tx, { workspaceId, sheet })) > 0;
}

const remainsDue = statement((tx, p: { now: number; limit: number }) =>
  tx
    .selectFrom('spreadsheet_remains')
    .select(['workspace_id as workspaceId', 'sheet'])
    .where('sweep_at', '<=', p.now)
    .where(isAtHome('spreadsheet_remains.workspace_id'))
    .orderBy('sweep_at')
    .limit(p.limit),
);

/** Sheets that may be removed now. */
export function listOrphanedSheets(tx: ReadTransaction, now: number, limit: number): Promise<SheetKey[]> {
  return remainsDue(tx, { now, limit });
}

const SHEETS_AT_ONCE = 50;
const BLOCKS_AT_ONCE = 64;
const KEYS_AT_ONCE = 1_000;
/** Limits a transaction, because SQLite reads every page of what it deletes. */
const BYTES_AT_ONCE = 4 * 1024 * 1024;
/** Beyond the positions of any axis. */
const FAR = 2 ** 40;
const EVERYWHERE = { top: -FAR, left: -FAR, bottom: FAR, right: FAR };

/** Removes the data of sheets that belong to no spreadsheet, portion by portion. */
export async function sweepOrphanedSheets(database: Database): Promise<void> {
  for (;;) {
    const sheets = await database.read(async (tx) => listOrphanedSheets(tx, await tx.now(), SHEETS_AT_ONCE));
    for (const sheet of sheets) while (!(await database.write((tx) => removePortion(tx, sheet))));
    if (sheets.length < SHEETS_AT_ONCE) return;
  }
}

/** Returns whether all data of the sheet has been removed. */
async function removePortion(tx: WriteTransaction, sheet: SheetKey): Promise<boolean> {
  await tx.join(sheet.workspaceId);
  const listed = await listBlockSizes(tx, sheet, BLOCKS_AT_ONCE);
  const blocks = firstOf(listed);
  await removeBlocks(tx, sheet, blocks);
  if (blocks.length < listed.length || listed.length === BLOCKS_AT_ONCE) return false;
  const formats = await listFormats(tx, sheet, EVERYWHERE, undefined, BLOCKS_AT_ONCE);
  await removeFormats(tx, sheet, formats);
  if (formats.length === BLOCKS_AT_ONCE) return false;
  const keyed = await listKeyedRows(tx, sheet, '', KEYS_AT_ONCE);
  await removeKeyedRows(tx, sheet, keyed.at(-1)?.rowKey ?? '');
  if (keyed.length === KEYS_AT_ONCE) return false;
  await removeColumns(tx, sheet);
  await removeHiddenRows(tx, sheet);
  await removeLooks(tx, sheet);
  await removeOrphanedSheets(tx, sheet);
  return true;
}

/** At least one block, and as many more as stay below the limit together. */
function firstOf<T extends { readonly size: number }>(blocks: readonly T[]): readonly T[] {
  let bytes = 0;
  const end = blocks.findIndex(({ size }) => {
    bytes += size;
    return bytes > BYTES_AT_ONCE;
  });
  return end === -1 ? blocks : blocks.slice(0, Math.max(end, 1));
}
