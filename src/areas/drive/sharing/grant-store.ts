import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { ROWS_A_PORTION, readInPortions, textsIn } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { NodeGrants as GrantRow, NodeRole } from '../../../storage/schema/tables.ts';
import { gatherInTurns, sortInTurns } from '../../../turns/in-turns.ts';

export type { GrantRow };

/** A statement accepts a limited number of parameters. */
const PRINCIPALS_A_STATEMENT = 1_000;

/** The roles that grants on a node give to any of these principals. */
export async function findRoles(
  tx: ReadTransaction,
  workspaceId: string,
  nodeId: string,
  principalIds: readonly string[],
): Promise<NodeRole[]> {
  const roles: NodeRole[] = [];
  for (let i = 0; i < principalIds.length; i += PRINCIPALS_A_STATEMENT) {
    const rows = await tx
      .selectFrom('node_grants')
      .select('role')
      .where('workspace_id', '=', workspaceId)
      .where('node_id', '=', nodeId)
      .where('principal_id', 'in', principalIds.slice(i, i + PRINCIPALS_A_STATEMENT))
      .execute();
    roles.push(...rows.map((row) => row.role));
  }
  return roles;
}

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

const principalsWithGrants = statement((tx, p: { principals: string }) => {
  const grant = tx
    .selectFrom('node_grants as g')
    .select('g.principal_id')
    .where('g.principal_id', '=', sql.ref<string>('p.value'))
    // Sorted to take the first entry of an index: without an order, PostgreSQL would scan the whole table.
    .orderBy('g.node_kind')
    .orderBy('g.node_state')
    .orderBy('g.node_place')
    .limit(sql.lit(1));
  return tx
    .selectFrom(textsIn(tx, p.principals, 'p'))
    .select('p.value')
    .where(grant, 'is not', null);
});

/** Those of the principals that have any grant. */
export async function grantedPrincipals(
  tx: ReadTransaction,
  principalIds: readonly string[],
): Promise<string[]> {
  const rows = await principalsWithGrants(tx, { principals: JSON.stringify(principalIds) });
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

/** Inserts a grant, or changes the role if the principal already has one on the node. Returns the stored grant. */
export async function saveGrant(tx: WriteTransaction, grant: GrantRow): Promise<GrantRow> {
  return tx
    .insertInto('node_grants')
    .values(grant)
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'node_id', 'principal_id']).doUpdateSet({ role: grant.role }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteGrant(tx: WriteTransaction, workspaceId: string, grantId: string): Promise<void> {
  await tx
    .deleteFrom('node_grants')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', grantId)
    .execute();
}
