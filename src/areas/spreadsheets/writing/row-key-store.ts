import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { rowsInsertion } from '../../../storage/query/insertion.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { Run } from '../cells/axis.ts';
import type { SheetKey } from '../cells/block-store.ts';

/** The key of an appended row, and where the row is stored. */
export interface KeyedRow {
  readonly rowKey: string;
  /** The stored position of its row; null if the row had been deleted when the positions of its sheet were made anew. */
  readonly position: number | null;
  /** The stored positions of its columns. */
  readonly columns: readonly Run[];
}

const rowOfKey = statement((tx, p: SheetKey & { rowKey: string }) =>
  tx
    .selectFrom('spreadsheet_row_keys')
    .select(['place as position', 'columns'])
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where('row_key', '=', p.rowKey),
);

/** The row that was appended to a sheet under a key; undefined if none was. */
export async function findKeyedRow(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  rowKey: string,
): Promise<KeyedRow | undefined> {
  const [row] = await rowOfKey(tx, { workspaceId, sheet, rowKey });
  return row && { rowKey, position: row.position, columns: JSON.parse(row.columns) as Run[] };
}

const keysAfter = statement((tx, p: SheetKey & { after: string; limit: number }) =>
  tx
    .selectFrom('spreadsheet_row_keys')
    .select(['row_key as rowKey', 'place as position', 'columns'])
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where('row_key', '>', p.after)
    .orderBy('row_key')
    .limit(p.limit),
);

/** The rows of a sheet that have keys, in order of their keys; at most `limit`, after the key `after`. */
export async function listKeyedRows(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  after: string,
  limit: number,
): Promise<KeyedRow[]> {
  const rows = await keysAfter(tx, { workspaceId, sheet, after, limit });
  return rows.map(({ rowKey, position, columns }) => ({
    rowKey,
    position,
    columns: JSON.parse(columns) as Run[],
  }));
}

const insertKeys = rowsInsertion(
  'spreadsheet_row_keys',
  ['workspace_id', 'sheet', 'row_key', 'place', 'columns'],
  (rows) => rows,
);

/** Stores the keys of rows; the sheet has none of them yet. */
export async function insertKeyedRows(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  rows: readonly KeyedRow[],
): Promise<void> {
  const values = rows.map(({ rowKey, position, columns }) => [
    workspaceId,
    sheet,
    rowKey,
    position,
    JSON.stringify(columns),
  ]);
  await insertKeys(tx, values, {});
}

const dropKeys = command((tx: WriteTransaction, p: SheetKey & { last: string }) =>
  tx
    .deleteFrom('spreadsheet_row_keys')
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where('row_key', '<=', p.last),
);

/** Removes the keys of a sheet up to the key `last`, in order. */
export async function removeKeyedRows(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  last: string,
): Promise<void> {
  await dropKeys(tx, { workspaceId, sheet, last });
}
