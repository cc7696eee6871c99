import { type AliasedExpression, sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { holds } from '../../../storage/query/statement.ts';
import type { NodeKind, NodeRow, NodeState } from '../node-store.ts';

/** The columns of a node that a listing needs. The column `place` is its sort key. */
export type ListedNode = Pick<NodeRow, 'place' | 'record' | 'updated_at'>;

const LISTED = ['place', 'record', 'updated_at'] as const;

type SortKeyStream = AliasedExpression<Pick<ListedNode, 'place'>, 'stream'>;

/** The parameters of a listing statement, in addition to principal0, principal1 …. */
export interface Values {
  workspaceId: string;
  userId: string;
  state: NodeState;
  folderId: string;
  fragment: string;
  after: string;
  limit: number;
  [principal: string]: string | number;
}

/** Kinds that share indexes (`documents_by_owner`, `documents_by_parent`) and are listed together. */
const DOCUMENTS: readonly NodeKind[] = ['document', 'spreadsheet'];

/** Number of titles of a stream that one window searches. */
const WINDOW = 500;

/** The properties of a listing that change its SQL. Listings of one shape differ only in their parameters. */
export interface Shape {
  kinds: readonly NodeKind[];
  principals: number;
  inFolder: boolean;
  /** Whether only nodes of others are listed. */
  ofOthers: boolean;
  /** Which titles are searched for the fragment: none, the next window of one stream, or all until there are enough matches. */
  titles: 'any' | 'next' | 'all';
}

/**
 * The next nodes of a listing, in order. Each stream is read from its index up to the limit, so the cost does not
 * depend on the number of nodes. With a fragment, it reads on until enough titles match.
 */
export function listingQuery(tx: ReadTransaction, p: Values, shape: Shape) {
  return shape.principals === 0 ? ownNodes(tx, p, shape) : reachedNodes(tx, p, shape);
}

/** Listing for a user without grants: the owned nodes, in the order of their indexes. */
function ownNodes(tx: ReadTransaction, p: Values, shape: Shape) {
  const [first, ...others] = ownStreams(tx, p, shape, LISTED).map((stream) =>
    tx.selectFrom(stream).select(LISTED),
  );
  if (!first) throw new RangeError('A listing needs a kind');
  if (others.length === 0) return first;
  return others
    .reduce((all, stream) => all.unionAll(stream), first)
    .orderBy('place')
    .limit(limitOf(p));
}

/** First the distinct sort keys from all streams, then the nodes themselves. */
function reachedNodes(tx: ReadTransaction, p: Values, shape: Shape) {
  const principals = Array.from({ length: shape.principals }, (_, i) => p[`principal${i}`] as string);
  const streams: SortKeyStream[] = [
    ...(shape.ofOthers ? [] : ownStreams(tx, p, shape, ['place'])),
    ...principals.flatMap((id) => shape.kinds.map((kind) => grantedStream(tx, p, shape, kind, id))),
  ];
  const [first, ...others] = streams.map((stream) => tx.selectFrom(stream).select('place'));
  if (!first) throw new RangeError('A listing needs a kind');
  const places = others.reduce((all, stream) => all.union(stream), first);
  return tx
    .selectFrom(tx.selectFrom(places.as('places')).select('place').orderBy('place').limit(limitOf(p)).as('p'))
    .innerJoin('nodes as n', (join) =>
      join.onRef('n.place', '=', 'p.place').on('n.workspace_id', '=', p.workspaceId),
    )
    .select(['n.place', 'n.record', 'n.updated_at'])
    .orderBy('n.place');
}

/**
 * The owned nodes, one stream for each index. On SQLite documents and spreadsheets share a stream: merging two streams
 * would sort both. PostgreSQL merges them in order; for both at once it would rather read all nodes of the workspace.
 */
function ownStreams(
  tx: ReadTransaction,
  p: Values,
  shape: Shape,
  columns: readonly (keyof ListedNode)[],
): AliasedExpression<ListedNode, 'stream'>[] {
  const { kinds } = shape;
  const others = kinds.filter((kind) => !DOCUMENTS.includes(kind));
  const isShared = tx.engine === 'sqlite' && others.length + DOCUMENTS.length === kinds.length;
  const together = isShared ? [DOCUMENTS] : [];
  const alone = together.length > 0 ? others : kinds;
  return [...together, ...alone.map((kind) => [kind])].map((some) => ownStream(tx, p, shape, some, columns));
}

/** The owned nodes of some kinds, in order, up to the limit. */
function ownStream(
  tx: ReadTransaction,
  p: Values,
  { inFolder, titles }: Shape,
  kinds: readonly NodeKind[],
  columns: readonly (keyof ListedNode)[],
): AliasedExpression<ListedNode, 'stream'> {
  const own = tx
    .selectFrom('nodes')
    .where('workspace_id', '=', p.workspaceId)
    .where('owner_id', '=', p.userId)
    .$if(inFolder, (query) => query.where('parent_id', '=', p.folderId))
    .where('kind', 'in', kinds.map(literal))
    .where('state', '=', p.state)
    .where('place', '>', p.after)
    .orderBy('place');
  if (titles !== 'next') {
    const titled = titles === 'all' ? own.where(holds(tx, 'search_text', p.fragment)) : own;
    return titled.select(columns).limit(limitOf(p)).as('stream');
  }
  return tx
    .selectFrom(
      own
        .select([...columns, 'search_text'])
        .limit(sql.lit(WINDOW))
        .as('w'),
    )
    .select(columns)
    .where(holds(tx, 'w.search_text', p.fragment))
    .orderBy('w.place')
    .limit(limitOf(p))
    .as('stream');
}

/** The nodes granted to a principal, in order, up to the limit. */
function grantedStream(
  tx: ReadTransaction,
  p: Values,
  { inFolder, ofOthers, titles }: Shape,
  kind: NodeKind,
  principalId: string,
): SortKeyStream {
  return (
    tx
      .selectFrom('node_grants as g')
      .select('g.node_place as place')
      .where('g.workspace_id', '=', p.workspaceId)
      .where('g.principal_id', '=', principalId)
      .$if(inFolder, (query) => query.where('g.node_parent_id', '=', p.folderId))
      .where('g.node_kind', '=', literal(kind))
      .where('g.node_state', '=', p.state)
      .where('g.node_place', '>', p.after)
      .$if(titles !== 'any', (query) => query.where(holds(tx, columnOfGranted(p, 'search_text'), p.fragment)))
      // An owner may be in a group that the node is granted to.
      .$if(ofOthers, (query) => query.where(sql<boolean>`${columnOfGranted(p, 'owner_id')} <> ${p.userId}`))
      .orderBy('g.node_place')
      .limit(limitOf(p))
      .as('stream')
  );
}

/**
 * A literal, because the partial indexes of documents name these kinds as literals: an engine does not match parameters
 * to them.
 */
function literal(kind: NodeKind) {
  return sql.lit(kind);
}

/** An expression, because SQLite plans a statement again for each value of a limit that is a bare parameter. */
function limitOf({ limit }: Values) {
  return sql<number>`0 + ${limit}`;
}

/**
 * A column of the node of a grant. A subquery for each node: for a join, PostgreSQL would rather read all titles of all
 * workspaces.
 */
function columnOfGranted(p: Values, column: 'owner_id' | 'search_text') {
  return sql`(select ${sql.ref(`n.${column}`)} from nodes as n where n.workspace_id = ${p.workspaceId} and n.id = g.node_id)`;
}
