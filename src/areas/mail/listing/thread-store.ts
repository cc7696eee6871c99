import { sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { type FlagSet, READ } from '../changes/flags.ts';
import type { FolderNumber } from '../folders/folder-store.ts';
import type { MailboxOwner } from '../owner.ts';
import type { ListedMessage, MessagePosition } from './listing-query.ts';

/** The messages of a thread that are listed; conditions are combined by AND. */
export interface ThreadListing {
  threadId: string;
  order: 'newest first' | 'oldest first';
  /** Only messages behind this position in the order. */
  after: MessagePosition | undefined;
  limit: number;
  /** In any of these; in all folders when undefined. */
  folders?: readonly FolderNumber[] | undefined;
  /** All of these. */
  flags?: FlagSet;
  unread?: boolean;
  labels?: readonly string[];
  /** Received before this time, in milliseconds since the epoch. */
  before?: number | undefined;
  /** Received at this time or later. */
  since?: number | undefined;
}

/** A message with its position: a thread is read by its index and sorted, however large the mailbox is. */
export type ThreadMessage = ListedMessage & Required<Pick<ListedMessage, 'folder_number'>> & MessagePosition;

/** The messages of a thread of a mailbox in order. */
export async function listThreadMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: ThreadListing,
): Promise<ThreadMessage[]> {
  const isNewestFirst = listing.order === 'newest first';
  const order = isNewestFirst ? 'desc' : 'asc';
  const { after } = listing;
  return matching(tx, owner, listing)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('m.date', 'm.number'),
          isNewestFirst ? '<' : '>',
          tuple(after?.date ?? 0, after?.number ?? 0),
        ),
      ),
    )
    .select(['m.number', 'm.date', 'm.folder_number', 'm.flags', 'm.labels', 't.summary'])
    .orderBy('m.date', order)
    .orderBy('m.number', order)
    .limit(listing.limit)
    .execute();
}

function matching(tx: ReadTransaction, owner: MailboxOwner, listing: ThreadListing) {
  const { threadId, folders, flags = 0, unread = false, labels = [], before, since } = listing;
  return tx
    .selectFrom('messages as t')
    .innerJoin('message_states as m', (join) =>
      join.onRef('m.workspace_id', '=', 't.workspace_id').onRef('m.number', '=', 't.number'),
    )
    .where('t.workspace_id', '=', owner.workspaceId)
    .where('t.user_id', '=', owner.userId)
    .where('t.thread_id', '=', threadId)
    .$if(folders !== undefined, (query) => query.where('m.folder_number', 'in', [...(folders ?? [])]))
    .$if(flags !== 0, (query) => query.where(sql<boolean>`(m.flags & ${flags}) = ${flags}`))
    .$if(unread, (query) => query.where(sql<boolean>`(m.flags & ${READ}) = 0`))
    .$if(before !== undefined, (query) => query.where('m.date', '<', before ?? 0))
    .$if(since !== undefined, (query) => query.where('m.date', '>=', since ?? 0))
    .$if(labels.length > 0, (query) =>
      query.where(({ selectFrom, fn }) =>
        selectFrom('message_labels as l')
          .select(({ eb }) => eb(fn.countAll<number>(), '=', labels.length).as('all'))
          .where('l.workspace_id', '=', owner.workspaceId)
          .whereRef('l.message_number', '=', 't.number')
          .where('l.label', 'in', [...labels])
          .$castTo<boolean>(),
      ),
    );
}

/** Whether a mailbox has a message of a thread. */
export async function hasThread(
  tx: ReadTransaction,
  owner: MailboxOwner,
  threadId: string,
): Promise<boolean> {
  const found = await matching(tx, owner, { threadId, order: 'oldest first', after: undefined, limit: 1 })
    .select('t.number')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
