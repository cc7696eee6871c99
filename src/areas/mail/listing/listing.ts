import { type CursorPosition, JsonText, type Page, type PageRequest } from '../../../contract/answers.ts';
import { notFound } from '../../../contract/errors.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { type FlagSet, MOST_LABELS, READ } from '../changes/flags.ts';
import { findFolderIds, findFolderKey, listFlagSets } from '../folders/folder-store.ts';
import { folderIdsOf } from '../folders/folders.ts';
import { itemOf } from '../messages/record.ts';
import type { MailboxOwner } from '../owner.ts';
import { isRole } from '../schema.ts';
import {
  endOfPage,
  type ListedMessage,
  listMessages,
  type MessagePosition,
  positionOf,
  type Stream,
} from './listing-store.ts';
import { type SummaryPart, summaryParts } from './summary-parts.ts';
import { hasThread, listThreadMessages, type ThreadListing } from './thread-store.ts';

/** A page of messages that carry several labels. */
interface LabelledPage {
  messages: readonly ListedMessage[];
  /** The position where the search stopped, if the page is not full and more may follow. */
  stoppedAt: MessagePosition | undefined;
}

/** A search for messages of these streams that have all of these labels, after a position. */
interface LabelledSearch {
  streams: readonly Stream[];
  labels: readonly string[];
  after: MessagePosition | undefined;
  /** No message after this position. */
  through: MessagePosition | undefined;
  limit: number;
}

/** The most portions that one page reads. */
const PORTIONS_A_PAGE = 4;
const MESSAGES_A_PORTION = 500;
/** Each message read costs a lookup for every other label, so more labels mean smaller portions. */
const LOOKUPS_A_PORTION = 2_000;

/**
 * Finds the newest messages that have several labels. Reads the messages of the rarest label in order, in portions, and
 * looks up the other labels for each. For common labels that rarely occur together, a full page could require reading
 * the whole mailbox, so a page ends after PORTIONS_A_PAGE portions and the next page continues there.
 */
async function findLabelled(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { streams, labels, after, through, limit }: LabelledSearch,
): Promise<LabelledPage> {
  if (streams.length === 0 || labels.length > MOST_LABELS) return { messages: [], stoppedAt: undefined };
  const messages: ListedMessage[] = [];
  let stoppedAt = after;
  for (let portion = 0; portion < PORTIONS_A_PAGE; portion++) {
    const search = { streams, after: stoppedAt, limit: limit - messages.length };
    const { labels: ordered, end } = await nextPortion(tx, owner, { ...search, through, labels });
    const isLast = end === undefined || (through !== undefined && isBehind(end, through));
    const portionEnd = isLast ? through : end;
    messages.push(...(await listMessages(tx, owner, { ...search, labels: ordered, through: portionEnd })));
    if (isLast || messages.length === limit) return { messages, stoppedAt: undefined };
    stoppedAt = end;
  }
  return { messages, stoppedAt };
}

/**
 * The labels, the rarest first, and the position where the next portion of its messages ends; undefined if fewer are
 * left. The rarest label is the one whose portion reaches furthest. Counting all messages of each label would cost
 * more, and mislead where a label that is rare in the mailbox is common in these months.
 */
async function nextPortion(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { streams, labels, after }: LabelledSearch,
): Promise<{ labels: readonly string[]; end: MessagePosition | undefined }> {
  const limit = Math.min(MESSAGES_A_PORTION, Math.ceil(LOOKUPS_A_PORTION / labels.length));
  const portions = await Promise.all(
    labels.map(async (label) => ({
      label,
      end: await endOfPage(tx, owner, { streams, labels: [label], after, limit }),
    })),
  );
  portions.sort((a, b) => compareEnds(a.end, b.end));
  return { labels: portions.map(({ label }) => label), end: portions[0]?.end };
}

/** Whether a position comes later in a listing than another one. */
function isBehind(one: MessagePosition, other: MessagePosition): boolean {
  return one.date < other.date || (one.date === other.date && one.number < other.number);
}

