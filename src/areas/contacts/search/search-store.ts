import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { fittingCount, listedText } from '../../../storage/query/long-rows.ts';
import { holds, statement } from '../../../storage/query/statement.ts';
import type { Contacts, ContactsToIndex } from '../../../storage/schema/tables.ts';
import { gramEntries, type Searched } from '../../../storage/search/gram-entries.ts';
import type { GramIndex, Values } from '../../../storage/search/gram-index.ts';
import { gramSearch, type Portion, type TextScan } from '../../../storage/search/gram-search.ts';
import type { ContactsOwner } from '../owner.ts';
import type { ListedRow, Partition } from './listing-store.ts';
import {
  findTextsToIndex,
  isAnyQueued,
  isColumnTooLongToIndex,
  isIndexed,
  isTooLongToIndex,
  LONGEST_INDEXED,
  listQueued,
  type QueuedContact,
  queueForIndexing,
  removeQueued,
} from './to-index-store.ts';

const INDEX: GramIndex = {
  grams: 'contact_grams',
  partition: { workspace_id: 'text', address_book_id: 'text', trashed: 'bigint' },
  items: 'contacts',
  matching: [],
  ordered: ['address_book_id', 'trashed'],
};

const search = gramSearch(INDEX);
const changeEntries = gramEntries(INDEX);

/**
 * The contacts of a partition whose search text contains the fragment (folded, not empty), in order, after a sort key.
 */
export async function searchPartition(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Partition,
  fragment: string,
  portion: Portion,
): Promise<ListedRow[]> {
  const partition = { workspaceId, bookId, trashed };
  const scan = textScan(tx, partition, fragment);
  if (!(await isIndexed(tx, partition))) return scan.all(portion);
  return search(tx, valuesOf(partition), fragment, portion, scan);
}

/** The columns of a contact that the search index depends on. */
type SearchedRow = Pick<
  Contacts,
  'workspace_id' | 'user_id' | 'id' | 'address_book_id' | 'trashed' | 'place' | 'search_text'
>;

/** A change of a contact in a partition: the indexed state before, and the state to index. */
interface Step {
  contact: SearchedRow;
  number: number;
  isNew: boolean;
  before: SearchedRow | undefined;
  after: SearchedRow | undefined;
}

/**
 * Updates the search index after changes of contacts; `numbers`: by id. Queues the contacts for indexing instead if
 * that would take more than a few entries. Returns whether it queued any.
 */
export async function indexChanges(
  tx: WriteTransaction,
  { workspaceId }: ContactsOwner,
  changes: readonly { before: SearchedRow | undefined; after: SearchedRow }[],
  numbers: ReadonlyMap<string, number>,
): Promise<boolean> {
  const steps = changes.flatMap(({ before, after }) => stepsOf(before, after, numberOf(after, numbers)));
  if (isTooMuch(steps) || (await isAnyStepQueued(tx, workspaceId, steps))) {
    await queueForIndexing(tx, steps.map(queueRowOf));
    return steps.length > 0;
  }
  for (const { contact, number, before, after } of steps) {
    const { workspace_id, address_book_id, trashed } = contact;
    const change = { before, after: after && { ...after, number } };
    await changeEntries(tx, { workspace_id, address_book_id, trashed }, [change]);
  }
  return false;
}

/** One step for each partition that a contact is or was in, unless its search there is unchanged. */
function stepsOf(before: SearchedRow | undefined, after: SearchedRow, number: number): Step[] {
  const isNew = before === undefined;
  const is = isTooLongToIndex(after.search_text) ? undefined : after;
  const was = isNew || isTooLongToIndex(before.search_text) ? undefined : before;
  if (before?.address_book_id === after.address_book_id && before.trashed === after.trashed) {
    const isSame = was?.place === is?.place && was?.search_text === is?.search_text;
    return isSame ? [] : [{ contact: after, number, isNew, before: was, after: is }];
  }
  return [
    ...(was ? [{ contact: was, number, isNew, before: was, after: undefined }] : []),
    ...(is ? [{ contact: is, number, isNew, before: undefined, after: is }] : []),
  ];
}

/** Whether the steps exceed what one transaction may index. */
function isTooMuch(steps: readonly Step[]): boolean {
  let bytes = 0;
  return steps.some(({ before, after }) => {
    bytes += Buffer.byteLength(before?.search_text ?? '') + Buffer.byteLength(after?.search_text ?? '');
    return bytes > LONGEST_INDEXED;
  });
}

/** Whether a contact is still queued, so that the index does not have its `before` state. */
function isAnyStepQueued(
  tx: WriteTransaction,
  workspaceId: string,
  steps: readonly Step[],
): Promise<boolean> {
  const existing = steps.filter(({ isNew }) => !isNew);
  return isAnyQueued(tx, workspaceId, existing.map(queueRowOf));
}

function queueRowOf({ contact, number, before }: Step): ContactsToIndex {
  const { workspace_id, user_id, address_book_id, trashed } = contact;
  const { place = null, search_text = null } = before ?? {};
  return { workspace_id, user_id, address_book_id, trashed, number, place, search_text };
}

function numberOf({ id }: SearchedRow, numbers: ReadonlyMap<string, number>): number {
  const number = numbers.get(id);
  if (number === undefined) throw new TypeError(`The contact ${id} has no number`);
  return number;
}

