import { patternOf } from '../../storage/contains.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { type Statement, statement } from '../../storage/statement.ts';
import { listingQuery, type Shape, type Values } from './listing-query.ts';
import type { NodeKind, NodeRow, NodeState } from './node-store.ts';
import type { DriveOwner } from './owner.ts';

/** A node's place in the order of every listing: newest first, then by id. */
export interface NodePlace {
  createdAt: number;
  id: string;
}

/** What a listing shows of a node. */
export type ListedNode = Pick<NodeRow, 'id' | 'created_at' | 'record'>;

/** A page of a listing, after a place. */
export interface Listing {
  kinds: readonly NodeKind[];
  /** Whose grants count beside what is owned. */
  principalIds: readonly string[];
  state: NodeState;
  folderId: string | undefined;
  /** Of the folded title; "" for all. */
  fragment: string;
  after: NodePlace | undefined;
  limit: number;
}

/** Sorts before every place there is. */
const BEGINNING: NodePlace = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

/** SQLite takes 500 streams in one statement; with two kinds and what is owned these are well below. */
const PRINCIPALS_A_STATEMENT = 128;

const statements = new Map<string, Statement<ReadTransaction, Values, ListedNode>>();

/** The newest nodes of a listing, in its order, each once. */
export async function listNodes(
  tx: ReadTransaction,
  owner: DriveOwner,
  listing: Listing,
): Promise<ListedNode[]> {
  const found = new Map<string, ListedNode>();
  for (const principalIds of portions(listing.principalIds)) {
    const part = { ...listing, principalIds };
    const rows = await statementFor(shapeOf(part))(tx, valuesOf(owner, part));
    for (const row of rows) found.set(row.id, row);
  }
  return [...found.values()].sort(newestFirst).slice(0, listing.limit);
}

function newestFirst(a: ListedNode, b: ListedNode): number {
  return b.created_at - a.created_at || (a.id < b.id ? 1 : -1);
}

/** At least one portion: what is owned is listed with each. */
function* portions(principalIds: readonly string[]): Generator<string[]> {
  let i = 0;
  do {
    yield filledUp(principalIds.slice(i, i + PRINCIPALS_A_STATEMENT));
    i += PRINCIPALS_A_STATEMENT;
  } while (i < principalIds.length);
}

/** Filled up to a power of two with nobody, so that there are few shapes whatever the number of groups. */
function filledUp(principalIds: string[]): string[] {
  let size = Math.min(1, principalIds.length);
  while (size < principalIds.length) size *= 2;
  return [...principalIds, ...Array.from({ length: size - principalIds.length }, () => '')];
}

function statementFor(shape: Shape): Statement<ReadTransaction, Values, ListedNode> {
  const name = JSON.stringify(shape);
  let found = statements.get(name);
  if (!found) {
    found = statement((tx, p: Values) => listingQuery(tx, p, shape));
    statements.set(name, found);
  }
  return found;
}

function shapeOf({ kinds, principalIds, folderId, fragment }: Listing): Shape {
  return {
    kinds: kinds.length,
    principals: principalIds.length,
    inFolder: folderId !== undefined,
    searching: fragment !== '',
  };
}

function valuesOf({ workspaceId, userId }: DriveOwner, listing: Listing): Values {
  const { kinds, principalIds, state, folderId = '', fragment, after = BEGINNING, limit } = listing;
  return {
    workspaceId,
    userId,
    state,
    folderId,
    pattern: patternOf(fragment),
    ...after,
    limit,
    ...numbered('kind', kinds),
    ...numbered('principal', principalIds),
  };
}

function numbered(name: string, values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map((value, i) => [`${name}${i}`, value]));
}
