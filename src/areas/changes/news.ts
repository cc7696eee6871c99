import type { ReadTransaction } from '../../storage/database.ts';
import { endBelow, type FeedPosition } from './change-store.ts';
import { type FeedNumber, feedsAbove, LATE } from './numbers-on-clusters.ts';

/** The changes for one viewer. */
export type Feed = Pick<FeedNumber, 'workspaceId' | 'viewer'>;

/** Up to where it was looked for news. */
export interface NewsPosition extends FeedPosition {
  /** On a cluster: the numbers of the feeds that had changes lately, by their names. */
  readonly lately?: ReadonlyMap<string, number>;
}

/** The name of a feed, among those of all workspaces. */
export function feedName({ workspaceId, viewer }: Feed): string {
  return `${workspaceId} ${viewer}`;
}

/**
 * The feeds, of all workspaces, that have changes after a position, and the position up to which it was looked. Without one,
 * the position alone.
 */
export async function findNews(
  tx: ReadTransaction,
  since: NewsPosition | undefined,
): Promise<{ feeds: readonly Feed[]; until: NewsPosition }> {
  const settled = await tx.settledBelow();
  const until = await endBelow(tx, settled);
  if (settled === undefined) return newsOnCluster(tx, since, until);
  if (since === undefined || isSame(since, until)) return { feeds: [], until };
  const feeds = await tx
    .selectFrom('changes')
    .select(['workspace_id as workspaceId', 'viewer'])
    .distinct()
    .$if(tx.engine === 'sqlite', (query) =>
      query.where('number', '>', since.number).where('number', '<=', until.number),
    )
    .$if(tx.engine === 'postgres', (query) =>
      query.where('transaction_id', '>', since.transaction).where('transaction_id', '<=', until.transaction),
    )
    .execute();
  return { feeds, until };
}

/** A change that is seen later than `LATE` wakes nobody: readers look by themselves from time to time. */
async function newsOnCluster(
  tx: ReadTransaction,
  since: NewsPosition | undefined,
  end: FeedPosition,
): Promise<{ feeds: readonly Feed[]; until: NewsPosition }> {
  const recent = await feedsAbove(tx, (since ?? end).transaction - LATE);
  const lately = new Map(recent.map((feed) => [feedName(feed), feed.last]));
  const isNew = (feed: FeedNumber) => feed.last > (since?.lately?.get(feedName(feed)) ?? 0);
  return { feeds: since === undefined ? [] : recent.filter(isNew), until: { ...end, lately } };
}

function isSame(a: FeedPosition, b: FeedPosition): boolean {
  return a.transaction === b.transaction && a.number === b.number;
}
