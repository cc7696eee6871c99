import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { SheetKey } from '../cells/block-store.ts';

const looksOfSheet = statement((tx, p: SheetKey) =>
  tx
    .selectFrom('spreadsheet_looks')
    .select('looks')
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet),
);

/** The encoded looks of a sheet; undefined if none are stored. */
export async function findLooks(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
): Promise<string | undefined> {
  const [row] = await looksOfSheet(tx, { workspaceId, sheet });
  return row?.looks;
}

const upsertLooks = command((tx: WriteTransaction, p: SheetKey & { looks: string }) =>
  tx
    .insertInto('spreadsheet_looks')
    .values({ workspace_id: p.workspaceId, sheet: p.sheet, looks: p.looks })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'sheet']).doUpdateSet((e) => ({ looks: e.ref('excluded.looks') })),
    ),
);

export async function putLooks(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  looks: string,
): Promise<void> {
  await upsertLooks(tx, { workspaceId, sheet, looks });
}

const dropLooks = command((tx: WriteTransaction, p: SheetKey) =>
  tx.deleteFrom('spreadsheet_looks').where('workspace_id', '=', p.workspaceId).where('sheet', '=', p.sheet),
);

/** Removes the looks of a sheet. */
export async function removeLooks(tx: WriteTransaction, { workspaceId, sheet }: SheetKey): Promise<void> {
  await dropLooks(tx, { workspaceId, sheet });
}
