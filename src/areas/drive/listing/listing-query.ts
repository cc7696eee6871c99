import { type AliasedExpression, sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { holds } from '../../../storage/query/statement.ts';
import type { NodeKind, NodeRow, NodeState } from '../node-store.ts';

/** What a listing shows of a node. */
export type ListedNode = Pick<NodeRow, 'place' | 'record' | 'updated_at'>;

const LISTED = ['place', 'record', 'updated_at'] as const;

type PlaceStream = AliasedExpression<Pick<ListedNode, 'place'>, 'stream'>;

/** What a statement of a listing is given, beside principal0, principal1 …. */
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

/** Kinds that are listed together, from indexes of their own (`documents_by_owner`, `documents_by_parent`). */
const DOCUMENTS: readonly NodeKind[] = ['document', 'spreadsheet'];

/** Titles of a stream that a window looks at. */
const WINDOW = 500;

/** Listings of one shape differ in nothing but their values. */
export interface Shape {
  kinds: readonly NodeKind[];
  principals: number;
  inFolder: boolean;
  /** Which titles are looked at for the fragment: none, the next of one stream, or all until there are enough. */
  titles: 'any' | 'next' | 'all';
}

/**
 * The next nodes of a listing, in its order. Each stream is read from its index up to the limit, so the cost does not
 * depend on how much there is. Only with a fragment it reads on until enough titles hold it.
 */
export function listingQuery(tx: ReadTransaction, p: Values, shape: Shape) {
  return shape.principals === 0 ? ownNodes(tx, p, shape) : reachedNodes(tx, p, shape);
}

/** Of somebody with whom nothing is shared: what is owned, in the order of its indexes. */
function ownNodes(tx: ReadTransaction, p: Values, shape: Shape) {
  const [first, ...others] = ownStreams(tx, p, shape, LISTED).map((stream) =>
    tx.selectFrom(stream).select(LISTED),
  );
  if (!first) throw new RangeError('A listing needs a kind');
  if (others.length === 0) return first;
  return others
    .reduce((all, stream) => all.unionAll(stream), first)
    .orderBy('place')
    .limit(most(p));
}

/** The places first, each once however many ways lead there, and then the nodes. */
function reachedNodes(tx: ReadTransaction, p: Values, shape: Shape) {
  const principals = Array.from({ length: shape.principals }, (_, i) => p[`principal${i}`] as string);
  const streams: PlaceStream[] = [
    ...ownStreams(tx, p, shape, ['place']),
    ...principals.flatMap((id) => shape.kinds.map((kind) => grantedStream(tx, p, shape, kind, id))),
  ];
  const [first, ...others] = streams.map((stream) => tx.selectFrom(stream).select('place'));
  if (!first) throw new RangeError('A listing needs a kind');
  const places = others.reduce((all, stream) => all.union(stream), first);
  return tx
    .selectFrom(tx.selectFrom(places.as('places')).select('place').orderBy('place').limit(most(p)).as('p'))
    .innerJoin('nodes as n', (join) =>
      join.onRef('n.place', '=', 'p.place').on('n.workspace_id', '=', p.workspaceId),
    )
    .select(['n.place', 'n.record', 'n.updated_at'])
    .orderBy('n.place');
}

/** What is owned, a stream for each index. Documents and spreadsheets are in one: merging two would sort both. */
function ownStreams(
  tx: ReadTransaction,
  p: Values,
  shape: Shape,
  columns: readonly (keyof ListedNode)[],
): AliasedExpression<ListedNode, 'stream'>[] {
  const { kinds } = shape;
  const others = kinds.filter((kind) => !DOCUMENTS.includes(kind));
  const together = others.length + DOCUMENTS.length === kinds.length ? [DOCUMENTS] : [];
  const alone = together.length > 0 ? others : kinds;
  return [...together, ...alone.map((kind) => [kind])].map((some) => ownStream(tx, p, shape, some, columns));
}

/** What is owned of some kinds, in order, up to the limit. */
function ownStream(
  tx: ReadTransaction,
  p: Values,
  { inFolder, titles }: Shape,
  kinds: readonly NodeKind[],
  columns: readonly (keyof ListedNode)[],
): AliasedExpression<ListedNode, 'stream'> {
  const own = tx
    .selectFrom('nodes')
    .where('owner_id', '=', p.userId)
    .$if(inFolder, (query) => query.where('parent_id', '=', p.folderId))
    .where('kind', 'in', kinds.map(literal))
    .where('state', '=', p.state)
    .where('place', '>', p.after)
    .orderBy('place');
  if (titles !== 'next') {
    const titled = titles === 'all' ? own.where(holds(tx, 'search_text', p.fragment)) : own;
    return titled.select(columns).limit(most(p)).as('stream');
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
    .limit(most(p))
    .as('stream');
}

/** The same of what is granted to somebody. */
function grantedStream(
  tx: ReadTransaction,
  p: Values,
  { inFolder, titles }: Shape,
  kind: NodeKind,
  principalId: string,
): PlaceStream {
  return tx
    .selectFrom('node_grants as g')
    .select('g.node_place as place')
    .where('g.principal_id', '=', principalId)
    .$if(inFolder, (query) => query.where('g.node_parent_id', '=', p.folderId))
    .where('g.node_kind', '=', literal(kind))
    .where('g.node_state', '=', p.state)
    .where('g.node_place', '>', p.after)
    .$if(titles !== 'any', (query) => query.where(holdsTitle(tx, p.fragment)))
    .orderBy('g.node_place')
    .limit(most(p))
    .as('stream');
}

/** Spelled out as the indexes of documents do it, or no engine would take these. */
function literal(kind: NodeKind) {
  return sql.lit(kind);
}

/** SQLite plans a statement anew for each value that is its bare limit. */
function most({ limit }: Values) {
  return sql<number>`0 + ${limit}`;
}

/** Looked up node by node: of a join, PostgreSQL would rather read all titles of all workspaces. */
function holdsTitle(tx: ReadTransaction, fragment: string) {
  const title = sql`(select n.search_text from nodes as n where n.workspace_id = g.workspace_id and n.id = g.node_id)`;
  return holds(tx, title, fragment);
}
