import { type CursorPosition, JsonText, type Page, type PageRequest } from '../../api/answers.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { findCombinations, rarestFirst } from './combination-store.ts';
import { type FlagSet, READ } from './flags.ts';
import { listFlagSets } from './folder-store.ts';
import { listMessages, type MessagePlace, placeOf, type Stream } from './listing-store.ts';
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
  const found = await labelledStreams(tx, owner, filter.labels, await streamsOf(tx, owner, filter));
  const { limit } = page;
  const items = await listMessages(tx, owner, { ...found, after: placeAfter(page), limit });
  const last = items.at(-1);
  return {
    items: new JsonText(`[${items.join(',')}]`),
    count: items.length,
    last: last === undefined ? undefined : positionOf(last),
  };
}

/** A message in its place, with its summary as ready JSON. */
export interface PlacedMessage extends MessagePlace {
  item: string;
}

/** The newest messages after a place, in any of these folders; anywhere when none is named. */
export async function newestMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderIds: readonly string[],
  after: MessagePlace | undefined,
  limit: number,
): Promise<PlacedMessage[]> {
  const streams = await streamsOf(tx, owner, { folderIds, flags: 0, labels: [], unread: false });
  const items = await listMessages(tx, owner, { streams, labels: [], after, limit });
  return items.map((item) => ({ ...placeOf(item), item }));
}

function positionOf(item: string): CursorPosition {
  const { date, id } = placeOf(item);
  return [date, id];
}

function placeAfter({ after }: PageRequest): MessagePlace | undefined {
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

/** More streams than this are not merged: messages that carry several labels in so many ways are found by looking. */
const MOST_STREAMS = 1_000;

/**
 * The streams of messages that carry these labels. Of several labels every combination that holds them all is a stream
 * of its own, so that labels which are common but rarely meet cost no more than others.
 */
async function labelledStreams(
  tx: ReadTransaction,
  owner: MailboxOwner,
  labels: readonly string[],
  streams: readonly Stream[],
): Promise<{ streams: readonly Stream[]; labels: readonly string[] }> {
  if (labels.length < 2) return { streams, labels };
  const rarest = await rarestFirst(tx, owner, labels);
  const most = Math.floor(MOST_STREAMS / Math.max(streams.length, 1));
  const combinations = await findCombinations(tx, owner, rarest, most + 1);
  if (combinations.length > most) return { streams, labels: rarest };
  const combined = combinations.flatMap((combination) =>
    streams.map((stream) => ({ ...stream, combination })),
  );
  return { streams: combined, labels: [] };
}
