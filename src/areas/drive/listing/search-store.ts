import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { isAmong } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import { type EntryChange, gramEntries } from '../../../storage/search/gram-entries.ts';
import type { GramIndex } from '../../../storage/search/gram-index.ts';
import { type Found, gramSearch, type TextScan } from '../../../storage/search/gram-search.ts';
import type { NodeKind, NodeRow, NodeState } from '../node-store.ts';
import type { DriveOwner } from '../owner.ts';
import type { ListedNode } from './listing-query.ts';
import { type Listing, listNodes, mergedNodes } from './listing-store.ts';

/** Index of titles. It does not contain the state and the folder of a node; a search checks these on the matching nodes. */
export const INDEX: GramIndex = {
  grams: 'node_grams',
  partition: { workspace_id: 'text', principal_id: 'text', kind: 'text' },
  items: 'nodes',
  matching: ['state'],
  ordered: [],
};

const withMatching = (...columns: string[]) => ({ ...INDEX, matching: [...INDEX.matching, ...columns] });
const SEARCHES = {
  anywhere: gramSearch(INDEX),
  folder: gramSearch(withMatching('parent_id')),
  trash: gramSearch(withMatching('owner_id')),
  folderOfTrash: gramSearch(withMatching('owner_id', 'parent_id')),
};

const changeEntries = gramEntries(INDEX);

/** A folder or a trash with fewer nodes than this is scanned without the index. */
const SMALL = 1_000;

/** The next nodes of a listing whose titles contain its fragment, in order, without duplicates. */
export async function searchNodes(
  tx: ReadTransaction,
  owner: DriveOwner,
  listing: Listing,
): Promise<ListedNode[]> {
  if (await isSmall(tx, owner, listing)) return listNodes(tx, owner, listing);
  const { workspaceId: workspace_id, userId: owner_id } = owner;
  const { kinds, principalIds, state, folderId: parent_id = '', fragment } = listing;
  const found: Found[] = [];
  for (const principal_id of new Set([owner_id, ...principalIds])) {
    for (const kind of kinds) {
      const partition = { workspace_id, principal_id, kind, state, parent_id, owner_id };
      const scan = lookingThrough(tx, owner, {
        ...listing,
        kinds: [kind],
        principalIds: principalIds.filter((id) => id === principal_id),
      });
      found.push(...(await searchOf(listing)(tx, partition, fragment, listing, scan)));
    }
  }
  return withTimes(tx, owner, mergedNodes(found, listing.limit));
}

const timesAt = statement((tx, p: { workspaceId: string; places: string }) =>
  tx
    .selectFrom('nodes')
    .select(['place', 'updated_at'])
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'place', p.places)),
);

/** A search returns only columns that are in every index, so the times of the last changes are queried by sort key. */
async function withTimes(
  tx: ReadTransaction,
  { workspaceId }: DriveOwner,
  found: readonly Found[],
): Promise<ListedNode[]> {
  const rows = await timesAt(tx, { workspaceId, places: JSON.stringify(found.map(({ place }) => place)) });
  const times = new Map(rows.map(({ place, updated_at }) => [place, updated_at]));
  return found.map(({ place, record }) => ({ place, record, updated_at: times.get(place) ?? 0 }));
}

/**
 * `next` is empty for more than one stream: their windows end at different sort keys, so merging would skip nodes
 * between them.
 */
function lookingThrough(tx: ReadTransaction, owner: DriveOwner, listing: Listing): TextScan {
  const isOneStream = listing.principalIds.length === 0;
  return {
    next: async ({ after, limit }) =>
      isOneStream ? listNodes(tx, owner, { ...listing, after, limit, isWindow: true }) : [],
    all: ({ after, limit }) => listNodes(tx, owner, { ...listing, after, limit }),
  };
}

function searchOf({ folderId, state }: Listing) {
  if (state === 'active') return folderId === undefined ? SEARCHES.anywhere : SEARCHES.folder;
  return folderId === undefined ? SEARCHES.trash : SEARCHES.folderOfTrash;
}

interface Narrow extends DriveOwner {
  kind: NodeKind;
  state: NodeState;
  folderId: string;
}

const beyondSmallFolder = statement((tx, p: Narrow) =>
  ownNodes(tx, p).where('parent_id', '=', p.folderId).offset(sql.lit(SMALL)).limit(sql.lit(1)),
);
const beyondSmallTrash = statement((tx, p: Narrow) =>
  ownNodes(tx, p).offset(sql.lit(SMALL)).limit(sql.lit(1)),
);

function ownNodes(tx: ReadTransaction, { workspaceId, userId, kind, state }: Narrow) {
  return tx
    .selectFrom('nodes')
    .select('place')
    .where('workspace_id', '=', workspaceId)
    .where('owner_id', '=', userId)
    .where('kind', '=', kind)
    .where('state', '=', state);
}

/** Whether the filter leaves few enough nodes to scan them. */
async function isSmall(tx: ReadTransaction, owner: DriveOwner, listing: Listing): Promise<boolean> {
  const { kinds, folderId, state } = listing;
  if (folderId === undefined && state === 'active') return false;
  const beyond = folderId === undefined ? beyondSmallTrash : beyondSmallFolder;
  for (const kind of kinds) {
    const found = await beyond(tx, { ...owner, kind, state, folderId: folderId ?? '' });
    if (found.length > 0) return false;
  }
  return true;
}

/** Updates the title index for every principal with access to a node; `before` is undefined for a new node. */
export async function indexTitle(
  tx: WriteTransaction,
  before: NodeRow | undefined,
  after: NodeRow,
): Promise<void> {
  if (after.kind === 'folder' || before?.search_text === after.search_text) return;
  const { workspace_id, kind } = after;
  const granted = before ? await granteesOf(tx, { workspace_id, node_id: after.id }) : [];
  for (const principal_id of new Set([after.owner_id, ...granted.map((grant) => grant.principal_id)])) {
    await changeEntries(tx, { workspace_id, principal_id, kind }, [{ before, after }]);
  }
}

const granteesOf = statement((tx, p: { workspace_id: string; node_id: string }) =>
  tx
    .selectFrom('node_grants')
    .select('principal_id')
    .where('workspace_id', '=', p.workspace_id)
    .where('node_id', '=', p.node_id),
);

/** Adds a node to the title index of a principal that it is now shared with. */
export function indexFor(tx: WriteTransaction, node: NodeRow, principalId: string): Promise<void> {
  return changeFor(tx, node, principalId, { after: node });
}

/** Removes a node from the title index of a principal. */
export function unindexFor(tx: WriteTransaction, node: NodeRow, principalId: string): Promise<void> {
  return changeFor(tx, node, principalId, { before: node });
}

/** Does nothing for the owner, whose entry does not depend on grants. */
async function changeFor(
  tx: WriteTransaction,
  { workspace_id, kind, owner_id }: NodeRow,
  principal_id: string,
  change: EntryChange,
): Promise<void> {
  if (principal_id !== owner_id) await changeEntries(tx, { workspace_id, principal_id, kind }, [change]);
}
