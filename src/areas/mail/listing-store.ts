import type { ReadTransaction } from '../../storage/database.ts';
import { type Statement, statement } from '../../storage/statement.ts';
import { type ListedMessage, type Listing, listingQuery, type MessagePlace } from './listing-query.ts';
import type { MailboxOwner } from './owner.ts';

export type { MessagePlace, Stream } from './listing-query.ts';

/** The values of a listing by name; those of a stream or a label end with its number. */
interface Values {
  workspaceId: string;
  userId: string;
  date: number;
  id: string;
  limit: number;
  [folderId: `folderId${number}`]: string;
  [flags: `flags${number}`]: number;
  [combination: `combination${number}`]: string;
  [label: `label${number}`]: string;
}

type ListingStatement = Statement<ReadTransaction, Values, ListedMessage>;

/** Both engines take more, but a larger statement is not worth keeping. */
const STREAMS_A_STATEMENT = 200;
const VALUES_A_STATEMENT = 4_000;
/** Of each stream, beside its labels. */
const VALUES_A_STREAM = 7;

/** The statements that were needed lately, by the shape of their listing; most mailboxes need a dozen. */
const statements = new Map<string, ListingStatement>();
const MOST_STATEMENTS = 100;

/** The messages of a page as ready JSON, newest first. */
export async function listMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  listing: Listing,
): Promise<string[]> {
  const { streams, labels, limit } = listing;
  const fitting = Math.ceil(VALUES_A_STATEMENT / (VALUES_A_STREAM + labels.length));
  const portion = Math.min(STREAMS_A_STATEMENT, fitting);
  let found: string[] = [];
  for (let i = 0; i < streams.length; i += portion) {
    const part = { ...listing, streams: streams.slice(i, i + portion) };
    const rows = await statementFor(part)(tx, valuesOf(owner, part));
    const items = rows.map(({ item }) => item);
    found = i === 0 ? items : mergedItems(found, items).slice(0, limit);
  }
  return found;
}

/** Where a message stands in the order of every listing, read from its summary. */
export function placeOf(item: string): MessagePlace {
  const { date, id } = JSON.parse(item) as { date: string; id: string };
  return { date: Date.parse(date), id };
}

function mergedItems(some: readonly string[], more: readonly string[]): string[] {
  const placed = [...some, ...more].map((item) => ({ item, ...placeOf(item) }));
  placed.sort((a, b) => b.date - a.date || (a.id < b.id ? 1 : -1));
  return placed.map(({ item }) => item);
}

function statementFor(listing: Listing): ListingStatement {
  const shape = shapeOf(listing);
  let found = statements.get(shape);
  if (!found) {
    if (statements.size >= MOST_STATEMENTS) statements.clear();
    found = statement((tx, p: Values) => listingQuery(tx, p, standIn(listing, p)));
    statements.set(shape, found);
  }
  return found;
}

/** Listings of one shape differ in nothing but their values; the streams of a listing are all of one kind. */
function shapeOf({ streams, labels, after }: Listing): string {
  const [{ folderId, flags, combination } = {}] = streams;
  const filters = `${folderId !== undefined} ${flags !== undefined} ${combination !== undefined}`;
  return `${streams.length} ${labels.length} ${filters} ${after !== undefined}`;
}

/** A listing of the same shape with what stands for its values. */
function standIn({ streams, labels, after }: Listing, p: Values): Listing {
  return {
    streams: streams.map(({ folderId, flags, combination }, i) => ({
      ...(folderId !== undefined && { folderId: p[`folderId${i}`] }),
      ...(flags !== undefined && { flags: p[`flags${i}`] }),
      ...(combination !== undefined && { combination: p[`combination${i}`] }),
    })),
    labels: labels.map((label, i) => p[`label${i}`] ?? label),
    after: after && { date: p.date, id: p.id },
    limit: p.limit,
  };
}

function valuesOf({ workspaceId, userId }: MailboxOwner, listing: Listing): Values {
  const { streams, labels, after, limit } = listing;
  const values: Values = { workspaceId, userId, limit, date: after?.date ?? 0, id: after?.id ?? '' };
  streams.forEach(({ folderId, flags, combination }, i) => {
    if (folderId !== undefined) values[`folderId${i}`] = folderId;
    if (flags !== undefined) values[`flags${i}`] = flags;
    if (combination !== undefined) values[`combination${i}`] = combination;
  });
  labels.forEach((label, i) => {
    values[`label${i}`] = label;
  });
  return values;
}
