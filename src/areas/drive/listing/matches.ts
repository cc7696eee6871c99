import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { DriveOwner } from '../owner.ts';
import type { FolderOfOwner } from '../sharing/chain-store.ts';
import type { ListedNode } from './listing-query.ts';
import { type Listing, mergedNodes } from './listing-store.ts';
import { searchNodes } from './search-store.ts';

/** Titles that one page searches in each index of titles: at most so many portions of so many. */
const MATCHES_A_PORTION = 200;
const MOST_PORTIONS = 10;

/** The next matches; `end`: where the search was cut off, undefined where nothing was passed over behind the last. */
export interface Matches {
  found: readonly ListedNode[];
  end: string | undefined;
}

/** An index of titles, and what of it is listed. */
interface TitleIndex {
  owner: DriveOwner;
  listing: Listing;
  isListed: (members: RecordMembers) => boolean;
}

interface RecordMembers {
  owner_id: string;
  folder_id: string;
}

/**
 * The next nodes with a title that contains the fragment: of the user and granted to the user, or only the latter
 * (`ofOthers`), and in folders of others. Those are looked for among all titles of their owners.
 */
export async function findMatches(
  tx: ReadTransaction,
  user: DriveOwner,
  listing: Listing,
  folders: readonly FolderOfOwner[],
): Promise<Matches> {
  const own: TitleIndex = {
    owner: user,
    listing,
    isListed: ({ owner_id }) => !listing.ofOthers || owner_id !== user.userId,
  };
  const parts: Matches[] = [];
  for (const index of [own, ...indexesOf(user, listing, folders)]) parts.push(await matchesIn(tx, index));
  const end = parts.flatMap((part) => part.end ?? []).sort()[0];
  const found = mergedNodes(
    parts.flatMap((part) => part.found),
    listing.limit,
  ).filter(({ place }) => end === undefined || place <= end);
  return { found, end: found.length < listing.limit ? end : undefined };
}

function indexesOf(
  { workspaceId }: DriveOwner,
  listing: Listing,
  folders: readonly FolderOfOwner[],
): TitleIndex[] {
  return [...Map.groupBy(folders, ({ owner_id }) => owner_id)].map(([userId, some]) => {
    const ids = new Set(some.map(({ id }) => id));
    return {
      owner: { workspaceId, userId },
      listing: { ...listing, principalIds: [], ofOthers: false },
      isListed: ({ folder_id }) => ids.has(folder_id),
    };
  });
}

async function matchesIn(tx: ReadTransaction, { owner, listing, isListed }: TitleIndex): Promise<Matches> {
  const found: ListedNode[] = [];
  let { after } = listing;
  for (let portion = 0; portion < MOST_PORTIONS; portion++) {
    const rows = await searchNodes(tx, owner, {
      ...listing,
      ofOthers: false,
      after,
      limit: MATCHES_A_PORTION,
    });
    for (const row of rows) {
      after = row.place;
      if (isListed(membersOf(row)) && found.push(row) === listing.limit) return { found, end: undefined };
    }
    if (rows.length < MATCHES_A_PORTION) return { found, end: undefined };
    await giveWay();
  }
  return { found, end: after };
}

function membersOf({ record }: ListedNode): RecordMembers {
  return JSON.parse(`{${record}}`) as RecordMembers;
}