/** Queued contacts read together; a transaction indexes as many of them as fit into LONGEST_INDEXED bytes. */
const QUEUED_AT_ONCE = 100;

/** Indexes the first queued contacts of a partition. The caller holds the contacts lock of its user. */
export async function indexQueued(tx: WriteTransaction, partition: Partition): Promise<void> {
  const queued = await listQueued(tx, partition, QUEUED_AT_ONCE);
  const now = await findTextsToIndex(
    tx,
    partition,
    queued.map(({ number }) => number),
  );
  const steps = queued.map((contact) => ({
    number: contact.number,
    before: indexedStateOf(contact),
    after: now.get(contact.number),
  }));
  const sizes = steps.map(({ before, after }) => ({
    size: Buffer.byteLength(before?.search_text ?? '') + Buffer.byteLength(after?.search_text ?? ''),
  }));
  const some = steps.slice(0, fittingCount(sizes, LONGEST_INDEXED));
  await changeEntries(tx, valuesOf(partition), some);
  await removeQueued(
    tx,
    partition,
    some.map(({ number }) => number),
  );
}

/** The indexed state of a queued contact; undefined if the index does not have it. */
function indexedStateOf({ place, search_text }: QueuedContact): Omit<Searched, 'number'> | undefined {
  return place === null || search_text === null ? undefined : { place, search_text };
}

function valuesOf({ workspaceId, bookId, trashed }: Partition): Values {
  return { workspace_id: workspaceId, address_book_id: bookId, trashed };
}

/** Contacts that one statement scans. */
const WINDOW = 500;

const windowEnd = statement((tx, p: Partition & { start: string }) =>
  contactsFrom(tx, p)
    .select('place')
    .offset(sql.lit(WINDOW - 1))
    .limit(sql.lit(1)),
);

/** The sort key of the last contact of the window after `start`; undefined when fewer than a window are left. */
async function endOfWindow(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Partition,
  start: string,
): Promise<string | undefined> {
  const [row] = await windowEnd(tx, { workspaceId, bookId, trashed, start });
  return row?.place;
}

/** Contacts that may contain the fragment; the record is null if the text is too long to be examined with others. */
const inWindow = statement((tx, p: Partition & { fragment: string; start: string; limit: number }) => {
  const isLong = isColumnTooLongToIndex('c.search_text');
  return windowFrom(tx, p)
    .select('c.place')
    .select(sql<string | null>`case when not ${isLong} then ${listedText('c.record')} end`.as('record'))
    .where(sql<boolean>`case when ${isLong} then true else ${holds(tx, 'c.search_text', p.fragment)} end`)
    .limit(sql<number>`0 + ${p.limit}`);
});

/** The next contacts in order, as alias "c". */
function windowFrom(tx: ReadTransaction, p: Partition & { start: string }) {
  if (tx.engine === 'postgres') {
    const contacts = contactsFrom(tx, p).select(['place', 'record', 'search_text']).limit(sql.lit(WINDOW));
    return tx.selectFrom(contacts.as('c')).orderBy('c.place');
  }
  // Otherwise SQLite reads every column of long contacts. The cross join forces it to take the keys from the index
  // first.
  const numbers = contactsFrom(tx, p).select('number').limit(sql.lit(WINDOW));
  return tx.selectFrom(numbers.as('w')).crossJoin('contacts as c').whereRef('c.number', '=', 'w.number');
}

const selectBySortKey = statement((tx, p: Partition & { fragment: string; place: string }) =>
  tx
    .selectFrom('contacts')
    .select(['place', listedText('record').as('record')])
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('place', '=', p.place)
    .where(holds(tx, 'search_text', p.fragment)),
);

/** The matches in a window; `cutAt`: the last sort key examined, if the window may contain more. */
interface WindowResult {
  found: ListedRow[];
  cutAt: string | undefined;
}

/** Searches the texts of the contacts of a partition for a fragment, in order, without the index. */
function textScan(tx: ReadTransaction, partition: Partition, fragment: string): TextScan {
  const { workspaceId, bookId, trashed } = partition;
  const values = { workspaceId, bookId, trashed, fragment };

  /** Examines long texts one at a time, so that no statement reads many of them. */
  async function scanWindow({ after, limit }: Portion): Promise<WindowResult> {
    const rows = await inWindow(tx, { ...values, start: after, limit });
    const found: ListedRow[] = [];
    for (const { place, record } of rows) {
      found.push(
        ...(record === null ? await selectBySortKey(tx, { ...values, place }) : [{ place, record }]),
      );
    }
    return { found, cutAt: rows.length === limit ? rows.at(-1)?.place : undefined };
  }

  async function all({ after, limit }: Portion): Promise<ListedRow[]> {
    const found: ListedRow[] = [];
    let start: string | undefined = after;
    while (found.length < limit && start !== undefined) {
      const window: WindowResult = await scanWindow({ after: start, limit: limit - found.length });
      found.push(...window.found);
      if (found.length < limit) start = window.cutAt ?? (await endOfWindow(tx, partition, start));
    }
    return found;
  }

  return { next: async (portion) => (await scanWindow(portion)).found, all };
}

function contactsFrom(tx: ReadTransaction, p: Partition & { start: string }) {
  return tx
    .selectFrom('contacts')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('place', '>', p.start)
    .orderBy('place');
}
