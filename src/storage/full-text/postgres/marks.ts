import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../database.ts';
import { integerMember, jsonRows, textMember } from '../../query/json-rows.ts';
import type { IndexPosition } from '../full-text-index.ts';
import { listed, rowsOf } from './rows.ts';

/** How far the index has come in the workspaces of a cluster. */
export const MARKS_TABLE = sql`create table search_marks (
  workspace_id text collate "C" primary key,
  transaction bigint not null,
  number bigint not null)`;

/** Stands for the workspaces that have no mark of their own. */
const OTHERS = '';
/** No transaction takes so long that a build does not see it, in microseconds. */
const LONGEST_TRANSACTION = 3_600e6;

export async function readMarks(
  tx: ReadTransaction,
  workspaceIds: readonly string[],
): Promise<Map<string, IndexPosition>> {
  const wanted = listed([OTHERS, ...workspaceIds]);
  const rows = await rowsOf<IndexPosition & { workspace_id: string }>(
    tx,
    sql`select workspace_id, transaction, number from search_marks
      where workspace_id = any(array(select ${textMember(0)} from ${jsonRows(tx, wanted)}))`,
  );
  const marks = new Map(
    rows.map(({ workspace_id, transaction, number }) => [workspace_id, { transaction, number }]),
  );
  const others = marks.get(OTHERS) ?? { transaction: 0, number: 0 };
  return new Map(workspaceIds.map((id) => [id, marks.get(id) ?? others]));
}

/** A build reads all objects: what was committed long before it began need not be followed. */
export async function beginMarks(tx: WriteTransaction, { transaction }: IndexPosition): Promise<void> {
  const begin = { transaction: Math.max(transaction - LONGEST_TRANSACTION, 0), number: 0 };
  await rowsOf(tx, sql`delete from search_marks`);
  await putMarks(tx, new Map([[OTHERS, begin]]));
}

export async function putMarks(
  tx: WriteTransaction,
  marks: ReadonlyMap<string, IndexPosition>,
): Promise<void> {
  const rows = [...marks].map(([workspaceId, { transaction, number }]) => [workspaceId, transaction, number]);
  await rowsOf(
    tx,
    sql`insert into search_marks (workspace_id, transaction, number)
      select ${textMember(0)}, ${integerMember(1)}, ${integerMember(2)}
      from ${jsonRows(tx, JSON.stringify(rows))}
      on conflict (workspace_id) do update set transaction = excluded.transaction, number = excluded.number`,
  );
}