/** Orders the portion that reaches further (to older messages) first. */
function compareEnds(a: MessagePosition | undefined, b: MessagePosition | undefined): number {
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined);
  return a.date - b.date || a.number - b.number;
}

/** The filter of a listing; its conditions are combined by AND. */
export interface MessageFilter {
  /** In any of these folders; in all folders when empty. */
  folderIds: readonly string[];
  /** All of these. */
  flags: FlagSet;
  /** All of these. */
  labels: readonly string[];
  unread: boolean;
  /** Of this conversation. */
  threadId?: string | undefined;
  /** Received before this time, in milliseconds since the epoch. */
  before?: number | undefined;
  /** Received at this time or later. */
  since?: number | undefined;
}

/** A listing with what its summaries have beside the rest. */
export interface MessageListing extends MessageFilter {
  include?: readonly SummaryPart[] | undefined;
}

/** One page of summaries, newest first, as ready JSON. */
export async function pageOfMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  filter: MessageListing,
  page: PageRequest,
): Promise<Page> {
  const naming = folderIdsOf(tx, owner, filter.folderIds);
  const search = {
    labels: filter.labels,
    after: beginning(filter.before, positionAfter(page)),
    through: filter.since === undefined ? undefined : { date: filter.since, number: 0 },
    limit: page.limit,
  };
  const role = onlyRole(filter);
  // In one round trip to the database with the id of the folder.
  const ofRole = role === undefined ? undefined : findMessages(tx, owner, { ...search, streams: [{ role }] });
  const [folderIds, found] = await Promise.all([naming, ofRole]);
  if (filter.threadId !== undefined) return pageOfFilteredThread(tx, owner, { ...filter, folderIds }, page);
  const streams = await streamsOf(tx, owner, { ...filter, folderIds });
  const { messages, stoppedAt } = found ?? (await findMessages(tx, owner, { ...search, streams }));
  const last = messages.at(-1);
  return {
    items: new JsonText(await itemsJson(tx, owner, messages, { streams, include: filter.include })),
    count: messages.length,
    isCut: stoppedAt !== undefined,
    last: cursorPositionOf(stoppedAt ?? (last && positionOf(last))),
  };
}

/** The role by which the filter names one whole folder; undefined where it selects anything else. */
function onlyRole({ folderIds, labels, flags, unread, threadId }: MessageFilter): string | undefined {
  const [named = '', ...others] = folderIds;
  const isWhole = labels.length === 0 && flags === 0 && !unread && threadId === undefined;
  return isWhole && others.length === 0 && isRole(named) ? named : undefined;
}

/** The position from which a listing begins: that of the page, or of the time, whichever comes later. */
function beginning(
  before: number | undefined,
  after: MessagePosition | undefined,
): MessagePosition | undefined {
  const time = before === undefined ? undefined : { date: before, number: 0 };
  return time && after ? (isBehind(after, time) ? after : time) : (time ?? after);
}

/** One page of the messages of a conversation that a filter selects, newest first. */
async function pageOfFilteredThread(
  tx: ReadTransaction,
  owner: MailboxOwner,
  filter: MessageListing,
  page: PageRequest,
): Promise<Page> {
  const { threadId = '', folderIds, include, flags, labels, unread, before, since } = filter;
  const found = await Promise.all(folderIds.map((folderId) => findFolderKey(tx, owner, folderId)));
  const folders = folderIds.length === 0 ? undefined : found.flat().map(({ folderNumber }) => folderNumber);
  if (folders?.length === 0) return { items: [], count: 0, last: undefined };
  const order = 'newest first';
  const listing = { threadId, order, folders, flags, labels, unread, before, since } as const;
  return pageOfThreadMessages(tx, owner, { ...listing, include }, page);
}

/** One page of a whole conversation over all folders, oldest first. Throws ApiError not_found. */
export async function pageOfThread(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { threadId, include }: { threadId: string; include: readonly SummaryPart[] },
  page: PageRequest,
): Promise<Page> {
  if (!(await hasThread(tx, owner, threadId))) throw notFound('thread', threadId);
  return pageOfThreadMessages(tx, owner, { threadId, include, order: 'oldest first' }, page);
}

