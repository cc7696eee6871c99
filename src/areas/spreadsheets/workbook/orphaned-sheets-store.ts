import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { SheetKey } from '../cells/block-store.ts';

const noteRemains = statement((tx: WriteTransaction, p: SheetKey & { sweepAt: number }) =>
  tx
    .insertInto('spreadsheet_remains')
    .values({ workspace_id: p.workspaceId, sheet: p.sheet, sweep_at: p.sweepAt })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'sheet'])
        .doUpdateSet((e) => ({ sweep_at: e.ref('excluded.sweep_at') })),
    ),
);

/** Notes a sheet that no spreadsheet has: from a time on, what is stored of it may be removed. */
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

/** Answers whether the sheet was noted. */
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
    .orderBy('sweep_at')
    .limit(p.limit),
);

/** Sheets that may be removed now. */
export function listOrphanedSheets(tx: ReadTransaction, now: number, limit: number): Promise<SheetKey[]> {
  return remainsDue(tx, { now, limit });
}
