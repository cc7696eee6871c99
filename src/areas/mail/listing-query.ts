import { type Compilable, type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../../storage/database.ts';
import type { MessageLabels, Tables } from '../../storage/tables.ts';
import type { FlagSet } from './flags.ts';
import type { MailboxOwner } from './owner.ts';

/** A message's place in the order of every listing: newest first, then by id. */
export interface MessagePlace {
  date: number;
  id: string;
}

/** A message as a listing sends it: its summary as ready JSON. */
export interface ListedMessage {
  item: string;
}

/**
 * A part of a mailbox that an index holds in the order of the listing: one folder, one set of flags, or both; then the
 * folder must be known to be the owner's. Of messages with several labels, those with one combination of them.
 */
export interface Stream {
  folderId?: string;
  flags?: FlagSet;
  combination?: string;
}

/** A page of a listing: from these streams, of messages that carry all these labels, after a place. */
export interface Listing {
  streams: readonly Stream[];
  labels: readonly string[];
  after: MessagePlace | undefined;
  limit: number;
}

type LabelTables = Tables & { l: MessageLabels };

/**
 * The newest messages of a listing, in its order. The streams are merged as they are read, each from its index, so the
 * cost does not depend on how many messages there are, or on how few of them match. What is no part of the answer is not selected: reading a column takes as long as finding its row.
 */
export function listingQuery(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Listing,
): Compilable<ListedMessage> {
  const {
    labels,
    streams: [first = {}, ...others],
  } = listing;
  if (labels.length > 0 || first.combination !== undefined) return labelledQuery(tx, owner, listing);
  if (others.length === 0)
    return newest(messagesOf(tx, owner, first, listing).select('m.item'), listing.limit);
  return merged(tx, listing, (stream) =>
    messagesOf(tx, owner, stream, listing).select(['m.date', 'm.id', 'm.item']),
  );
}

/** Finds the places of the messages in the indexes of their labels, and only then the messages. */
function labelledQuery(tx: ReadTransaction, owner: MailboxOwner, listing: Listing) {
  const places =
    listing.labels.length > 0
      ? merged(tx, listing, (stream) => placesOf(tx, owner, stream, listing))
      : merged(tx, listing, (stream) => placesOfCombination(tx, owner, stream, listing));
  return tx
    .selectFrom(places.as('p'))
    .innerJoin('messages as m', (join) =>
      join.onRef('m.workspace_id', '=', 'p.workspace_id').onRef('m.id', '=', 'p.id'),
    )
    .select('m.item')
    .orderBy('p.date', 'desc')
    .orderBy('p.id', 'desc');
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
  return query.orderBy(sql.ref('date'), 'desc').orderBy(sql.ref('id'), 'desc').limit(limit);
}

/** With a folder and flags the user is left out: given all three, SQLite reads the user's flags in every folder. */
function messagesOf(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { folderId, flags }: Stream,
  { after }: Listing,
) {
  let messages = tx.selectFrom('messages as m').where('workspace_id', '=', owner.workspaceId);
  if (folderId === undefined || flags === undefined) messages = messages.where('user_id', '=', owner.userId);
  if (folderId !== undefined) messages = messages.where('folder_id', '=', folderId);
  if (flags !== undefined) messages = messages.where('flags', '=', flags);
  if (!after) return messages;
  return messages.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('date', 'id'), '<', tuple(after.date, after.id)),
  );
}

function placesOf(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { folderId, flags }: Stream,
  { labels: [label = '', ...others], after }: Listing,
) {
  let places = tx
    .selectFrom('message_labels as l')
    .select(['l.workspace_id', 'l.date', 'l.message_id as id'])
    .where('l.workspace_id', '=', owner.workspaceId)
    .where('l.user_id', '=', owner.userId)
    .where('l.label', '=', label);
  if (folderId !== undefined) places = places.where('l.folder_id', '=', folderId);
  if (flags !== undefined) places = places.where('l.flags', '=', flags);
  if (others.length > 0) places = places.where((eb) => labelsCarried(eb, others), '=', others.length);
  if (!after) return places;
  return places.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('l.date', 'l.message_id'), '<', tuple(after.date, after.id)),
  );
}

function placesOfCombination(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { folderId, flags, combination = '' }: Stream,
  { after }: Listing,
) {
  let places = tx
    .selectFrom('message_combinations as c')
    .select(['c.workspace_id', 'c.date', 'c.message_id as id'])
    .where('c.workspace_id', '=', owner.workspaceId)
    .where('c.user_id', '=', owner.userId)
    .where('c.combination', '=', combination);
  if (folderId !== undefined) places = places.where('c.folder_id', '=', folderId);
  if (flags !== undefined) places = places.where('c.flags', '=', flags);
  if (!after) return places;
  return places.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('c.date', 'c.message_id'), '<', tuple(after.date, after.id)),
  );
}

/** Counted, because what only has to exist PostgreSQL would join, and lose the order of the index. */
function labelsCarried({ selectFrom, fn }: ExpressionBuilder<LabelTables, 'l'>, labels: readonly string[]) {
  return selectFrom('message_labels as o')
    .select(fn.countAll<number>().as('labels'))
    .whereRef('o.workspace_id', '=', 'l.workspace_id')
    .whereRef('o.message_id', '=', 'l.message_id')
    .where('o.label', 'in', labels);
}
