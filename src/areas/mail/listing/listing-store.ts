import { type Compilable, sql } from 'kysely';
import { Cache } from '../../../platform/cache.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { arraysIn, integerAt } from '../../../storage/query/json-parameters.ts';
import { type Statement, statement } from '../../../storage/query/statement.ts';
import type { MailboxOwner } from '../owner.ts';
import {
  isInStream,
  isOfWorkspace,
  isPlain,
  type ListedMessage,
  type Listing,
  listingQuery,
  type MessagePosition,
  placeQuery,
  type Stream,
} from './listing-query.ts';

interface HeadValues extends MessagePosition {
  workspaceId: string;
  /** JSON array of arrays: folder and flags. */
  streams: string;
  limit: number;
}

type HeadStatement = Statement<ReadTransaction, HeadValues, { position: number }>;

const ofFlags = { any: headStatement(false), exactly: headStatement(true) };

/** After every place. */
const END: MessagePosition = { date: Number.MAX_SAFE_INTEGER, number: 0 };

/**
 * Of many streams, each of a folder, those whose newest messages after a place are the newest: as many as a page has
 * messages, for a page has none of the others. Finding them costs two looks into the index of each.
 */
async function newestStreams(
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  streams: readonly Stream[],
  after: MessagePosition = END,
  limit: number,
): Promise<Stream[]> {
  const newest = streams[0]?.flags === undefined ? ofFlags.any : ofFlags.exactly;
  const rows = streams.map(({ folderNumber, flags }, i) => [i, folderNumber, flags]);
  const { date, number } = after;
  const found = await newest(tx, { workspaceId, streams: JSON.stringify(rows), date, number, limit });
  return found.map(({ position }) => streams[Number(position)]).filter((stream) => stream !== undefined);
}

function headStatement(hasFlags: boolean): HeadStatement {
  return statement((tx, p: HeadValues) => {
    const head = headOf(tx, p, hasFlags);
    return tx
      .selectFrom(arraysIn(tx, p.streams, 'e'))
      .select(integerAt('e', 0).as('position'))
      .orderBy(head.select('m.date'), (order) => order.desc().nullsLast())
      .orderBy(head.select('m.number'), (order) => order.desc().nullsLast())
      .limit(p.limit);
  });
}

/** The newest message of the stream `e`. */
function headOf(tx: ReadTransaction, p: HeadValues, hasFlags: boolean) {
  const ofStream = hasFlags
    ? isInStream('m', integerAt('e', 1), integerAt('e', 2))
    : sql<boolean>`m.folder_number = ${integerAt('e', 1)}`;
  return tx
    .selectFrom('message_states as m')
    .where(isOfWorkspace(tx, 'm.workspace_id', p))
    .where(ofStream)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('m.date', 'm.number'), '<', tuple(p.date, p.number)))
    .orderBy('m.date', 'desc')
    .orderBy('m.number', 'desc')
    .limit(sql.lit(1));
}

export type { ListedMessage, MessagePosition, Stream } from './listing-query.ts';

/** The values of a listing by name; those of a stream or a label end with its number. */
interface Values {
  workspaceId: string;
  userId: string;
  date: number;
  number: number;
  endDate: number;
  endNumber: number;
  limit: number;
  /** Of a full page, beside the last message. */
  others: number;
  [folderNumber: `folderNumber${number}`]: number;
  [flags: `flags${number}`]: number;
  [label: `label${number}`]: string;
}

/** Both engines take more, but a larger statement is not worth keeping. */
const STREAMS_A_STATEMENT = 200;
const VALUES_A_STATEMENT = 4_000;
/** Of each stream, beside its labels. */
const VALUES_A_STREAM = 10;

const MOST_STATEMENTS = 100;

/** What a message of a page takes beside its texts, in characters. */
const SIZE_OF_STATE = 100;

/** The statements that were needed lately, by the shape of their listing; most mailboxes need a dozen. */
class Statements<Row> {
  readonly #build: (tx: ReadTransaction, p: Values, listing: Listing) => Compilable<Row>;
  readonly #byShape = new Map<string, Statement<ReadTransaction, Values, Row>>();

  constructor(build: (tx: ReadTransaction, p: Values, listing: Listing) => Compilable<Row>) {
    this.#build = build;
  }

