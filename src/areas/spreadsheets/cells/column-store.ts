import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { rowsInsertion } from '../../../storage/query/insertion.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { SheetKey } from './block-store.ts';

const addToColumns = rowsInsertion(
  'spreadsheet_columns',
  ['workspace_id', 'sheet', 'place', 'cells', 'reach'],
  (rows) =>
    rows.onConflict((conflict) =>
      conflict.columns(['workspace_id', 'sheet', 'place']).doUpdateSet((e) => ({
        cells: sql<number>`${e.ref('spreadsheet_columns.cells')} + ${e.ref('excluded.cells')}`,
        // An unknown reach, which is null, stays unknown.
        reach: sql<number | null>`case
          when ${e.ref('excluded.reach')} > ${e.ref('spreadsheet_columns.reach')} then ${e.ref('excluded.reach')}
          else ${e.ref('spreadsheet_columns.reach')} end`,
      })),
    ),
);

/** What edits change of a column. */
export interface ColumnGrowth {
  /** By how much the number of its used cells changes. */
  readonly cells: number;
  /** The number of the last row, from 1, of which a cell is used that was not; 0 if there is none. */
  readonly reach: number;
}

/** Adds to what is known of columns, by the sort key of the column (database column `place`: its stored position). */
export async function addToColumnCounts(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  columns: ReadonlyMap<number, ColumnGrowth>,
): Promise<void> {
  const changed = [...columns].filter(([, { cells, reach }]) => cells !== 0 || reach > 0);
  await addToColumns(
    tx,
    changed.map(([place, { cells, reach }]) => [workspaceId, sheet, place, cells, reach]),
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

const reaches = statement((tx, p: SheetKey & { first: number; last: number }) =>
  tx
    .selectFrom('spreadsheet_columns')
    .select('reach')
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where('place', '>=', p.first)
    .where('place', '<=', p.last)
    .where('cells', '>', 0),
);

/**
 * An upper bound of the used rows of the columns from `first` to `last`: 0 if none of them is used, `unknown` if it is
 * not known of one of them.
 */
export async function findReach(
  tx: ReadTransaction,
  { workspaceId, sheet }: SheetKey,
  first: number,
  last: number,
  unknown: number,
): Promise<number> {
  const rows = await reaches(tx, { workspaceId, sheet, first, last });
  return rows.reduce((most, { reach }) => Math.max(most, reach ?? unknown), 0);
}

const lowerReaches = command(
  (tx: WriteTransaction, p: SheetKey & { first: number; last: number; reach: number }) =>
    tx
      .updateTable('spreadsheet_columns')
      .set({ reach: p.reach })
      .where('workspace_id', '=', p.workspaceId)
      .where('sheet', '=', p.sheet)
      .where('place', '>=', p.first)
      .where('place', '<=', p.last)
      .where(sql<boolean>`(reach is null or reach > ${p.reach})`),
);

/** Stores that the columns from `first` to `last` have no used row beyond the first `reach` ones. */
export async function lowerReach(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  first: number,
  last: number,
  reach: number,
): Promise<void> {
  await lowerReaches(tx, { workspaceId, sheet, first, last, reach });
}

const lengthenReaches = command((tx: WriteTransaction, p: SheetKey & { at: number; count: number }) =>
  tx
    .updateTable('spreadsheet_columns')
    .set({ reach: sql<number>`reach + ${p.count}` })
    .where('workspace_id', '=', p.workspaceId)
    .where('sheet', '=', p.sheet)
    .where('reach', '>', p.at),
);

const shortenReaches = command(
  (tx: WriteTransaction, p: SheetKey & { at: number; count: number; end: number }) =>
    tx
      .updateTable('spreadsheet_columns')
      .set({ reach: sql<number>`case when reach > ${p.end} then reach - ${p.count} else ${p.at} end` })
      .where('workspace_id', '=', p.workspaceId)
      .where('sheet', '=', p.sheet)
      .where('reach', '>', p.at),
);

/** Adapts the upper bounds of the used rows of all columns to rows that are inserted before, or removed from, row `at`. */
export async function moveReach(
  tx: WriteTransaction,
  { workspaceId, sheet }: SheetKey,
  { kind, at, count }: { kind: 'insert' | 'remove'; at: number; count: number },
): Promise<void> {
  if (kind === 'insert') await lengthenReaches(tx, { workspaceId, sheet, at, count });
  else await shortenReaches(tx, { workspaceId, sheet, at, count, end: at + count });
}

const dropColumns = command((tx: WriteTransaction, p: SheetKey) =>
  tx.deleteFrom('spreadsheet_columns').where('workspace_id', '=', p.workspaceId).where('sheet', '=', p.sheet),
);

/** Removes the cell counts of a sheet. */
export async function removeColumns(tx: WriteTransaction, { workspaceId, sheet }: SheetKey): Promise<void> {
  await dropColumns(tx, { workspaceId, sheet });
}
