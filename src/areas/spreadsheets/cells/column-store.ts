import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { rowsInsertion } from '../../../storage/query/insertion.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { SheetKey } from './block-store.ts';

const addToColumns = rowsInsertion(
  'spreadsheet_columns',
  ['workspace_id', 'sheet', 'place', 'cells'],
  (rows) =>
    rows.onConflict((conflict) =>
      conflict.columns(['workspace_id', 'sheet', 'place']).doUpdateSet((e) => ({
        cells: sql<number>`${e.ref('spreadsheet_columns.cells')} + ${e.ref('excluded.cells')}`,
      })),
    ),
);

/**
 * Adds to the numbers of used cells of columns, by the sort key of the column (database column `place`: its stored
 * position).
 */
export async function addToColumnCounts(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  counts: ReadonlyMap<number, number>,
): Promise<void> {
  const changed = [...counts].filter(([, count]) => count !== 0);
  await addToColumns(
    tx,
    changed.map(([place, count]) => [workspaceId, sheet, place, count]),
    {},
  );
}

const lastColumn = statement((tx, p: SheetKey & { first: number; last: number }) =>
  tx
    .selectFrom('spreadsheet_columns')
    .select('place')
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where('place', '>=', p.first)
    .where('place', '<=', p.last)
    .where('cells', '>', 0)
    .orderBy('place', 'desc')
    .limit(1),
);

/** The last position of a used column from `first` to `last`; undefined if there is none. */
export async function findLastColumn(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  first: number,
  last: number,
): Promise<number | undefined> {
  const [row] = await lastColumn(tx, { workspaceId, sheet, first, last });
  return row?.place;
}

const dropColumns = statement((tx: WriteTransaction, p: SheetKey) =>
  tx.deleteFrom('spreadsheet_columns').where('workspace_id', '=', p.workspaceId).where('sheet', '=', p.sheet),
);

/** Removes the cell counts of a sheet. */
export async function removeColumns(tx: WriteTransaction, { workspaceId, sheet }: SheetKey): Promise<void> {
  await dropColumns(tx, { workspaceId, sheet });
}
