import { JsonText, type Page, type PageRequest } from '../../api/answers.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { type FlagSet, flagsJson, READ } from './flags.ts';
import { listFlagSets } from './folder-store.ts';
import {
  listMessages,
  type MessagePlace,
  type MessageRow,
  rarestFirst,
  type Stream,
} from './listing-store.ts';
import type { MailboxOwner } from './owner.ts';

/** Which messages a listing shows; its parts combine by and. */
export interface MessageFilter {
  /** In any of these; anywhere when empty. */
  folderIds: readonly string[];
  /** All of these. */
  flags: FlagSet;
  /** All of these. */
  labels: readonly string[];
  unread: boolean;
}

/** One page of summaries, newest first, as ready JSON. */
export async function pageOfMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  filter: MessageFilter,
  page: PageRequest,
): Promise<Page> {
  const streams = await streamsOf(tx, owner, filter);
  const labels = await rarestFirst(tx, owner, filter.labels);
  const { limit } = page;
  const rows = await listMessages(tx, owner, { streams, labels, after: placeOf(page), limit });
  const last = rows.at(-1);
  return {
    items: new JsonText(`[${rows.map(summaryJson).join(',')}]`),
    count: rows.length,
    last: last && [last.date, last.id],
  };
}

/** The newest messages after a place, in any of these folders; anywhere when none is named. */
export async function newestMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderIds: readonly string[],
  after: MessagePlace | undefined,
  limit: number,
): Promise<MessageRow[]> {
  const streams = await streamsOf(tx, owner, { folderIds, flags: 0, labels: [], unread: false });
  return listMessages(tx, owner, { streams, labels: [], after, limit });
}

function placeOf({ after }: PageRequest): MessagePlace | undefined {
  return after && { date: Number(after[0]), id: String(after[1]) };
}

/**
 * The parts of the mailbox that together are what the filter asks for, each in order in an index. Flags are asked for
 * as whole sets: of the thirty-two that there can be, those that hold the wanted flags and occur.
 */
async function streamsOf(tx: ReadTransaction, owner: MailboxOwner, filter: MessageFilter): Promise<Stream[]> {
  const { folderIds, labels } = filter;
  const anyFlags = filter.flags === 0 && !filter.unread;
  if (anyFlags && labels.length > 0 && folderIds.length === 0) return [{}];
  if (anyFlags && labels.length === 0 && folderIds.length > 0)
    return folderIds.map((folderId) => ({ folderId }));
  const occurring = await listFlagSets(tx, owner, folderIds);
  const wanted = occurring.filter(({ flags }) => holds(flags, filter));
  if (folderIds.length > 0 || labels.length > 0) return wanted;
  return [...new Set(wanted.map(({ flags }) => flags))].map((flags) => ({ flags }));
}

function holds(flags: FlagSet, filter: MessageFilter): boolean {
  return (flags & filter.flags) === filter.flags && !(filter.unread && flags & READ);
}

/** A message summary of the interface. */
export function summaryJson(row: MessageRow): string {
  const thread = row.thread_id === null ? '' : `,"thread_id":"${row.thread_id}"`;
  return `{"id":"${row.id}","folder_id":"${row.folder_id}"${thread},${row.summary},"flags":${flagsJson(row.flags)},"labels":${row.labels}}`;
}
