import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { type Cell, valueIn } from '../../storage/schema/table-rows.ts';
import type { MovedTable } from './moved-tables.ts';

/** The parts of a table that are read. */
export type ReadTable = Pick<MovedTable, 'name' | 'columns' | 'key' | 'workspaceColumn'>;

/**
 * The rows of a workspace after a key, in the order of the key. The workspace is no part of the comparison: both engines
 * begin within its rows where the key begins with it.
 */
export async function rowsOfWorkspace(
  tx: ReadTransaction,
  { name, columns, key, workspaceColumn }: ReadTable,
  workspaceId: string,
  after: readonly Cell[] | undefined,
  limit: number,
): Promise<Cell[][]> {
  const order = orderOf({ key, workspaceColumn });
  const rest = after && order.length > 0 ? sql`and (${refs(order)}) > (${sql.join(after)})` : sql``;
  const sorted = order.length > 0 ? sql`order by ${refs(order)}` : sql``;
  const query = sql<Record<string, Cell>>`
    select ${refs(columns)} from ${sql.table(name)}
    where ${sql.ref(workspaceColumn)} = ${workspaceId} ${rest} ${sorted} limit ${limit}`;
  const { rows } = await tx.executeQuery(query.compile(tx));
  return rows.map((row) => columns.map((column) => row[column] ?? null));
}

/** The place of a row among those of its workspace. */
export function placeOf(table: ReadTable, row: readonly Cell[]): Cell[] {
  return orderOf(table).map((column) => valueIn(table, row, column));
}

function orderOf({ key, workspaceColumn }: Pick<ReadTable, 'key' | 'workspaceColumn'>): string[] {
  return key.filter((column) => column !== workspaceColumn);
}

/** Removes rows by their keys, in the order of the columns of the key; further values of a row are ignored. */
export async function removeByKeys(
  tx: WriteTransaction,
  { name, key }: Pick<ReadTable, 'name' | 'key'>,
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const tuples = sql.join(rows.map((row) => sql`(${sql.join(row.slice(0, key.length))})`));
  const among = tx.engine === 'sqlite' ? sql`(values ${tuples})` : sql`(${tuples})`;
  await tx.executeQuery(sql`delete from ${sql.table(name)} where (${refs(key)}) in ${among}`.compile(tx));
}

/** How many rows of a workspace a table has. */
export async function countOfWorkspace(
  tx: ReadTransaction,
  { name, workspaceColumn }: ReadTable,
  workspaceId: string,
): Promise<number> {
  const query = sql<{ count: number }>`
    select count(*) as count from ${sql.table(name)} where ${sql.ref(workspaceColumn)} = ${workspaceId}`;
  const { rows } = await tx.executeQuery(query.compile(tx));
  return Number(rows[0]?.count);
}

function refs(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)));
}
