import { type Compilable, sql } from 'kysely';
import { Cache } from '../../../platform/cache.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { arraysIn, integerAt } from '../../../storage/query/json-parameters.ts';
import { isOfWorkspace } from '../../../storage/query/of-workspace.ts';
import { type Statement, statement } from '../../../storage/query/statement.ts';
import type { MailboxOwner } from '../owner.ts';
import {
  isInStream,
  isPlain,
  LARGEST_PAGE,
  type ListedMessage,
  type Listing,
  listingQuery,
  type MessagePosition,
  positionQuery,
  type Stream,
} from './listing-query.ts';

interface HeadValues extends MessagePosition {
  workspaceId: string;
  /** JSON array of arrays: folder and flags. */
  streams: string;
  limit: number;
}

type HeadStatement = Statement<ReadTransaction, HeadValues, { position: number }>;

const headStatements = { any: headStatement(false), exactly: headStatement(true) };

/** Newer than every message: a listing "after" it starts with the newest. */
const END: MessagePosition = { date: Number.MAX_SAFE_INTEGER, number: 0 };

/**
 * Of many streams, each in one folder, the `limit` streams whose first message after a position is newest: a page of
 * `limit` messages contains none of the others. Costs two index lookups for each stream.
 */
async function newestStreams(
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  streams: readonly Stream[],
  after: MessagePosition = END,
  limit: number,
): Promise<Stream[]> {
  const newest = streams[0]?.flags === undefined ? headStatements.any : headStatements.exactly;
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

/** The parameters of a listing by name; names of stream and label parameters end with an index. */
interface Values {
  workspaceId: string;
  userId: string;
  date: number;
  number: number;
  endDate: number;
  endNumber: number;
  limit: number;
  /** The messages of a full page except the last. */
  others: number;
  [folderId: `folderId${number}`]: string;
  [role: `role${number}`]: string;
  [folderNumber: `folderNumber${number}`]: number;
  [flags: `flags${number}`]: number;
  [label: `label${number}`]: string;
}

/** Both engines accept more, but a larger statement is not worth caching. */
const STREAMS_A_STATEMENT = 200;
const VALUES_A_STATEMENT = 4_000;
/** Parameters of each stream, beside its labels. */
const VALUES_A_STREAM = 10;

const MOST_STATEMENTS = 100;

/** The memory of a message of a page beside its texts, in characters. */
const SIZE_OF_STATE = 100;

/** Cache of statements by the shape of their listing; most mailboxes need a dozen. */
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
      found = statement((tx, p: Values) => this.#build(tx, p, parameterized(listing, p)));
      this.#byShape.set(shape, found);
    }
    return found;
  }
}

const pages = new Statements<ListedMessage>(listingQuery);
const endPositions = new Statements<MessagePosition>((tx, p, listing) =>
  positionQuery(tx, p, listing, p.others),
);

/** Cache of recent pages by the snapshot of their read: at most 8 MB, in characters of two bytes. */
const recentPages = new Cache<readonly ListedMessage[]>({ room: 4_000_000, largest: 400_000 });

/** The messages of a page, newest first. The array is shared by the cache: callers must not change it. */
export async function listMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Omit<Listing, 'inOneFolder'>,
): Promise<readonly ListedMessage[]> {
  if (tx.snapshot === undefined) return readPage(tx, owner, listing);
  const key = JSON.stringify([tx.snapshot, owner.workspaceId, owner.userId, listing]);
  const cached = recentPages.get(key);
  if (cached) return cached;
  const page = await readPage(tx, owner, listing);
  recentPages.set(key, page, sizeOf(page));
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
  if (limit > LARGEST_PAGE) throw new RangeError(`A page of ${limit} messages is too large`);
  const streams = await contributingStreams(tx, owner, listing);
  const inOneFolder = listing.streams.length === 1 && isOfOneFolder(streams[0]);
  const fitting = Math.ceil(VALUES_A_STATEMENT / (VALUES_A_STREAM + labels.length));
  const portion = Math.min(STREAMS_A_STATEMENT, fitting);
  let found: readonly ListedMessage[] = [];
  for (let i = 0; i < streams.length; i += portion) {
    const some = { ...listing, streams: streams.slice(i, i + portion), inOneFolder };
    const rows = await pages.for(some)(tx, valuesOf(owner, some));
    found = i === 0 ? rows : newestOf([...found, ...rows]).slice(0, limit);
  }
  return found;
}

function isOfOneFolder(stream: Stream | undefined): boolean {
  return stream?.folderId !== undefined || stream?.role !== undefined;
}

/** The position of the last message of a full page; undefined if the page is not full. */
export async function endOfPage(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Omit<Listing, 'inOneFolder'>,
): Promise<MessagePosition | undefined> {
  // Too many streams for one statement: the position in the whole mailbox is a good estimate then.
  const streams = listing.streams.length > STREAMS_A_STATEMENT ? [{}] : listing.streams;
  const whole = { ...listing, streams, inOneFolder: false };
  const [position] = await endPositions.for(whole)(tx, valuesOf(owner, whole));
  return position;
}

/** The streams that can contribute to a page; all streams when they are few enough for one statement. */
async function contributingStreams(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Omit<Listing, 'inOneFolder'>,
): Promise<readonly Stream[]> {
  const { streams, after, limit } = listing;
  if (streams.length <= STREAMS_A_STATEMENT || !isPlain(listing)) return streams;
  return newestStreams(tx, owner, streams, after, limit);
}

/** The position of a message in the order of every listing, read from its summary. */
export function positionOf({ number, summary }: ListedMessage): MessagePosition {
  const { date } = JSON.parse(`{${summary}}`) as { date: string };
  return { date: Date.parse(date), number };
}

function newestOf(messages: readonly ListedMessage[]): ListedMessage[] {
  const positioned = messages.map((message) => ({ message, ...positionOf(message) }));
  positioned.sort((a, b) => b.date - a.date || b.number - a.number);
  return positioned.map(({ message }) => message);
}

/** Listings of one shape differ only in their parameters; all streams of a listing are of one kind. */
function shapeOf({ streams, labels, after, through, inOneFolder }: Listing): string {
  const [{ folderId, role, folderNumber, flags } = {}] = streams;
  const filters = `${folderId !== undefined} ${role !== undefined} ${folderNumber !== undefined} ${flags !== undefined}`;
  const positions = `${after !== undefined} ${through !== undefined}`;
  return `${streams.length} ${labels.length} ${filters} ${positions} ${inOneFolder}`;
}

/** A listing of the same shape whose values are the parameters of a statement. */
function parameterized({ streams, labels, after, through, inOneFolder }: Listing, p: Values): Listing {
  return {
    streams: streams.map(({ folderId, role, folderNumber, flags }, i) => ({
      ...(role !== undefined && { role: p[`role${i}`] }),
      ...(folderNumber !== undefined && { folderNumber: p[`folderNumber${i}`] }),
      ...(folderNumber === undefined && folderId !== undefined && { folderId: p[`folderId${i}`] }),
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
  streams.forEach(({ folderId, role, folderNumber, flags }, i) => {
    if (role !== undefined) values[`role${i}`] = role;
    if (folderNumber !== undefined) values[`folderNumber${i}`] = folderNumber;
    else if (folderId !== undefined) values[`folderId${i}`] = folderId;
    if (flags !== undefined) values[`flags${i}`] = flags;
  });
  labels.forEach((label, i) => {
    values[`label${i}`] = label;
  });
  return values;
}
