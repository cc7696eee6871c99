import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { fittingCount, listedText } from '../../../storage/query/long-rows.ts';
import { holds, statement } from '../../../storage/query/statement.ts';
import type { Contacts, ContactsToIndex } from '../../../storage/schema/tables.ts';
import { gramEntries, type Searched } from '../../../storage/search/gram-entries.ts';
import type { GramIndex, Values } from '../../../storage/search/gram-index.ts';
import { gramSearch, type Looking, type Portion } from '../../../storage/search/gram-search.ts';
import type { ContactsOwner } from '../owner.ts';
import type { ListedRow, Shelf } from './listing-store.ts';
import {
  areNoted,
  dropFollowed,
  findToIndex,
  isIndexed,
  isLeftOut,
  isTextLeftOut,
  LONGEST_INDEXED,
  listNotes,
  type Note,
  noteToIndex,
} from './to-index-store.ts';

const INDEX: GramIndex = {
  grams: 'contact_grams',
  shelf: { workspace_id: 'text', address_book_id: 'text', trashed: 'bigint' },
  items: 'contacts',
  matching: [],
  ordered: ['address_book_id', 'trashed'],
};

const search = gramSearch(INDEX);
const changeEntries = gramEntries(INDEX);

/** The contacts of a shelf whose searched text contains the fragment (folded, not empty), in order, after a place. */
export async function searchShelf(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Shelf,
  fragment: string,
  portion: Portion,
): Promise<ListedRow[]> {
  const shelf = { workspaceId, bookId, trashed };
  const looking = lookingThrough(tx, shelf, fragment);
  if (!(await isIndexed(tx, shelf))) return looking.all(portion);
  return search(tx, valuesOf(shelf), fragment, portion, looking);
}

/** What of a contact says whose it is, and where and how it is searched. */
type SearchedRow = Pick<
  Contacts,
  'workspace_id' | 'user_id' | 'id' | 'address_book_id' | 'trashed' | 'place' | 'search_text'
>;

/** A contact on a shelf: what the index has of it there, and what it is to have. */
interface Step {
  contact: SearchedRow;
  number: number;
  isNew: boolean;
  before: SearchedRow | undefined;
  after: SearchedRow | undefined;
}

/**
 * Has the search index follow changes of contacts, who have these numbers by id; a new one was nothing before. What is
 * more than a few entries is noted, to be followed later. Answers whether something was.
 */
export async function followChanges(
  tx: WriteTransaction,
  { workspaceId }: ContactsOwner,
  changes: readonly { before: SearchedRow | undefined; after: SearchedRow }[],
  numbers: ReadonlyMap<string, number>,
): Promise<boolean> {
  const steps = changes.flatMap(({ before, after }) => stepsOf(before, after, numberOf(after, numbers)));
  if (isMuch(steps) || (await isOneNoted(tx, workspaceId, steps))) {
    await noteToIndex(tx, steps.map(noteOf));
    return steps.length > 0;
  }
  for (const { contact, number, before, after } of steps) {
    const { workspace_id, address_book_id, trashed } = contact;
    const change = { before, after: after && { ...after, number } };
    await changeEntries(tx, { workspace_id, address_book_id, trashed }, [change]);
  }
  return false;
}

/** Of each shelf that a contact is or was on, where it is searched otherwise than before. */
function stepsOf(before: SearchedRow | undefined, after: SearchedRow, number: number): Step[] {
  const isNew = before === undefined;
  const is = isLeftOut(after.search_text) ? undefined : after;
  const was = isNew || isLeftOut(before.search_text) ? undefined : before;
  if (before?.address_book_id === after.address_book_id && before.trashed === after.trashed) {
    const isSame = was?.place === is?.place && was?.search_text === is?.search_text;
    return isSame ? [] : [{ contact: after, number, isNew, before: was, after: is }];
  }
  return [
    ...(was ? [{ contact: was, number, isNew, before: was, after: undefined }] : []),
    ...(is ? [{ contact: is, number, isNew, before: undefined, after: is }] : []),
  ];
}

/** Whether to follow would take more than one contact may take. */
function isMuch(steps: readonly Step[]): boolean {
  let bytes = 0;
  return steps.some(({ before, after }) => {
    bytes += Buffer.byteLength(before?.search_text ?? '') + Buffer.byteLength(after?.search_text ?? '');
    return bytes > LONGEST_INDEXED;
  });
}

/** Whether the index has something else of one than what it was before: it has still to follow that. */
function isOneNoted(tx: WriteTransaction, workspaceId: string, steps: readonly Step[]): Promise<boolean> {
  const known = steps.filter(({ isNew }) => !isNew);
  return areNoted(tx, workspaceId, known.map(noteOf));
}

function noteOf({ contact, number, before }: Step): ContactsToIndex {
  const { workspace_id, user_id, address_book_id, trashed } = contact;
  const { place = null, search_text = null } = before ?? {};
  return { workspace_id, user_id, address_book_id, trashed, number, place, search_text };
}

function numberOf({ id }: SearchedRow, numbers: ReadonlyMap<string, number>): number {
  const number = numbers.get(id);
  if (number === undefined) throw new TypeError(`The contact ${id} has no number`);
  return number;
}

