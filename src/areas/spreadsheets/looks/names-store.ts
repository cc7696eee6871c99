import type { ImportedName } from '../../../formats/workbooks/looks.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { SpreadsheetKey } from '../workbook/workbook.ts';

const namesOfBook = statement((tx, p: SpreadsheetKey) =>
  tx
    .selectFrom('spreadsheet_names')
    .select('names')
    .where('workspace_id', '=', p.workspaceId)
    .where('node_id', '=', p.id),
);

/** The defined names of a spreadsheet. */
export async function findNames(
  tx: ReadTransaction,
  { workspaceId, id }: SpreadsheetKey,
): Promise<ImportedName[]> {
  const [row] = await namesOfBook(tx, { workspaceId, id });
  return row ? (JSON.parse(row.names) as ImportedName[]) : [];
}

const upsertNames = command((tx: WriteTransaction, p: SpreadsheetKey & { names: string }) =>
  tx
    .insertInto('spreadsheet_names')
    .values({ workspace_id: p.workspaceId, node_id: p.id, names: p.names })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'node_id']).doUpdateSet((e) => ({ names: e.ref('excluded.names') })),
    ),
);

/** Inserts the names of a spreadsheet, or replaces them. */
export async function putNames(
  tx: WriteTransaction,
  { workspaceId, id }: SpreadsheetKey,
  names: readonly ImportedName[],
): Promise<void> {
  await upsertNames(tx, { workspaceId, id, names: JSON.stringify(names) });
}
