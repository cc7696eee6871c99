import {
  type Compilable,
  type Expression,
  type ExpressionBuilder,
  type SelectQueryBuilder,
  sql,
} from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { isOfWorkspace } from '../../../storage/query/of-workspace.ts';
import type { MessageLabels, Tables } from '../../../storage/schema/tables.ts';
import type { FlagSet } from '../changes/flags.ts';
import { type FolderNumber, folderNumber as folderNumberOf } from '../folders/folder-store.ts';
import type { ItemFields } from '../messages/record.ts';
import type { MailboxOwner } from '../owner.ts';

/** The position of a message in the order of every listing: newest first; of one date, the last stored first. */
export interface MessagePosition {
  date: number;
  number: number;
}

/** A message as a listing reads it. */
export interface ListedMessage extends ItemFields {
  number: number;
  /** Omitted when all messages are in one known folder: reading the column costs as much as finding the row. */
  folder_number?: FolderNumber;
}

/**
 * A subset of a mailbox that an index holds in the order of the listing: one folder, or the messages with one flag set in it.
 * Without a folder, for labelled messages only: all folders.
 */
export interface Stream {
  /** Alone, of a whole folder: the statement looks up the number, so that nobody waits for it. */
  folderId?: string;
  /** As folderId, where the folder is named by its role. */
  role?: string;
  /** Of a folder that is known to belong to the owner. */
  folderNumber?: FolderNumber;
  flags?: FlagSet;
}

/** A page of a listing: messages from these streams that have all these labels. */
export interface Listing {
  streams: readonly Stream[];
  /** The messages of the first label are read in order; the other labels are looked up for each. */
  labels: readonly string[];
  /** Only messages after this position. */
  after: MessagePosition | undefined;
  /** No message after this position. */
  through?: MessagePosition | undefined;
  limit: number;
  /** Whether all messages are in one known folder. */
  inOneFolder: boolean;
}

type LabelTables = Tables & { l: MessageLabels };

/**
 * The newest messages of a listing, in its order. The database merges the streams while it reads each from its index,
 * so the cost depends neither on the number of messages nor on how few of them match.
 */
export function listingQuery(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Listing,
): Compilable<ListedMessage> {
  const [first = {}] = listing.streams;
  if (isPlain(listing) && listing.inOneFolder) {
    const newestFirst = messagesOf(tx, owner, first, listing)
      .innerJoin('messages as t', (join) =>
        join.onRef('t.number', '=', 'm.number').on(isOfWorkspace(tx, 't.workspace_id', owner)),
      )
      .select(SHOWN)
      .orderBy('m.date', 'desc')
      .orderBy('m.number', 'desc');
    if (tx.engine === 'sqlite') return newestFirst.limit(listing.limit);
    return firstOf(tx, newestFirst.select('m.date'), listing.limit);
  }
  return tx
    .selectFrom(positionsIn(tx, owner, listing).as('p'))
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

/**
 * One more than the most messages of a page. Not much more: for an unknown limit PostgreSQL reckons with a tenth of this bound,
 * which must not look dearer than a page.
 */
export const LARGEST_PAGE = 201;

/**
 * The first rows of a query in the order of the listing. The limit is a parameter, and PostgreSQL takes a tenth of all rows
 * for one that it does not know: it would plan the statement again for each page, which takes longer than to read one. The
 * bound within, which it knows, lets it keep the plan.
 */
function firstOf(
  tx: ReadTransaction,
  rows: SelectQueryBuilder<Tables, never, ListedMessage & { date: number }>,
  limit: number,
) {
  return tx
    .selectFrom(rows.limit(sql.lit(LARGEST_PAGE)).as('page'))
    .select(['page.number', 'page.summary', 'page.flags', 'page.labels'])
    .orderBy('page.date', 'desc')
    .orderBy('page.number', 'desc')
    .limit(limit);
}

const SHOWN = ['m.number', 't.summary', 'm.flags', 'm.labels'] as const;

/** The position of the message that follows so many others of a listing; no row if the listing is shorter. */
export function positionQuery(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Listing,
  others: number,
): Compilable<MessagePosition> {
  return positionsIn(tx, owner, listing).limit(sql.lit(1)).offset(others);
}

/** Whether the listing reads message_states and not message_labels. */
export function isPlain({ labels }: Pick<Listing, 'labels'>): boolean {
  return labels.length === 0;
}

/** The positions of the messages, read from indexes only: the merge of the streams should carry little data. */
function positionsIn(tx: ReadTransaction, owner: MailboxOwner, listing: Listing) {
  if (isPlain(listing))
    return mergeStreams(tx, listing, (stream) =>
      messagesOf(tx, owner, stream, listing).select(['m.date', 'm.number']),
    );
  return mergeStreams(tx, listing, (stream) => positionsOf(tx, owner, stream, listing));
}

/**
 * The newest rows of all streams. PostgreSQL needs an ORDER BY in each stream to read it in index order; the same would
 * make SQLite, which finds the index order by itself, sort each stream.
 */
function mergeStreams<DB, TB extends keyof DB, Row>(
  tx: ReadTransaction,
  { streams, limit }: Listing,
  rowsOf: (stream: Stream) => SelectQueryBuilder<DB, TB, Row>,
) {
  const queries = streams.map((stream) => {
    const rows = tx.engine === 'postgres' ? newest(rowsOf(stream), limit) : rowsOf(stream);
    return tx.selectFrom(rows.as('s')).selectAll();
  });
  return newest(
    queries.reduce((all, another) => all.unionAll(another)),
    limit,
  );
}

function newest<DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>, limit: number) {
  return query.orderBy(sql.ref('date'), 'desc').orderBy(sql.ref('number'), 'desc').limit(limit);
}

