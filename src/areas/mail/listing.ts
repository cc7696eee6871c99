import { type CursorPosition, JsonText, type Page, type PageRequest } from '../../api/answers.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { findCombinations, rarestFirst } from './combination-store.ts';
import { type FlagSet, READ } from './flags.ts';
import { findFolderIds, findFolderKey, listFlagSets } from './folder-store.ts';
import {
  type ListedMessage,
  listMessages,
  type MessagePlace,
  placeOf,
  type Stream,
} from './listing-store.ts';
import { itemOf } from './message-item.ts';
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
  const messages = await listMessages(tx, owner, { ...found, after: placeAfter(page), limit });
  const last = messages.at(-1);
  return {
    items: new JsonText(await jsonOf(tx, owner, messages, found.streams)),
    count: messages.length,
    last: last === undefined ? undefined : positionOf(last),
  };
}

/** A message in its place, with its summary as ready JSON. */
export interface PlacedMessage extends MessagePlace {
  id: string;
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
  const messages = await listMessages(tx, owner, { streams, labels: [], after, limit });
  const folderIdOf = await folderNames(tx, owner, messages, streams);
  return messages.map((message) => {
    const item = itemOf(message, folderIdOf(message));
    return { ...placeOf(message), id: idIn(item), item };
  });
}

function idIn(item: string): string {
  return (JSON.parse(item) as { id: string }).id;
}

/** The summaries as a JSON array: one text that grows costs half of many that are joined. */
async function jsonOf(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messages: readonly ListedMessage[],
  streams: readonly Stream[],
): Promise<string> {
  const folderIdOf = await folderNames(tx, owner, messages, streams);
  let json = '';
  for (const message of messages) json += `${json === '' ? '' : ','}${itemOf(message, folderIdOf(message))}`;
  return `[${json}]`;
}

/** Tells the folder of each message. */
async function folderNames(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messages: readonly ListedMessage[],
  [first, ...others]: readonly Stream[],
): Promise<(message: ListedMessage) => string> {
  const only = others.length === 0 ? first?.folderId : undefined;
  if (only !== undefined) return () => only;
  const numbers = new Set(messages.map(({ folder_number = 0 }) => folder_number));
  const ids = await findFolderIds(tx, owner, [...numbers]);
  return ({ folder_number = 0 }) => ids.get(folder_number) ?? '';
}

function positionOf(message: ListedMessage): CursorPosition {
  const { date, number } = placeOf(message);
  return [date, number];
}

function placeAfter({ after }: PageRequest): MessagePlace | undefined {
  return after && { date: Number(after[0]), number: Number(after[1]) };
}

/**
 * The parts of the mailbox that together are what the filter asks for, each in order in an index. Flags are asked for
 * as whole sets: of the thirty-two that there can be, those that hold the wanted flags and occur.
 */
async function streamsOf(tx: ReadTransaction, owner: MailboxOwner, filter: MessageFilter): Promise<Stream[]> {
  const { folderIds, labels } = filter;
  const anyFlags = filter.flags === 0 && !filter.unread;
  if (anyFlags && labels.length > 0 && folderIds.length === 0) return [{}];
  if (anyFlags && labels.length === 0) return foldersOf(tx, owner, folderIds);
  const occurring = await listFlagSets(tx, owner, folderIds);
  return occurring.filter(({ flags }) => holds(flags, filter));
}

/** Whole folders: all that hold messages when none is named. */
async function foldersOf(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderIds: readonly string[],
): Promise<Stream[]> {
  if (folderIds.length === 0) {
    const filled = await listFlagSets(tx, owner, []);
    return [
      ...new Map(filled.map(({ folderId, folderNumber }) => [folderId, { folderId, folderNumber }])).values(),
    ];
  }
  const found = await Promise.all(folderIds.map((folderId) => findFolderKey(tx, owner, folderId)));
  return found.flat();
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