/** Notes that are looked at together; as many of them are followed as take no more than one contact may take. */
const NOTES_AT_ONCE = 100;

/** Has the index follow the first contacts that were noted of a shelf. The contacts lock of its user is held. */
export async function followNoted(tx: WriteTransaction, shelf: Shelf): Promise<void> {
  const notes = await listNotes(tx, shelf, NOTES_AT_ONCE);
  const now = await findToIndex(
    tx,
    shelf,
    notes.map(({ number }) => number),
  );
  const steps = notes.map((note) => ({
    number: note.number,
    before: hadOf(note),
    after: now.get(note.number),
  }));
  const sizes = steps.map(({ before, after }) => ({
    size: Buffer.byteLength(before?.search_text ?? '') + Buffer.byteLength(after?.search_text ?? ''),
  }));
  const some = steps.slice(0, fittingCount(sizes, LONGEST_INDEXED));
  await changeEntries(tx, valuesOf(shelf), some);
  await dropFollowed(
    tx,
    shelf,
    some.map(({ number }) => number),
  );
}

/** What the index has of a contact that was noted. */
function hadOf({ place, search_text }: Note): Omit<Searched, 'number'> | undefined {
  return place === null || search_text === null ? undefined : { place, search_text };
}

function valuesOf({ workspaceId, bookId, trashed }: Shelf): Values {
  return { workspace_id: workspaceId, address_book_id: bookId, trashed };
}

/** Contacts that one statement looks through. */
const WINDOW = 500;

const windowEnd = statement((tx, p: Shelf & { start: string }) =>
  contactsFrom(tx, p)
    .select('place')
    .offset(sql.lit(WINDOW - 1))
    .limit(sql.lit(1)),
);

/** The place of the last contact of the window after a place; undefined when fewer than a window are left. */
async function endOfWindow(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Shelf,
  start: string,
): Promise<string | undefined> {
  const [row] = await windowEnd(tx, { workspaceId, bookId, trashed, start });
  return row?.place;
}

/** One that may hold the fragment; the record is null where the text is too long to be looked at with others. */
const inWindow = statement((tx, p: Shelf & { fragment: string; start: string; limit: number }) => {
  const isLong = isTextLeftOut('c.search_text');
  return windowFrom(tx, p)
    .select('c.place')
    .select(sql<string | null>`case when not ${isLong} then ${listedText('c.record')} end`.as('record'))
    .where(sql<boolean>`case when ${isLong} then true else ${holds(tx, 'c.search_text', p.fragment)} end`)
    .limit(sql<number>`0 + ${p.limit}`);
});

/** The next contacts as "c", in order. */
function windowFrom(tx: ReadTransaction, p: Shelf & { start: string }) {
  if (tx.engine === 'postgres') {
    const contacts = contactsFrom(tx, p).select(['place', 'record', 'search_text']).limit(sql.lit(WINDOW));
    return tx.selectFrom(contacts.as('c')).orderBy('c.place');
  }
  // SQLite would read all of each long one, and not only what is asked of it. Told to look in this order, it does.
  const places = contactsFrom(tx, p).select('number').limit(sql.lit(WINDOW));
  return tx.selectFrom(places.as('w')).crossJoin('contacts as c').whereRef('c.number', '=', 'w.number');
}

const atPlace = statement((tx, p: Shelf & { fragment: string; place: string }) =>
  tx
    .selectFrom('contacts')
    .select(['place', listedText('record').as('record')])
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('place', '=', p.place)
    .where(holds(tx, 'search_text', p.fragment)),
);

/** What was found in a window, and up to where was looked where more may be in it. */
interface Looked {
  found: ListedRow[];
  cutAt: string | undefined;
}

/** Looks for a fragment in the texts of the contacts of a shelf, in order. */
function lookingThrough(tx: ReadTransaction, shelf: Shelf, fragment: string): Looking {
  const { workspaceId, bookId, trashed } = shelf;
  const values = { workspaceId, bookId, trashed, fragment };

  /** Long texts are looked at one at a time, so that no statement reads many of them. */
  async function look({ after, limit }: Portion): Promise<Looked> {
    const rows = await inWindow(tx, { ...values, start: after, limit });
    const found: ListedRow[] = [];
    for (const { place, record } of rows) {
      found.push(...(record === null ? await atPlace(tx, { ...values, place }) : [{ place, record }]));
    }
    return { found, cutAt: rows.length === limit ? rows.at(-1)?.place : undefined };
  }

  async function all({ after, limit }: Portion): Promise<ListedRow[]> {
    const found: ListedRow[] = [];
    let start: string | undefined = after;
    while (found.length < limit && start !== undefined) {
      const part: Looked = await look({ after: start, limit: limit - found.length });
      found.push(...part.found);
      if (found.length < limit) start = part.cutAt ?? (await endOfWindow(tx, shelf, start));
    }
    return found;
  }

  return { next: async (portion) => (await look(portion)).found, all };
}

function contactsFrom(tx: ReadTransaction, p: Shelf & { start: string }) {
  return tx
    .selectFrom('contacts')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('place', '>', p.start)
    .orderBy('place');
}