function messagesOf(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { folderId = '', role, folderNumber, flags }: Stream,
  { after, through }: Listing,
) {
  const named = () =>
    role === undefined ? folderNumberOf(tx, owner, folderId) : folderNumberOf(tx, owner, role, 'role');
  const folder = folderNumber ?? named();
  let messages = tx
    .selectFrom('message_states as m')
    .where(isOfWorkspace(tx, 'm.workspace_id', owner))
    .where(isInFolderOrStream('m', folder, flags));
  if (through)
    messages = messages.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('m.date', 'm.number'), '>=', tuple(through.date, through.number)),
    );
  if (!after) return messages;
  return messages.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('m.date', 'm.number'), '<', tuple(after.date, after.number)),
  );
}

/** Condition: a row belongs to a folder and, if `flags` is given, has this flag set. */
function isInFolderOrStream(
  alias: string,
  folderNumber: FolderNumber | Expression<unknown>,
  flags: FlagSet | undefined,
) {
  return flags === undefined
    ? sql<boolean>`${sql.ref(`${alias}.folder_number`)} = ${folderNumber}`
    : isInStream(alias, folderNumber, flags);
}

/**
 * Condition: a row belongs to a folder and has a flag set. The expression is that of the indexes: both in one number.
 */
export function isInStream(
  alias: string,
  folderNumber: FolderNumber | Expression<unknown>,
  flags: FlagSet | Expression<unknown>,
) {
  const [folder, set] = [sql.ref(`${alias}.folder_number`), sql.ref(`${alias}.flags`)];
  const stream = sql`(cast(${folderNumber} as bigint) << 5) | cast(${flags} as bigint)`;
  return sql<boolean>`((${folder} << 5) | ${set}) = (${stream})`;
}

function positionsOf(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { folderNumber, flags }: Stream,
  { labels: [label = '', ...others], after, through }: Listing,
) {
  let rows = tx
    .selectFrom('message_labels as l')
    .select(['l.date', 'l.message_number as number'])
    .where(isOfWorkspace(tx, 'l.workspace_id', owner))
    .where('l.label', '=', label);
  if (folderNumber === undefined) rows = rows.where('l.user_id', '=', owner.userId);
  else rows = rows.where(isInFolderOrStream('l', folderNumber, flags));
  if (others.length > 0) rows = rows.where((eb) => labelsCarried(eb, owner, others), '=', others.length);
  if (through)
    rows = rows.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('l.date', 'l.message_number'), '>=', tuple(through.date, through.number)),
    );
  if (!after) return rows;
  return rows.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('l.date', 'l.message_number'), '<', tuple(after.date, after.number)),
  );
}

/** A count, not EXISTS: PostgreSQL turns EXISTS into a join and loses the order of the index. */
function labelsCarried(
  { selectFrom, fn }: ExpressionBuilder<LabelTables, 'l'>,
  { workspaceId }: MailboxOwner,
  labels: readonly string[],
) {
  return selectFrom('message_labels as o')
    .select(fn.countAll<number>().as('labels'))
    .where('o.workspace_id', '=', workspaceId)
    .whereRef('o.message_number', '=', 'l.message_number')
    .where('o.label', 'in', labels);
}
