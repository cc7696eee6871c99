import { type Expression, sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { isAmong, ROWS_A_PORTION, readInPortions, textsIn } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { NodeRole } from '../../../storage/schema/tables.ts';
import { gatherInTurns } from '../../../turns/in-turns.ts';
import type { NodeRow } from '../node-store.ts';
import type { DriveOwner } from '../owner.ts';
import type { GrantRow } from './grant-store.ts';

// What folders give to what lies in them. Nothing of it is stored with what lies in them: a chain of folders is walked up
// from a node, or the folders below shared ones are walked down, by keys and indexes.

/**
 * Nodes and the folders above each of them, as rows of the node that the walk began at, or of `start`. The union keeps
 * each row once, so it ends where folders of a restored backup form a cycle.
 */
function chainsOf(
  tx: ReadTransaction,
  p: { workspaceId: string; nodeIds: string },
  start: Expression<string> = sql.ref<string>('nodes.id'),
) {
  return tx.withRecursive('chain(start, id, parent_id)', (query) =>
    query
      .selectFrom('nodes')
      .select((e) => [e.cast<string>(start, 'text').as('start'), 'nodes.id', 'nodes.parent_id'])
      .where('nodes.workspace_id', '=', p.workspaceId)
      .where(isAmong(tx, 'nodes.id', p.nodeIds))
      .union((next) => {
        const chains = next.selectFrom('chain');
        if (tx.engine === 'sqlite')
          return chains
            .innerJoin('nodes', 'nodes.id', 'chain.parent_id')
            .select(['chain.start', 'nodes.id', 'nodes.parent_id'])
            .where('nodes.workspace_id', '=', p.workspaceId);
        // PostgreSQL expects many rows of each step, and would read all nodes for it: a limit keeps it to the key.
        return chains
          .innerJoinLateral(
            (e) =>
              e
                .selectFrom('nodes')
                .select(['nodes.id', 'nodes.parent_id'])
                .where('nodes.workspace_id', '=', p.workspaceId)
                .whereRef('nodes.id', '=', 'chain.parent_id')
                .limit(sql.lit(1))
                .as('above'),
            (join) => join.onTrue(),
          )
          .select(['chain.start', 'above.id', 'above.parent_id']);
      }),
  );
}

/**
 * The chains with the grants on each of their nodes, of these principals only where they are given. PostgreSQL expects a
 * thousand nodes, and would rather read all grants of a workspace or of a principal: behind an offset it looks at one
 * node after the other.
 */
function grantsOnChains(
  tx: ReadTransaction,
  p: { workspaceId: string; nodeIds: string },
  principals?: string,
) {
  const grants = tx
    .selectFrom('node_grants as o')
    .select(['o.workspace_id', 'o.principal_type', 'o.principal_id', 'o.role'])
    .where('o.workspace_id', '=', p.workspaceId)
    .where('o.node_id', '=', sql.ref<string>('chain.id'))
    .$if(principals !== undefined, (query) => query.where(isAmong(tx, 'o.principal_id', principals ?? '')))
    .offset(sql.lit(0));
  const chains = chainsOf(tx, p).selectFrom('chain');
  return tx.engine === 'postgres'
    ? chains.crossJoinLateral(grants.as('g'))
    : chains
        .crossJoin('node_grants as g')
        .where('g.workspace_id', '=', p.workspaceId)
        .whereRef('g.node_id', '=', 'chain.id')
        .$if(principals !== undefined, (query) =>
          query.where(isAmong(tx, 'g.principal_id', principals ?? '')),
        );
}

const rolesOnChains = statement((tx, p: { workspaceId: string; nodeIds: string; principals: string }) =>
  grantsOnChains(tx, p, p.principals).select(['chain.start as node_id', 'g.role']),
);

/** The roles that these principals have on nodes, by grants on them or on folders above them, in any order. */
export function findRoles(
  tx: ReadTransaction,
  workspaceId: string,
  nodeIds: readonly string[],
  principalIds: readonly string[],
): Promise<{ node_id: string; role: NodeRole }[]> {
  const [ids, principals] = [JSON.stringify(nodeIds), JSON.stringify(principalIds)];
  return rolesOnChains(tx, { workspaceId, nodeIds: ids, principals });
}

const grantsAbove = statement((tx, p: { workspaceId: string; nodeIds: string; principals: string }) =>
  chainsOf(tx, p, sql.lit(''))
    .selectFrom('chain')
    .select(['chain.id', 'chain.parent_id'])
    .select((e) =>
      e
        .selectFrom('node_grants as g')
        .select('g.id')
        .where('g.workspace_id', '=', p.workspaceId)
        .whereRef('g.node_id', '=', 'chain.id')
        .where(isAmong(tx, 'g.principal_id', p.principals))
        .limit(sql.lit(1))
        .as('some_grant'),
    ),
);

/**
 * Those of the nodes that these principals reach by a grant on them or on a folder above them. Each folder is walked once,
 * however many of the nodes lie below it.
 */
export async function findReached(
  tx: ReadTransaction,
  workspaceId: string,
  nodeIds: readonly string[],
  principalIds: readonly string[],
): Promise<Set<string>> {
  const [ids, principals] = [JSON.stringify(nodeIds), JSON.stringify(principalIds)];
  const rows = await grantsAbove(tx, { workspaceId, nodeIds: ids, principals });
  const above = new Map(rows.map((row) => [row.id, row]));
  const known = new Map<string, boolean>();
  for (const nodeId of nodeIds) {
    const passed: string[] = [];
    let at = above.get(nodeId);
    for (; at && !known.has(at.id) && at.some_grant === null; at = above.get(at.parent_id)) {
      passed.push(at.id);
      // Where folders of a restored backup form a cycle, the second time ends it.
      known.set(at.id, false);
    }
    const isReached = at !== undefined && (known.get(at.id) ?? true);
    if (at) known.set(at.id, isReached);
    for (const id of passed) known.set(id, isReached);
  }
  return new Set(nodeIds.filter((id) => known.get(id) === true));
}

const chainOfNode = statement((tx, p: { workspaceId: string; nodeIds: string }) =>
  chainsOf(tx, p).selectFrom('chain').select(['chain.id', 'chain.parent_id']),
);

/** The ids of a node and of the folders above it, from the node up. */
export async function listChain(tx: ReadTransaction, workspaceId: string, nodeId: string): Promise<string[]> {
  const rows = await chainOfNode(tx, { workspaceId, nodeIds: JSON.stringify([nodeId]) });
  const above = new Map(rows.map(({ id, parent_id }) => [id, parent_id]));
  const chain: string[] = [];
  for (let id: string | undefined = nodeId; id !== undefined && above.has(id); ) {
    chain.push(id);
    const next = above.get(id);
    above.delete(id);
    id = next;
  }
  return chain;
}

const grantsOnNodes = statement(
  (tx, p: { workspaceId: string; nodeIds: string; afterNode: string; afterPrincipal: string }) =>
    tx
      .selectFrom('node_grants')
      .selectAll()
      .where('workspace_id', '=', p.workspaceId)
      .where(isAmong(tx, 'node_id', p.nodeIds))
      .where(sql<boolean>`(node_id, principal_id) > (${p.afterNode}, ${p.afterPrincipal})`)
      .orderBy('node_id')
      .orderBy('principal_id')
      .limit(sql.lit(ROWS_A_PORTION)),
);

/** All grants on these nodes, in any order. It yields to the event loop in between. */
export function listGrantsOn(
  tx: ReadTransaction,
  workspaceId: string,
  nodeIds: readonly string[],
): Promise<readonly GrantRow[]> {
  const ids = JSON.stringify(nodeIds);
  const portions = readInPortions((last: GrantRow | undefined) =>
    grantsOnNodes(tx, {
      workspaceId,
      nodeIds: ids,
      afterNode: last?.node_id ?? '',
      afterPrincipal: last?.principal_id ?? '',
    }),
  );
  return gatherInTurns(portions, (grant) => grant);
}

const principalsOnChains = statement((tx, p: { workspaceId: string; nodeIds: string }) =>
  grantsOnChains(tx, p).select(['g.principal_type', 'g.principal_id']).distinct(),
);

const membersOfGroups = statement((tx, p: { workspaceId: string; groupIds: string }) =>
  tx
    .selectFrom('group_members')
    .select('user_id')
    .distinct()
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'group_id', p.groupIds)),
);

