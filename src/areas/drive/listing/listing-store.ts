import type { ReadTransaction } from '../../../storage/database.ts';
import { type Statement, statement } from '../../../storage/query/statement.ts';
import type { NodeKind, NodeState } from '../node-store.ts';
import type { DriveOwner } from '../owner.ts';
import { type ListedNode, listingQuery, type Shape, type Values } from './listing-query.ts';

/** A page of a listing, after a sort key. */
export interface Listing {
  kinds: readonly NodeKind[];
  /** Principals whose grants are listed in addition to the owned nodes. */
  principalIds: readonly string[];
  state: NodeState;
  folderId: string | undefined;
  /** Whether nodes of others are listed only; then there are principals. */
  ofOthers?: boolean;
  /** Searched in the folded title; "" matches all. */
  fragment: string;
  /**
   * Whether only the next window of titles is searched, instead of searching until the page is full. Only for owned
   * nodes of one kind.
   */
  isWindow?: boolean;
  /** "" for the first page. */
  after: string;
  limit: number;
}

/** SQLite accepts 500 streams in one statement; two kinds, plus the owned nodes, stay well below that. */
const PRINCIPALS_A_STATEMENT = 128;

const statements = new Map<string, Statement<ReadTransaction, Values, ListedNode>>();

/** The next nodes of a listing, in order, without duplicates. */
export async function listNodes(
  tx: ReadTransaction,
  owner: DriveOwner,
  listing: Listing,
): Promise<ListedNode[]> {
  let found: ListedNode[] | undefined;
  for (const principalIds of portions(listing.principalIds)) {
    const portion = { ...listing, principalIds };
    const rows = await statementFor(shapeOf(portion))(tx, valuesOf(owner, portion));
    found = found ? mergedNodes([...found, ...rows], listing.limit) : rows;
  }
  return found ?? [];
}

/** Merges partial results of a listing: the first nodes in order, without duplicates. */
export function mergedNodes<Node extends { place: string }>(nodes: readonly Node[], limit: number): Node[] {
  const byPlace = new Map(nodes.map((node) => [node.place, node]));
  return [...byPlace.values()].sort((a, b) => (a.place < b.place ? -1 : 1)).slice(0, limit);
}

/** At least one portion. Each one also lists the owned nodes. */
function* portions(principalIds: readonly string[]): Generator<string[]> {
  let i = 0;
  do {
    yield padToPowerOfTwo(principalIds.slice(i, i + PRINCIPALS_A_STATEMENT));
    i += PRINCIPALS_A_STATEMENT;
  } while (i < principalIds.length);
}

/** Pads the list to a power of two with ids that match nobody, so that there are few shapes for any number of groups. */
function padToPowerOfTwo(principalIds: string[]): string[] {
  let size = Math.min(1, principalIds.length);
  while (size < principalIds.length) size *= 2;
  return [...principalIds, ...Array.from({ length: size - principalIds.length }, () => '')];
}

function statementFor(shape: Shape): Statement<ReadTransaction, Values, ListedNode> {
  const name = `${shape.kinds.join(' ')} ${shape.principals} ${shape.inFolder} ${shape.ofOthers} ${shape.titles}`;
  let found = statements.get(name);
  if (!found) {
    found = statement((tx, p: Values) => listingQuery(tx, p, shape));
    statements.set(name, found);
  }
  return found;
}

function shapeOf(listing: Listing): Shape {
  const { kinds, principalIds, folderId, ofOthers = false, fragment, isWindow = false } = listing;
  return {
    kinds,
    principals: principalIds.length,
    inFolder: folderId !== undefined,
    ofOthers,
    titles: titlesOf(fragment, isWindow),
  };
}

function titlesOf(fragment: string, isWindow: boolean): Shape['titles'] {
  if (fragment === '') return 'any';
  return isWindow ? 'next' : 'all';
}

function valuesOf({ workspaceId, userId }: DriveOwner, listing: Listing): Values {
  const { principalIds, state, folderId = '', fragment, after, limit } = listing;
  const values: Values = { workspaceId, userId, state, folderId, fragment, after, limit };
  for (const [i, principalId] of principalIds.entries()) values[`principal${i}`] = principalId;
  return values;
}
