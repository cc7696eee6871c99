import type { Page, PageRequest } from '../../../contract/answers.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { fold } from '../../../text/fold.ts';
import { folderOf } from '../folders.ts';
import type { NodeKind, NodeState } from '../node-store.ts';
import type { DriveOwner } from '../owner.ts';
import { documentJson } from '../record.ts';
import { ownerOf, type Rights } from '../rights.ts';
import { listReachedFolders } from '../sharing/chain-store.ts';
import type { ListedNode } from './listing-query.ts';
import { type Listing, listNodes, mergedNodes } from './listing-store.ts';
import { findMatches } from './matches.ts';
import { listInFolders } from './reached-store.ts';
import { searchNodes } from './search-store.ts';

/** Conditions for listed nodes. All of them must hold. */
export interface NodeFilter {
  kinds: readonly NodeKind[];
  /** The folder, "" for the root; undefined for any folder. */
  folderId: string | undefined;
  /** Fragment of the title; "" matches all. */
  q: string;
  /** The user's own nodes that were trashed themselves, instead of all active nodes that the user has access to. */
  trashed: boolean;
  /** Only nodes of others. */
  shared: boolean;
}

/** A page of nodes, with their records as JSON texts. */
export interface NodePage extends Omit<Page, 'items'> {
  records: readonly string[];
}

/** One page of the nodes that a user has access to, newest first. */
export async function pageOfNodes(
  tx: ReadTransaction,
  rights: Rights,
  user: DriveOwner,
  filter: NodeFilter,
  page: PageRequest,
): Promise<NodePage> {
  const { kinds, folderId, q, trashed, shared } = filter;
  const state = trashed ? 'trashed' : 'active';
  const fragment = fold(q);
  const after = String(page.after?.[0] ?? '');
  const ofUser = { kinds, principalIds: [], state, folderId, fragment, after, limit: page.limit } as const;
  // Most people have no grant: on PostgreSQL a page that costs little is read beside that question, in one round trip.
  const isReadBeside = tx.engine === 'postgres' && !shared && fragment === '';
  const [principalIds, own] = await Promise.all([
    trashed ? [] : rights.grantedPrincipalIdsOf(tx, user),
    isReadBeside ? listNodes(tx, user, ofUser) : undefined,
  ]);
  // Whoever has no grant reaches nothing of others; in the trash nobody does.
  if (principalIds.length === 0) {
    if (shared) return pageOf([], state);
    return pageOf(own ?? (await find(tx, user, ofUser)), state);
  }
  const listing = { ...ofUser, principalIds };
  if (folderId === undefined || folderId === '') return pageOfReached(tx, user, listing, shared);
  const folder = await rights.find(tx, user, folderOf(folderId), principalIds);
  if (folder === undefined) return pageOfReached(tx, user, listing, shared);
  // What lies in a folder belongs to its owner, and whoever reaches the folder reaches all of it.
  if (shared && folder.role === 'owner') return pageOf([], state);
  return pageOf(await find(tx, ownerOf(folder.node), { ...listing, principalIds: [] }), state);
}

function find(tx: ReadTransaction, user: DriveOwner, listing: Listing): Promise<ListedNode[]> {
  return listing.fragment === '' ? listNodes(tx, user, listing) : searchNodes(tx, user, listing);
}

/** A page of a user who has grants: own nodes, granted ones, and what lies in folders of others. */
async function pageOfReached(
  tx: ReadTransaction,
  user: DriveOwner,
  listing: Listing,
  shared: boolean,
): Promise<NodePage> {
  const { folderId, principalIds, fragment, limit } = listing;
  const folders = folderId === undefined ? await listReachedFolders(tx, user, principalIds) : [];
  const wanted = { ...listing, ofOthers: shared };
  if (fragment === '') {
    const nodes = await listNodes(tx, user, wanted);
    if (folders.length === 0) return pageOf(nodes, 'active');
    return pageOf(
      mergedNodes([...nodes, ...(await listInFolders(tx, user.workspaceId, folders, listing))], limit),
      'active',
    );
  }
  if (!shared && folders.length === 0) return pageOf(await searchNodes(tx, user, listing), 'active');
  const { found, end } = await findMatches(tx, user, wanted, folders);
  const matches = pageOf(found, 'active');
  return end === undefined ? matches : { ...matches, isCut: true, last: [end] };
}

function pageOf(rows: readonly ListedNode[], state: NodeState): NodePage {
  const last = rows.at(-1);
  return {
    records: rows.map((row) => documentJson({ ...row, state })),
    count: rows.length,
    last: last && [last.place],
  };
}