/** Everyone who reaches a node by a grant on it or on a folder above it, active or not, each once. */
export async function listUsersWithGrants(
  tx: ReadTransaction,
  workspaceId: string,
  nodeId: string,
): Promise<string[]> {
  const principals = await principalsOnChains(tx, { workspaceId, nodeIds: JSON.stringify([nodeId]) });
  const { user: users = [], group: groups = [] } = Object.groupBy(principals, (one) => one.principal_type);
  const groupIds = JSON.stringify(groups.map(({ principal_id }) => principal_id));
  const members = groups.length > 0 ? await membersOfGroups(tx, { workspaceId, groupIds }) : [];
  return [
    ...new Set([...users.map(({ principal_id }) => principal_id), ...members.map((one) => one.user_id)]),
  ];
}

const rootsOnChains = statement((tx, p: { workspaceId: string; nodeIds: string }) =>
  chainsOf(tx, p)
    .selectFrom('chain')
    .crossJoin('node_grants as g')
    .select(['chain.start as folder_id', 'chain.id as root_id'])
    .distinct()
    .where('g.workspace_id', '=', p.workspaceId)
    .whereRef('g.node_id', '=', 'chain.id')
    .whereRef('chain.id', '!=', 'chain.start')
    .where('g.node_state', '=', sql.lit('active' as const)),
);

