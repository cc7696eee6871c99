import { sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { arraysIn, textAt } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { Tables } from '../../../storage/schema/tables.ts';
import { runsOf } from '../../../turns/in-turns.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { NodeKind } from '../node-store.ts';
import type { FolderOfOwner } from '../sharing/chain-store.ts';
import type { ListedNode } from './listing-query.ts';
import { mergedNodes } from './listing-store.ts';

/** A page of what lies in folders, after a sort key. */
interface InFolders {
  kinds: readonly NodeKind[];
  after: string;
  limit: number;
}

interface ListedPosition {
  owner_id: string;
  folder_id: string;
  place: string | null;
}

const FOLDERS_A_STATEMENT = 500;

/** Sorts behind every sort key: their digits are ASCII letters and numbers. */
const BEHIND_ALL = '~';

/**
 * The next active nodes directly in these folders, in order. Each folder is one range of an index. Only the folders whose
 * first nodes come first can have nodes on the page, so only these are read further.
 */
export async function listInFolders(
  tx: ReadTransaction,
  workspaceId: string,
  folders: readonly FolderOfOwner[],
  { kinds, after, limit }: InFolders,
): Promise<ListedNode[]> {
  const found: ListedNode[] = [];
  for (const kind of kinds) {
    const firsts = await placesIn(tx, folders, { workspaceId, kind, after, offset: 0 });
    const first = firsts.sort((a, b) => (a.place < b.place ? -1 : 1)).slice(0, limit);
    if (first.length === 0) continue;
    const ranges = await withEnds(tx, first, { workspaceId, kind, after, offset: limit - 1 });
    const range = { workspaceId, ranges: JSON.stringify(ranges), kind, after, limit };
    found.push(...(await nodesInRanges(tx, range)));
  }
  return mergedNodes(found, limit);
}

interface At {
  workspaceId: string;
  kind: NodeKind;
  after: string;
  offset: number;
}

const placesAt = statement((tx, p: At & { folders: string }) => {
  const [owner, folder] = [textAt('f', 0), textAt('f', 1)];
  const place = tx
    .selectFrom('nodes as n')
    .select('n.place')
    .where('n.workspace_id', '=', p.workspaceId)
    .where('n.owner_id', '=', owner)
    .where('n.parent_id', '=', folder)
    .where('n.kind', '=', p.kind)
    .where('n.state', '=', sql.lit('active' as const))
    .where('n.place', '>', p.after)
    .orderBy('n.place')
    .limit(sql.lit(1))
    .offset(sql<number>`0 + ${p.offset}`);
  return tx
    .selectFrom(arraysIn(tx, p.folders, 'f'))
    .select([owner.as('owner_id'), folder.as('folder_id'), place.as('place')]);
});

/** The sort key of the first node of each folder that has one. */
async function placesIn(
  tx: ReadTransaction,
  folders: readonly FolderOfOwner[],
  at: At,
): Promise<(ListedPosition & { place: string })[]> {
  const found: (ListedPosition & { place: string })[] = [];
  for (const some of runsOf(folders, FOLDERS_A_STATEMENT)) {
    const ids = some.map(({ id, owner_id }) => [owner_id, id]);
    for (const row of await placesAt(tx, { folders: JSON.stringify(ids), ...at }))
      if (row.place !== null) found.push({ ...pick(row), place: row.place });
    await giveWay();
  }
  return found;
}

/** The folders with the sort key up to which each of them may have nodes on the page. */
async function withEnds(
  tx: ReadTransaction,
  folders: readonly ListedPosition[],
  at: At,
): Promise<[owner: string, folder: string, end: string][]> {
  const ids = folders.map(({ owner_id, folder_id }) => [owner_id, folder_id]);
  const rows = await placesAt(tx, { folders: JSON.stringify(ids), ...at });
  return rows.map(({ owner_id, folder_id, place }) => [owner_id, folder_id, place ?? BEHIND_ALL]);
}

function pick({ owner_id, folder_id }: ListedPosition) {
  return { owner_id, folder_id };
}

interface Ranges {
  workspaceId: string;
  ranges: string;
  kind: NodeKind;
  after: string;
  limit: number;
}

/**
 * The nodes, read along the index of their folders. SQLite keeps no statistics: left to choose, it reads all that the owner has
 * in the range, for each folder.
 */
function nodesByParent({ engine }: ReadTransaction) {
  const hint = engine === 'sqlite' ? sql`n indexed by nodes_by_parent` : sql`n`;
  return sql<Tables['nodes']>`nodes`.as<'n'>(hint);
}

const nodesInRanges = statement((tx, p: Ranges) =>
  tx
    .selectFrom(arraysIn(tx, p.ranges, 'f'))
    .crossJoin(nodesByParent(tx))
    .select(['n.place', 'n.record', 'n.updated_at'])
    .where('n.workspace_id', '=', p.workspaceId)
    .where('n.owner_id', '=', textAt('f', 0))
    .where('n.parent_id', '=', textAt('f', 1))
    .where('n.kind', '=', p.kind)
    .where('n.state', '=', sql.lit('active' as const))
    .where('n.place', '>', p.after)
    .where('n.place', '<=', textAt('f', 2))
    .orderBy('n.place')
    .limit(sql<number>`0 + ${p.limit}`),
);
