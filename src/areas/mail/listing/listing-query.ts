import {
  type Compilable,
  type Expression,
  type ExpressionBuilder,
  type SelectQueryBuilder,
  sql,
} from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import type { MessageLabels, Tables } from '../../../storage/schema/tables.ts';
import type { FlagSet } from '../changes/flags.ts';
import type { FolderNumber } from '../folders/folder-store.ts';
import type { ItemParts } from '../messages/record.ts';
import type { MailboxOwner } from '../owner.ts';

/** A message's place in the order of every listing: newest first, and of one date the one stored last. */
export interface MessagePosition {
  date: number;
  number: number;
}

/** A message as a listing finds it. */
export interface ListedMessage extends ItemParts {
  number: number;
  /** Left out where all are in one folder: reading a column takes as long as finding its row. */
  folder_number?: FolderNumber;
}

/**
 * A part of a mailbox that an index holds in the order of the listing: one folder, which is known to be the owner's, or
 * one set of flags in it. Of messages with labels it may be in any folder.
 */
export interface Stream {
  folderId?: string;
  folderNumber?: FolderNumber;
  flags?: FlagSet;
}

/** A page of a listing: from these streams, of messages that carry all these labels. */
export interface Listing {
  streams: readonly Stream[];
  /** The messages of the first are read in order; whether one carries the others as well is looked up. */
  labels: readonly string[];
  /** Only messages that follow this place. */
  after: MessagePosition | undefined;
  /** No message that follows this place. */
  through?: MessagePosition | undefined;
  limit: number;
  /** Whether all of it is in one folder, and known to be. */
  inOneFolder: boolean;
}

type LabelTables = Tables & { l: MessageLabels };

/**
 * The newest messages of a listing, in its order. The streams are merged as they are read, each from its index, so the
 * cost does not depend on how many messages there are, or on how few of them match.
 */
export function listingQuery(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Listing,
): Compilable<ListedMessage> {
  const [first = {}] = listing.streams;
  if (isPlain(listing) && listing.inOneFolder)
    return messagesOf(tx, owner, first, listing)
      .innerJoin('messages as t', (join) =>
        join.onRef('t.number', '=', 'm.number').on(isOfWorkspace(tx, 't.workspace_id', owner)),
      )
      .select(SHOWN)
      .orderBy('m.date', 'desc')
      .orderBy('m.number', 'desc')
      .limit(listing.limit);
  return tx
    .selectFrom(placesIn(tx, owner, listing).as('p'))
    .innerJoin('message_states as m', (join) =>
      join.onRef('m.number', '=', 'p.number').on(isOfWorkspace(tx, 'm.workspace_id', owner)),
    )
    .innerJoin('messages as t', (join) =>
      join.onRef('t.number', '=', 'p.number').on(isOfWorkspace(tx, 't.workspace_id', owner)),
    )
    .select([...SHOWN, 'm.folder_number'])
    .orderBy('p.date', 'desc')
    .orderBy('p.number', 'desc');
}

const SHOWN = ['m.number', 't.summary', 'm.flags', 'm.labels'] as const;

/** The place of the message that follows so many others of a listing; no row where the listing ends before it. */
export function placeQuery(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Listing,
  others: number,
): Compilable<MessagePosition> {
  return placesIn(tx, owner, listing).limit(sql.lit(1)).offset(others);
}

/** Whether it is read from the messages themselves, not from their labels. */
export function isPlain({ labels }: Pick<Listing, 'labels'>): boolean {
  return labels.length === 0;
}

/** Where the messages stand, found in the indexes alone: what the merging of streams passes on is to be little. */
function placesIn(tx: ReadTransaction, owner: MailboxOwner, listing: Listing) {
  if (isPlain(listing))
    return merged(tx, listing, (stream) =>
      messagesOf(tx, owner, stream, listing).select(['m.date', 'm.number']),
    );
  return merged(tx, listing, (stream) => placesOf(tx, owner, stream, listing));
}

