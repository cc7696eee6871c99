import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { isAmong, ROWS_A_PORTION, readInPortions, textsIn } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { NodeGrants as GrantRow, NodeKind } from '../../../storage/schema/tables.ts';
import { gatherInTurns, sortInTurns } from '../../../turns/in-turns.ts';
import type { DriveOwner } from '../owner.ts';

export type { GrantRow };

const grantsAfter = statement((tx, p: { workspaceId: string; nodeId: string; after: string }) =>
  tx
    .selectFrom('node_grants')
    .selectAll()
    .where('workspace_id', '=', p.workspaceId)
    .where('node_id', '=', p.nodeId)
    .where('principal_id', '>', p.after)
    .orderBy('principal_id')
    .limit(sql.lit(ROWS_A_PORTION)),
);

/** A user whom a node is shared with, directly or through a group. */
export interface ReaderRow {
  node_id: string;
  node_kind: NodeKind;
  user_id: string;
}

const usersWithGrants = statement((tx, p: { workspaceId: string; nodeIds: string }) =>
  tx
    .selectFrom('node_grants as g')
    .select(['g.node_id', 'g.node_kind', 'g.principal_id as user_id'])
    .where('g.workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'g.node_id', p.nodeIds))
    .where('g.principal_type', '=', 'user')
    .union(
      tx
        .selectFrom('node_grants as g')
        .innerJoin('group_members as m', (join) =>
          join.onRef('m.workspace_id', '=', 'g.workspace_id').onRef('m.group_id', '=', 'g.principal_id'),
        )
        .select(['g.node_id', 'g.node_kind', 'm.user_id'])
        .where('g.workspace_id', '=', p.workspaceId)
        .where(isAmong(tx, 'g.node_id', p.nodeIds))
        .where('g.principal_type', '=', 'group'),
    ),
);

/** Everyone whom these nodes are shared with, active or not, once for each node. */
export function listReaders(
  tx: ReadTransaction,
  workspaceId: string,
  nodeIds: readonly string[],
): Promise<ReaderRow[]> {
  return usersWithGrants(tx, { workspaceId, nodeIds: JSON.stringify(nodeIds) });
}

const principalsWithGrants = statement((tx, p: { workspaceId: string; userId: string; user: string }) => {
  const groups = tx
    .selectFrom('group_members')
    .select('group_id as value')
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId);
  const principals = groups.unionAll(tx.selectFrom(textsIn(tx, p.user, 'u')).select('u.value'));
  const grant = tx
    .selectFrom('node_grants as g')
    .select('g.principal_id')
    .where('g.workspace_id', '=', p.workspaceId)
    .where('g.principal_id', '=', sql.ref<string>('p.value'))
    // Sorted to take the first entry of an index: without an order, PostgreSQL would scan the whole table.
    .orderBy('g.node_kind')
    .orderBy('g.node_state')
    .orderBy('g.node_place')
    .limit(sql.lit(1));
  return tx.selectFrom(principals.as('p')).select('p.value').where(grant, 'is not', null);
});

/** The principals that a user acts as, the user and the user's groups, if they have any grant. */
export async function grantedPrincipals(
  tx: ReadTransaction,
  { workspaceId, userId }: DriveOwner,
): Promise<string[]> {
  const rows = await principalsWithGrants(tx, { workspaceId, userId, user: JSON.stringify([userId]) });
  return rows.map(({ value }) => value);
}

/** All grants on a node, in order of creation. It yields to the event loop in between. */
export async function listGrants(
  tx: ReadTransaction,
  workspaceId: string,
  nodeId: string,
): Promise<readonly GrantRow[]> {
  const portions = readInPortions((last: GrantRow | undefined) =>
    grantsAfter(tx, { workspaceId, nodeId, after: last?.principal_id ?? '' }),
  );
  const grants = await gatherInTurns(portions, (grant) => grant);
  return sortInTurns(grants, (a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
}

/** A grant on this node; undefined if it does not exist. */
export async function findGrant(
  tx: ReadTransaction,
  workspaceId: string,
  nodeId: string,
  grantId: string,
): Promise<GrantRow | undefined> {
  return tx
    .selectFrom('node_grants')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', grantId)
    .where('node_id', '=', nodeId)
    .executeTakeFirst();
}

/**
 * Inserts a grant, or changes the role if the principal already has one on the node. Returns the stored grant, and whether
 * anything is stored differently.
 */
export async function saveGrant(
  tx: WriteTransaction,
  grant: GrantRow,
): Promise<{ grant: GrantRow; isChanged: boolean }> {
  const saved = await tx
    .insertInto('node_grants')
    .values(grant)
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'node_id', 'principal_id'])
        .doUpdateSet({ role: grant.role })
        .where('node_grants.role', '!=', grant.role),
    )
    .returningAll()
    .executeTakeFirst();
  if (saved) return { grant: saved, isChanged: true };
  return { grant: await grantOfPrincipal(tx, grant), isChanged: false };
}

function grantOfPrincipal(
  tx: ReadTransaction,
  { workspace_id, node_id, principal_id }: GrantRow,
): Promise<GrantRow> {
  return tx
    .selectFrom('node_grants')
    .selectAll()
    .where('workspace_id', '=', workspace_id)
    .where('node_id', '=', node_id)
    .where('principal_id', '=', principal_id)
    .executeTakeFirstOrThrow();
}

export async function deleteGrant(tx: WriteTransaction, workspaceId: string, grantId: string): Promise<void> {
  await tx
    .deleteFrom('node_grants')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', grantId)
    .execute();
}
