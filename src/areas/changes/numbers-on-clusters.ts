import type { ReadTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/query/statement.ts';

/** Below are the numbers of one server from before there was a cluster, and above are times, in microseconds. */
const FIRST_TIME = 1e15;

const selectLast = statement((tx, p: { workspaceId: string }) =>
  tx
    .selectFrom('write_locks')
    .select('taken')
    .where('workspace_id', '=', p.workspaceId)
    .where('scope', '=', 'changes'),
);

/** The number of the last changes of a workspace that are seen; all later ones of it have higher numbers. */
export async function lastNumberOf(tx: ReadTransaction, workspaceId: string): Promise<number> {
  const [row] = await selectLast(tx, { workspaceId });
  return row?.taken ?? FIRST_TIME;
}

/**
 * Workspaces are numbered independently: a change may be seen after others with higher numbers, but seldom so much later, in
 * microseconds.
 */
export const LATE = 3_000_000;

/** The last number of a feed. */
export interface FeedNumber {
  readonly workspaceId: string;
  readonly viewer: string;
  readonly last: number;
}

/** The feeds of all workspaces that have changes with numbers above this one. */
export async function feedsAbove(tx: ReadTransaction, number: number): Promise<FeedNumber[]> {
  return tx
    .selectFrom('changes')
    .select(['workspace_id as workspaceId', 'viewer'])
    .select(({ fn }) => fn.max('transaction_id').as('last'))
    .where('transaction_id', '>', number)
    .groupBy(['workspace_id', 'viewer'])
    .execute();
}
