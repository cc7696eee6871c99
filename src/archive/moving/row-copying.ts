import type { Database, WriteTransaction } from '../../storage/database.ts';
import { type Cell, insertRows } from '../../storage/schema/table-rows.ts';
import type { Progress } from '../manifest.ts';
import { type PortionBounds, rowPortions } from '../row-portions.ts';
import { type MovedTable, type Offsets, renumbered } from './moved-tables.ts';
import { countOfWorkspace, placeOf, removeByKeys, rowsOfWorkspace } from './workspace-rows.ts';

const ROWS_AT_ONCE = 500;
const REMOVED_AT_ONCE = 500;
/** Others who write wait for a transaction; both engines accept more. */
const AT_ONCE: PortionBounds = { values: 8_000, size: 1024 * 1024 };

/** The rows of a workspace in a table, in portions, with the numbers of the other installation. Nobody writes them meanwhile. */
export function rowsToMove(
  database: Database,
  table: MovedTable,
  workspaceId: string,
  offsets: Offsets,
): AsyncGenerator<Cell[][]> {
  return rowPortions(rowsOf(database, table, workspaceId, offsets), table.columns.length, AT_ONCE);
}

async function* rowsOf(
  database: Database,
  table: MovedTable,
  workspaceId: string,
  offsets: Offsets,
): AsyncGenerator<Cell[]> {
  for (let after: Cell[] | undefined; ; ) {
    const place = after;
    const rows = await database.read((tx) => rowsOfWorkspace(tx, table, workspaceId, place, ROWS_AT_ONCE));
    for (const row of rows) yield renumbered(table, row, offsets);
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) return;
    after = placeOf(table, last);
  }
}

/** Copies the rows of a table. `claim` is called in each transaction of the target: it throws where another has taken over. */
export async function copyTable(
  { source, target }: { source: Database; target: Database },
  table: MovedTable,
  workspaceId: string,
  offsets: Offsets,
  progress: Progress,
  claim: (tx: WriteTransaction) => Promise<void>,
): Promise<void> {
  for await (const rows of rowsToMove(source, table, workspaceId, offsets)) {
    await target.write(async (tx) => {
      await claim(tx);
      await insertRows(tx, table, rows);
    });
    progress.rows += rows.length;
  }
}

/** The rows of tables of which one statement after the other is made, in memory: those that come last. */
export async function rowsInMemory(
  database: Database,
  tables: readonly MovedTable[],
  workspaceId: string,
  offsets: Offsets,
): Promise<{ table: MovedTable; rows: Cell[][] }[]> {
  const portions: { table: MovedTable; rows: Cell[][] }[] = [];
  for (const table of tables)
    for await (const rows of rowsToMove(database, table, workspaceId, offsets))
      portions.push({ table, rows });
  return portions;
}

/** Tables whose old rows the servers of both sides remove at any time. */
const SWEPT = ['idempotency_records', 'mail_delivery_log'];

/** The first table of which the two sides do not have as many rows of the workspace; undefined where there is none. */
export async function differingTable(
  { source, target }: { source: Database; target: Database },
  tables: readonly MovedTable[],
  workspaceId: string,
): Promise<string | undefined> {
  for (const table of tables.filter(({ name }) => !SWEPT.includes(name))) {
    const there = await source.read((tx) => countOfWorkspace(tx, table, workspaceId));
    const here = await target.read((tx) => countOfWorkspace(tx, table, workspaceId));
    if (there !== here) return table.name;
  }
  return undefined;
}

/** What is done in the transaction of each portion that is removed, with the keys and what else was asked for. */
export type OnRemoved = (
  tx: WriteTransaction,
  removed: Pick<MovedTable, 'name' | 'columns'>,
  rows: readonly Cell[][],
) => Promise<void>;

/**
 * Removes all rows of a workspace from tables, in portions. They are found by reads: on SQLite that may read the rows of all
 * workspaces, for which no write should wait. `also`: columns that `onRemoved` needs beside the keys.
 */
export async function removeRows(
  database: Database,
  tables: readonly MovedTable[],
  workspaceId: string,
  onRemoved: OnRemoved,
  also: (table: MovedTable) => readonly string[] = () => [],
): Promise<number> {
  let count = 0;
  for (const table of tables) {
    const read = { ...table, columns: [...table.key, ...also(table)] };
    for (let after: Cell[] | undefined; ; ) {
      const place = after;
      const rows = await database.read((tx) =>
        rowsOfWorkspace(tx, read, workspaceId, place, REMOVED_AT_ONCE),
      );
      const last = rows.at(-1);
      if (!last) break;
      await database.write(async (tx) => {
        await onRemoved(tx, read, rows);
        await removeByKeys(tx, read, rows);
      });
      count += rows.length;
      if (rows.length < REMOVED_AT_ONCE) break;
      after = placeOf(read, last);
    }
  }
  return count;
}
