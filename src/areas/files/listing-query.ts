import { sql } from 'kysely';
import { isLike } from '../../storage/contains.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import type { NodeKind, NodeState } from './node-store.ts';

/** What a statement of a listing is given, beside kind0, kind1 … and principal0, principal1 …. */
export interface Values {
  workspaceId: string;
  userId: string;
  state: NodeState;
  folderId: string;
  pattern: string;
  createdAt: number;
  id: string;
  limit: number;
  [kindOrPrincipal: string]: string | number;
}

/** Listings of one shape differ in nothing but their values. */
export interface Shape {
  kinds: number;
  principals: number;
  inFolder: boolean;
  searching: boolean;
}

/**
 * The newest nodes of a listing, each once, in no order. Each stream is read from its index up to the limit, so the cost
 * does not depend on how much there is. Only a search reads on until enough titles match: those of the user's own, which
 * on SQLite the index holds, and those granted, node by node.
 */
export function listingQuery(tx: ReadTransaction, p: Values, shape: Shape) {
  const kinds = Array.from({ length: shape.kinds }, (_, i) => p[`kind${i}`] as NodeKind);
  const principals = Array.from({ length: shape.principals }, (_, i) => p[`principal${i}`] as string);
  const own = kinds.map((kind) => ownPlaces(tx, p, shape, kind));
  const granted = principals.flatMap((id) => kinds.map((kind) => grantedPlaces(tx, p, shape, kind, id)));
  const [first, ...others] = [...own, ...granted];
  if (!first) throw new RangeError('A listing needs a kind');
  const places = others.reduce((all, stream) => all.union(stream), first);
  return tx
    .selectFrom(
      tx
        .selectFrom(places.as('places'))
        .select(['created_at', 'id'])
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(p.limit)
        .as('p'),
    )
    .innerJoin('nodes as n', (join) =>
      join.onRef('n.id', '=', 'p.id').on('n.workspace_id', '=', p.workspaceId),
    )
    .select(['n.id', 'n.created_at', 'n.record']);
}

function ownPlaces(tx: ReadTransaction, p: Values, { inFolder, searching }: Shape, kind: NodeKind) {
  const stream = tx
    .selectFrom('nodes')
    .select(['created_at', 'id'])
    .where('owner_id', '=', p.userId)
    .$if(inFolder, (query) => query.where('parent_id', '=', p.folderId))
    .where('kind', '=', kind)
    .where('state', '=', p.state)
    .where(sql<boolean>`(created_at, id) < (${p.createdAt}, ${p.id})`)
    .$if(searching, (query) => query.where(isLike(sql.ref('search_text'), p.pattern)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit);
  return tx.selectFrom(stream.as('stream')).select(['created_at', 'id']);
}

function grantedPlaces(
  tx: ReadTransaction,
  p: Values,
  { inFolder, searching }: Shape,
  kind: NodeKind,
  principalId: string,
) {
  const stream = tx
    .selectFrom('node_grants as g')
    .select(['g.node_created_at as created_at', 'g.node_id as id'])
    .where('g.principal_id', '=', principalId)
    .$if(inFolder, (query) => query.where('g.node_parent_id', '=', p.folderId))
    .where('g.node_kind', '=', kind)
    .where('g.node_state', '=', p.state)
    .where(sql<boolean>`(g.node_created_at, g.node_id) < (${p.createdAt}, ${p.id})`)
    .$if(searching, (query) => query.where(isLike(titleOfGranted(tx), p.pattern)))
    .orderBy('g.node_created_at', 'desc')
    .orderBy('g.node_id', 'desc')
    .limit(p.limit);
  return tx.selectFrom(stream.as('stream')).select(['created_at', 'id']);
}

/** Looked up node by node: of a join, PostgreSQL would rather read all titles of all workspaces. */
function titleOfGranted(tx: ReadTransaction) {
  return tx
    .selectFrom('nodes as n')
    .select('n.search_text')
    .whereRef('n.workspace_id', '=', sql.ref('g.workspace_id'))
    .whereRef('n.id', '=', sql.ref('g.node_id'));
}
