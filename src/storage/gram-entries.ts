import { sql } from 'kysely';
import { gramsOf } from '../text/grams.ts';
import { sortedInTurns } from '../turns/sorted-in-turns.ts';
import { Turns } from '../turns/turns.ts';
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

/** Entries that are in memory and sorted together: those of some thousand usual items. */
const ENTRIES_AT_ONCE = 200_000;

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
    let come: Entry[] = [];
    const turns = new Turns();
    for (const { before, after } of changes) {
      const [old, now] = [gramsAt(before), gramsAt(after)];
      const isInPlace = before?.place === after?.place;
      const gone = isInPlace ? old.difference(now) : old;
      if (before && gone.size > 0) {
        await remove(tx, { ...shelf, grams: JSON.stringify([...gone]), place: before.place });
      }
      if (!after) continue;
      for (const gram of isInPlace ? now.difference(old) : now) come.push([gram, after.place, after.number]);
      await turns.next();
      if (come.length < ENTRIES_AT_ONCE) continue;
      await add(tx, shelf, come, turns);
      come = [];
    }
    await add(tx, shelf, come, turns);
  };

  /** In the order of the index: neighbours are written to the same page while it is at hand. */
  async function add(
    tx: WriteTransaction,
    shelf: Values,
    come: readonly Entry[],
    turns: Turns,
  ): Promise<void> {
    const sorted = await sortedInTurns(come, byGramAndPlace, turns);
    for (let i = 0; i < sorted.length; i += ENTRIES_A_STATEMENT) {
      await insert(tx, { ...shelf, entries: JSON.stringify(sorted.slice(i, i + ENTRIES_A_STATEMENT)) });
    }
  }
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
