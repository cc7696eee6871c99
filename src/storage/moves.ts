import { type RawBuilder, sql } from 'kysely';
import { type AwayState, type ReadTransaction, WorkspaceAway, type WriteTransaction } from './database.ts';
import { statement } from './query/statement.ts';

const stateOf = statement((tx, p: { workspaceId: string }) =>
  tx
    .selectFrom('workspace_moves')
    .select(['state', 'location'])
    .where('workspace_id', '=', p.workspaceId)
    .where('state', '!=', sql.lit('arrived')),
);

const anyAway = statement((tx) =>
  tx
    .selectFrom('workspace_moves')
    .select('workspace_id')
    .where('state', '!=', sql.lit('arrived'))
    .limit(sql.lit(1)),
);

/** The last version of the table, on SQLite, in which no workspace was away: each write asks, and hardly ever one is. */
let versionWithoutAway: number | undefined;

/** Why a workspace is not written here; undefined for one that is at home. */
export async function findAway(tx: ReadTransaction, workspaceId: string): Promise<WorkspaceAway | undefined> {
  const [row] = await stateOf(tx, { workspaceId });
  return row && new WorkspaceAway(workspaceId, row.state as AwayState, row.location);
}

/** As `findAway`, for a write: on SQLite it asks nothing while the table is as it was when nobody was away. */
export async function findAwayForWrite(
  tx: WriteTransaction,
  workspaceId: string,
): Promise<WorkspaceAway | undefined> {
  const version = tx.versionOf(['workspace_moves']);
  if (version !== undefined && version === versionWithoutAway) return undefined;
  const away = await findAway(tx, workspaceId);
  if (!away && version !== undefined && (await anyAway(tx, {})).length === 0) versionWithoutAway = version;
  return away;
}

/** Whether a workspace has come from another installation. */
export async function hasArrived(tx: ReadTransaction, workspaceId: string): Promise<boolean> {
  const [row] = await arrival(tx, { workspaceId });
  return row !== undefined;
}

const arrival = statement((tx, p: { workspaceId: string }) =>
  tx
    .selectFrom('workspace_moves')
    .select('state')
    .where('workspace_id', '=', p.workspaceId)
    .where('state', '=', sql.lit('arrived')),
);

/** SQL: whether the workspace of a row is at home, for sweeps that see the rows of all workspaces. */
export function isAtHome(workspaceId: string): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select 1 from workspace_moves as away
    where away.workspace_id = ${sql.ref(workspaceId)} and away.state <> 'arrived')`;
}
