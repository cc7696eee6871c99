import type { ImportNote } from '../../../formats/workbooks/import-notes.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { SpreadsheetKey } from '../workbook/workbook.ts';

const notesOfBook = statement((tx, p: SpreadsheetKey) =>
  tx
    .selectFrom('spreadsheet_import_notes')
    .select('notes')
    .where('workspace_id', '=', p.workspaceId)
    .where('node_id', '=', p.id),
);

/** What the import of a spreadsheet has left out. */
export async function findImportNotes(
  tx: ReadTransaction,
  { workspaceId, id }: SpreadsheetKey,
): Promise<ImportNote[]> {
  const [row] = await notesOfBook(tx, { workspaceId, id });
  return row ? (JSON.parse(row.notes) as ImportNote[]) : [];
}

/** Stores what the import of a new spreadsheet has left out. */
export async function insertImportNotes(
  tx: WriteTransaction,
  { workspaceId, id }: SpreadsheetKey,
  notes: readonly ImportNote[],
): Promise<void> {
  await tx
    .insertInto('spreadsheet_import_notes')
    .values({ workspace_id: workspaceId, node_id: id, notes: JSON.stringify(notes) })
    .execute();
}