/**
 * The newest of all streams. SQLite sees that each can be read in order; PostgreSQL must be asked for it, stream by
 * stream, which would make SQLite sort them.
 */
function merged<DB, TB extends keyof DB, Row>(
  tx: ReadTransaction,
  { streams, limit }: Listing,
  rowsOf: (stream: Stream) => SelectQueryBuilder<DB, TB, Row>,
) {
  const parts = streams.map((stream) => {
    const rows = tx.engine === 'postgres' ? newest(rowsOf(stream), limit) : rowsOf(stream);
    return tx.selectFrom(rows.as('s')).selectAll();
  });
  return newest(
    parts.reduce((all, another) => all.unionAll(another)),
    limit,
  );
}

function newest<DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>, limit: number) {
  return query.orderBy(sql.ref('date'), 'desc').orderBy(sql.ref('number'), 'desc').limit(limit);
}

function messagesOf(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { folderNumber = 0, flags }: Stream,
  { after }: Listing,
) {
  const messages = tx
    .selectFrom('message_states as m')
    .where(isOfWorkspace(tx, 'm.workspace_id', owner))
    .where(isAt('m', folderNumber, flags));
  if (!after) return messages;
  return messages.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('m.date', 'm.number'), '<', tuple(after.date, after.number)),
  );
}

/** Whether a row is of a folder, and of one set of flags where there is one. */
function isAt(alias: string, folderNumber: FolderNumber, flags: FlagSet | undefined) {
  return flags === undefined
    ? sql<boolean>`${sql.ref(`${alias}.folder_number`)} = ${folderNumber}`
    : isInStream(alias, folderNumber, flags);
}

/** Whether a row is of a folder and of one set of flags: the two are one number, as the indexes have it. */
export function isInStream(
  alias: string,
  folderNumber: FolderNumber | Expression<unknown>,
  flags: FlagSet | Expression<unknown>,
) {
  const [folder, set] = [sql.ref(`${alias}.folder_number`), sql.ref(`${alias}.flags`)];
  const stream = sql`(cast(${folderNumber} as bigint) << 5) | cast(${flags} as bigint)`;
  return sql<boolean>`((${folder} << 5) | ${set}) = (${stream})`;
}

/**
 * Said for PostgreSQL, which may divide its tables by workspace. Folders, messages and users of one are no other's, and
 * SQLite would read the row of each entry of an index to hear of it.
 */
export function isOfWorkspace(
  tx: ReadTransaction,
  column: string,
  { workspaceId }: Pick<MailboxOwner, 'workspaceId'>,
) {
  return tx.engine === 'sqlite' ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${workspaceId}`;
}

function placesOf(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { folderNumber, flags }: Stream,
  { labels: [label = '', ...others], after, through }: Listing,
) {
  let places = tx
    .selectFrom('message_labels as l')
    .select(['l.date', 'l.message_number as number'])
    .where(isOfWorkspace(tx, 'l.workspace_id', owner))
    .where('l.label', '=', label);
  if (folderNumber === undefined) places = places.where('l.user_id', '=', owner.userId);
  else places = places.where(isAt('l', folderNumber, flags));
  if (others.length > 0) places = places.where((eb) => labelsCarried(eb, others), '=', others.length);
  if (through)
    places = places.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('l.date', 'l.message_number'), '>=', tuple(through.date, through.number)),
    );
  if (!after) return places;
  return places.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('l.date', 'l.message_number'), '<', tuple(after.date, after.number)),
  );
}

/** Counted, because what only has to exist PostgreSQL would join, and lose the order of the index. */
function labelsCarried({ selectFrom, fn }: ExpressionBuilder<LabelTables, 'l'>, labels: readonly string[]) {
  return selectFrom('message_labels as o')
    .select(fn.countAll<number>().as('labels'))
    .whereRef('o.workspace_id', '=', 'l.workspace_id')
    .whereRef('o.message_number', '=', 'l.message_number')
    .where('o.label', 'in', labels);
}