/** The active shared folders above each of these folders, in any order. */
export function listRootsAbove(
  tx: ReadTransaction,
  workspaceId: string,
  folderIds: readonly string[],
): Promise<{ folder_id: string; root_id: string }[]> {
  return rootsOnChains(tx, { workspaceId, nodeIds: JSON.stringify(folderIds) });
}

/** A folder and whose it is. */
export interface FolderOfOwner {
  id: string;
  owner_id: string;
}

/** An active folder of somebody else that a user reaches. */
export interface ReachedFolder extends FolderOfOwner {
  parent_id: string;
}

/**
 * Cross joins keep SQLite from beginning with all grants of the workspace; PostgreSQL would read the folders of all
 * workspaces for each level, unless an offset has it look below one folder after the other.
 */
const foldersReached = statement((tx, p: DriveOwner & { principals: string }) =>
  tx
    .withRecursive('reached(id, owner_id, parent_id)', (query) => {
      const below = tx
        .selectFrom('nodes as o')
        .select(['o.id', 'o.owner_id', 'o.parent_id'])
        .where('o.workspace_id', '=', p.workspaceId)
        .where('o.owner_id', '=', sql.ref<string>('reached.owner_id'))
        .where('o.parent_id', '=', sql.ref<string>('reached.id'))
        .where('o.kind', '=', sql.lit('folder' as const))
        .where('o.state', '=', sql.lit('active' as const))
        .offset(sql.lit(0));
      return query
        .selectFrom(textsIn(tx, p.principals, 'p'))
        .crossJoin('node_grants as g')
        .crossJoin('nodes as n')
        .select(['n.id', 'n.owner_id', 'n.parent_id'])
        .where('g.workspace_id', '=', p.workspaceId)
        .where('g.principal_id', '=', sql.ref<string>('p.value'))
        .where('g.node_kind', '=', sql.lit('folder' as const))
        .where('g.node_state', '=', sql.lit('active' as const))
        .where('n.workspace_id', '=', p.workspaceId)
        .whereRef('n.id', '=', 'g.node_id')
        .where('n.owner_id', '!=', p.userId)
        .union((next) =>
          tx.engine === 'postgres'
            ? next
                .selectFrom('reached')
                .crossJoinLateral(below.as('nodes'))
                .select(['nodes.id', 'nodes.owner_id', 'nodes.parent_id'])
            : next
                .selectFrom('reached')
                .crossJoin('nodes')
                .select(['nodes.id', 'nodes.owner_id', 'nodes.parent_id'])
                .where('nodes.workspace_id', '=', p.workspaceId)
                .whereRef('nodes.owner_id', '=', 'reached.owner_id')
                .whereRef('nodes.parent_id', '=', 'reached.id')
                .where('nodes.kind', '=', sql.lit('folder' as const))
                .where('nodes.state', '=', sql.lit('active' as const)),
        );
    })
    .selectFrom('reached')
    .select(['reached.id', 'reached.owner_id', 'reached.parent_id']),
);

/** The active folders of others that a user reaches as one of these principals: shared ones, and all below them. */
export function listReachedFolders(
  tx: ReadTransaction,
  { workspaceId, userId }: DriveOwner,
  principalIds: readonly string[],
): Promise<ReachedFolder[]> {
  return foldersReached(tx, { workspaceId, userId, principals: JSON.stringify(principalIds) });
}

const nodesByIds = statement((tx, p: { workspaceId: string; ids: string }) =>
  tx
    .selectFrom('nodes')
    .selectAll()
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'id', p.ids)),
);

/** The nodes with these ids, in any order. */
export function findNodes(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<NodeRow[]> {
  return nodesByIds(tx, { workspaceId, ids: JSON.stringify(ids) });
}