  for(listing: Listing): Statement<ReadTransaction, Values, Row> {
    const shape = shapeOf(listing);
    let found = this.#byShape.get(shape);
    if (!found) {
      if (this.#byShape.size >= MOST_STATEMENTS) this.#byShape.clear();
      found = statement((tx, p: Values) => this.#build(tx, p, standIn(listing, p)));
      this.#byShape.set(shape, found);
    }
    return found;
  }
}

const pages = new Statements<ListedMessage>(listingQuery);
const ends = new Statements<MessagePosition>((tx, p, listing) => placeQuery(tx, p, listing, p.others));

/** Pages that were read lately, by the snapshot that they were read on. At most 8 MB of memory, in characters of two bytes. */
const recent = new Cache<readonly ListedMessage[]>({ room: 4_000_000, largest: 400_000 });

/** The messages of a page, newest first. Everybody is given the same ones, so nobody may change them. */
export async function listMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Omit<Listing, 'inOneFolder'>,
): Promise<readonly ListedMessage[]> {
  if (tx.snapshot === undefined) return readPage(tx, owner, listing);
  const key = JSON.stringify([tx.snapshot, owner.workspaceId, owner.userId, listing]);
  const known = recent.get(key);
  if (known) return known;
  const page = await readPage(tx, owner, listing);
  recent.set(key, page, sizeOf(page));
  return page;
}

function sizeOf(page: readonly ListedMessage[]): number {
  let size = 0;
  for (const { summary, labels } of page) size += SIZE_OF_STATE + summary.length + labels.length;
  return size;
}

async function readPage(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Omit<Listing, 'inOneFolder'>,
): Promise<readonly ListedMessage[]> {
  const { labels, limit } = listing;
  const streams = await fewStreams(tx, owner, listing);
  const inOneFolder = listing.streams.length === 1 && streams[0]?.folderNumber !== undefined;
  const fitting = Math.ceil(VALUES_A_STATEMENT / (VALUES_A_STREAM + labels.length));
  const portion = Math.min(STREAMS_A_STATEMENT, fitting);
  let found: readonly ListedMessage[] = [];
  for (let i = 0; i < streams.length; i += portion) {
    const part = { ...listing, streams: streams.slice(i, i + portion), inOneFolder };
    const rows = await pages.for(part)(tx, valuesOf(owner, part));
    found = i === 0 ? rows : newestOf([...found, ...rows]).slice(0, limit);
  }
  return found;
}

/** The place of the last message of a full page; undefined where the listing ends before. */
export async function endOfPage(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Omit<Listing, 'inOneFolder'>,
): Promise<MessagePosition | undefined> {
  // More streams are too many for one statement: where the label stands in the whole mailbox is as good then.
  const streams = listing.streams.length > STREAMS_A_STATEMENT ? [{}] : listing.streams;
  const whole = { ...listing, streams, inOneFolder: false };
  const [place] = await ends.for(whole)(tx, valuesOf(owner, whole));
  return place;
}

/** The streams that a page can have messages of, where there are so many that looking for those is worth while. */
async function fewStreams(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Omit<Listing, 'inOneFolder'>,
): Promise<readonly Stream[]> {
  const { streams, after, limit } = listing;
  if (streams.length <= STREAMS_A_STATEMENT || !isPlain(listing)) return streams;
  return newestStreams(tx, owner, streams, after, limit);
}

/** Where a message stands in the order of every listing, read from its summary. */
export function positionOf({ number, summary }: ListedMessage): MessagePosition {
  const { date } = JSON.parse(`{${summary}}`) as { date: string };
  return { date: Date.parse(date), number };
}

function newestOf(messages: readonly ListedMessage[]): ListedMessage[] {
  const placed = messages.map((message) => ({ message, ...positionOf(message) }));
  placed.sort((a, b) => b.date - a.date || b.number - a.number);
  return placed.map(({ message }) => message);
}

/** Listings of one shape differ in nothing but their values; the streams of a listing are all of one kind. */
function shapeOf({ streams, labels, after, through, inOneFolder }: Listing): string {
  const [{ folderNumber, flags } = {}] = streams;
  const filters = `${folderNumber !== undefined} ${flags !== undefined}`;
  const places = `${after !== undefined} ${through !== undefined}`;
  return `${streams.length} ${labels.length} ${filters} ${places} ${inOneFolder}`;
}

/** A listing of the same shape with what stands for its values. */
function standIn({ streams, labels, after, through, inOneFolder }: Listing, p: Values): Listing {
  return {
    streams: streams.map(({ folderNumber, flags }, i) => ({
      ...(folderNumber !== undefined && { folderNumber: p[`folderNumber${i}`] }),
      ...(flags !== undefined && { flags: p[`flags${i}`] }),
    })),
    labels: labels.map((label, i) => p[`label${i}`] ?? label),
    after: after && { date: p.date, number: p.number },
    through: through && { date: p.endDate, number: p.endNumber },
    limit: p.limit,
    inOneFolder,
  };
}

function valuesOf({ workspaceId, userId }: MailboxOwner, listing: Listing): Values {
  const { streams, labels, after, through, limit } = listing;
  const values: Values = {
    workspaceId,
    userId,
    limit,
    date: after?.date ?? 0,
    number: after?.number ?? 0,
    endDate: through?.date ?? 0,
    endNumber: through?.number ?? 0,
    others: limit - 1,
  };
  streams.forEach(({ folderNumber, flags }, i) => {
    if (folderNumber !== undefined) values[`folderNumber${i}`] = folderNumber;
    if (flags !== undefined) values[`flags${i}`] = flags;
  });
  labels.forEach((label, i) => {
    values[`label${i}`] = label;
  });
  return values;
}