async function pageOfThreadMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { include, ...listing }: Omit<ThreadListing, 'after' | 'limit'> & Pick<MessageListing, 'include'>,
  page: PageRequest,
): Promise<Page> {
  const messages = await listThreadMessages(tx, owner, {
    ...listing,
    after: positionAfter(page),
    limit: page.limit,
  });
  const last = messages.at(-1);
  return {
    items: new JsonText(await itemsJson(tx, owner, messages, { streams: [], include })),
    count: messages.length,
    last: cursorPositionOf(last),
  };
}

async function findMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  search: LabelledSearch,
): Promise<LabelledPage> {
  if (search.labels.length > 1) return findLabelled(tx, owner, search);
  return { messages: await listMessages(tx, owner, search), stoppedAt: undefined };
}

/** A message with its position and its summary as ready JSON. */
export interface PositionedMessage extends MessagePosition {
  id: string;
  item: string;
}

/** The newest messages after a position in any of these folders; in all folders when none is named. */
export async function newestMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderIds: readonly string[],
  after: MessagePosition | undefined,
  limit: number,
): Promise<PositionedMessage[]> {
  const ids = await folderIdsOf(tx, owner, folderIds);
  const streams = await streamsOf(tx, owner, { folderIds: ids, flags: 0, labels: [], unread: false });
  const messages = await listMessages(tx, owner, { streams, labels: [], after, limit });
  const folderIdOf = await folderIdResolver(tx, owner, messages, streams);
  return messages.map((message) => {
    const item = itemOf(message, folderIdOf(message));
    return { ...positionOf(message), id: idIn(item), item };
  });
}

function idIn(item: string): string {
  return (JSON.parse(item) as { id: string }).id;
}

/** The summaries as a JSON array. Appending to one string costs half as much as joining an array. */
async function itemsJson(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messages: readonly ListedMessage[],
  { streams, include = [] }: { streams: readonly Stream[]; include?: readonly SummaryPart[] | undefined },
): Promise<string> {
  const folderIdOf = await folderIdResolver(tx, owner, messages, streams);
  const numbers = messages.map(({ number }) => number);
  const parts = await summaryParts(tx, owner, numbers, include);
  let json = '';
  for (const message of messages)
    json += `${json === '' ? '' : ','}${itemOf(message, folderIdOf(message), parts.get(message.number))}`;
  return `[${json}]`;
}

/** Returns a function from a message to the id of its folder. */
async function folderIdResolver(
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

function cursorPositionOf(position: MessagePosition | undefined): CursorPosition | undefined {
  return position && [position.date, position.number];
}

function positionAfter({ after }: PageRequest): MessagePosition | undefined {
  return after && { date: Number(after[0]), number: Number(after[1]) };
}

/**
 * The streams whose union the filter selects; an index holds each in order. A condition on flags becomes a list of
 * whole flag sets: those of the 32 possible sets that occur and contain the wanted flags.
 */
async function streamsOf(tx: ReadTransaction, owner: MailboxOwner, filter: MessageFilter): Promise<Stream[]> {
  const { folderIds, labels } = filter;
  const anyFlags = filter.flags === 0 && !filter.unread;
  if (anyFlags && labels.length > 0 && folderIds.length === 0) return [{}];
  if (anyFlags && labels.length === 0) return foldersOf(tx, owner, folderIds);
  const occurring = await listFlagSets(tx, owner, folderIds);
  return occurring.filter(({ flags }) => holds(flags, filter));
}

/** Whole folders as streams; all folders that contain messages when none is named. */
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
  if (folderIds.length === 1) return folderIds.map((folderId) => ({ folderId }));
  const found = await Promise.all(folderIds.map((id) => findFolderKey(tx, owner, id)));
  return found.flat();
}

function holds(flags: FlagSet, filter: MessageFilter): boolean {
  return (flags & filter.flags) === filter.flags && !(filter.unread && flags & READ);
}
