import type { HiddenRows, SheetFilter } from '../../../formats/workbooks/workbook.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { SheetKey } from './block-store.ts';

/** The JSON in the database. Runs are encoded as in RowRuns. */
interface Stored {
  readonly byHand: readonly number[];
  readonly byFilter: readonly number[];
  readonly filter?: SheetFilter | undefined;
}

const hiddenRowsOf = statement((tx, p: SheetKey) =>
  tx
    .selectFrom('spreadsheet_hidden_rows')
    .select('hidden')
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet),
);

/** The hidden rows of a sheet; undefined if none are stored. */
export async function findHiddenRows(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
): Promise<HiddenRows | undefined> {
  const [row] = await hiddenRowsOf(tx, { workspaceId, sheet });
  if (!row) return undefined;
  const { byHand, byFilter, filter } = JSON.parse(row.hidden) as Stored;
  return { byHand: Uint32Array.from(byHand), byFilter: Uint32Array.from(byFilter), filter };
}

const upsertHiddenRows = command((tx: WriteTransaction, p: SheetKey & { hidden: string }) =>
  tx
    .insertInto('spreadsheet_hidden_rows')
    .values({ workspace_id: p.workspaceId, sheet: p.sheet, hidden: p.hidden })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'sheet']).doUpdateSet((e) => ({ hidden: e.ref('excluded.hidden') })),
    ),
);

export async function putHiddenRows(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  { byHand, byFilter, filter }: HiddenRows,
): Promise<void> {
  const stored: Stored = { byHand: Array.from(byHand), byFilter: Array.from(byFilter), filter };
  await upsertHiddenRows(tx, { workspaceId, sheet, hidden: JSON.stringify(stored) });
}

const dropHiddenRows = command((tx: WriteTransaction, p: SheetKey) =>
  tx
    .deleteFrom('spreadsheet_hidden_rows')
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet),
);

/** Removes the hidden rows of a sheet. */
export async function removeHiddenRows(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
): Promise<void> {
  await dropHiddenRows(tx, { workspaceId, sheet });
}
