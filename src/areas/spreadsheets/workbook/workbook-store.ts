import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { SpreadsheetKey, Workbook } from './workbook.ts';

const workbookOfNode = statement((tx, p: SpreadsheetKey) =>
  tx
    .selectFrom('spreadsheets')
    .select(['version', 'followed_since', 'revision', 'sheets'])
    .where('workspace_id', '=', p.workspaceId)
    .where('node_id', '=', p.id),
);

/** The spreadsheet of a node of the workspace, without its cells. */
export async function getWorkbook(
  tx: ReadTransaction,
  { workspaceId, id }: SpreadsheetKey,
): Promise<Workbook> {
  const [row] = await workbookOfNode(tx, { workspaceId, id });
  if (!row) throw new TypeError(`The node ${id} has no spreadsheet`);
  const { version, followed_since: followedSince, revision, sheets } = row;
  return { workspaceId, id, version, followedSince, revision, sheets: JSON.parse(sheets) };
}

export async function insertWorkbook(tx: WriteTransaction, workbook: Workbook): Promise<void> {
  const { workspaceId, id } = workbook;
  await tx
    .insertInto('spreadsheets')
    .values({ ...columnsOf(workbook), workspace_id: workspaceId, node_id: id })
    .execute();
}

export async function updateWorkbook(tx: WriteTransaction, workbook: Workbook): Promise<void> {
  const { workspaceId, id } = workbook;
  await changeWorkbook(tx, { ...columnsOf(workbook), workspaceId, id });
}

type Columns = ReturnType<typeof columnsOf>;

function columnsOf({ version, followedSince, revision, sheets }: Workbook) {
  return {
    version,
    followed_since: followedSince,
    revision,
    sheets: JSON.stringify(sheets),
  };
}

const changeWorkbook = command((tx: WriteTransaction, p: SpreadsheetKey & Columns) =>
  tx
    .updateTable('spreadsheets')
    .set({
      version: p.version,
      followed_since: p.followed_since,
      revision: p.revision,
      sheets: p.sheets,
    })
    .where('workspace_id', '=', p.workspaceId)
    .where('node_id', '=', p.id),
);
