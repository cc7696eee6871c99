import { sql } from 'kysely';
import { gramsOf } from '../text/grams.ts';
import type { WriteTransaction } from './database.ts';
import { isAmong } from './elements.ts';
import { type GramIndex, onShelf, type Values } from './gram-index.ts';
import { integerMember, jsonRows, textMember } from './json-rows.ts';
import { statement } from './statement.ts';

/** What is searched of an item, and where it stands in the order of its listing. */
export interface Searched {
  /** By which its row is looked up. */
  number: number;
  place: string;
  search_text: string;
}

/** Something that is on a shelf, was, or both. Its number never changes. */
export interface ShelfChange {
  before?: Omit<Searched, 'number'> | undefined;
  after?: Searched | undefined;
}

/** A gram, and the place and the number of something that has it. */
type Entry = [gram: string, place: string, number: number];

/** Between statements others have their turn: none may take long, even where every entry is on another page. */
const ENTRIES_A_STATEMENT = 2_000;

/** Follows changes in an index, as far as what is searched has changed. */
export function gramEntries(index: GramIndex) {
  const insert = statement((tx: WriteTransaction, p: Values & { entries: string }) =>
    insertQuery(tx, index, p),
  );
  const remove = statement((tx: WriteTransaction, p: Values & { grams: string; place: string }) =>
    tx
      .deleteFrom(index.grams)
      .where(onShelf(index, index.grams, p))
      .where(isAmong(tx, 'gram', p.grams))
      .where('place', '=', p.place),
  );

  return async (tx: WriteTransaction, shelf: Values, changes: readonly ShelfChange[]): Promise<void> => {
    const come: Entry[] = [];
    for (const { before, after } of changes) {
      const [old, now] = [gramsAt(before), gramsAt(after)];
      const isInPlace = before?.place === after?.place;
      const gone = isInPlace ? old.difference(now) : old;
      if (before && gone.size > 0) {
        await remove(tx, { ...shelf, grams: JSON.stringify([...gone]), place: before.place });
      }
      if (!after) continue;
      for (const gram of isInPlace ? now.difference(old) : now) come.push([gram, after.place, after.number]);
    }
    // In the order of the index: neighbours are written to the same page while it is at hand.
    come.sort(byGramAndPlace);
    for (let i = 0; i < come.length; i += ENTRIES_A_STATEMENT) {
      await insert(tx, { ...shelf, entries: JSON.stringify(come.slice(i, i + ENTRIES_A_STATEMENT)) });
    }
  };
}

function gramsAt(item: Pick<Searched, 'search_text'> | undefined): ReadonlySet<string> {
  return item ? gramsOf(item.search_text) : new Set();
}

function insertQuery(tx: WriteTransaction, { grams, shelf }: GramIndex, p: Values & { entries: string }) {
  const columns = Object.keys(shelf);
  const values = Object.entries(shelf).map(([column, type]) => sql`cast(${p[column]} as ${sql.raw(type)})`);
  const row = sql.join([...values, textMember(0), textMember(1), integerMember(2)]);
  return tx
    .insertInto(grams)
    .columns([...columns, 'gram', 'place', 'number'] as never[])
    .expression(sql`select ${row} from ${jsonRows(tx, p.entries).expression} as e`);
}

function byGramAndPlace([a, placeA]: Entry, [b, placeB]: Entry): number {
  if (a === b) return placeA < placeB ? -1 : 1;
  return a < b ? -1 : 1;
}
