import { sql } from 'kysely';
import { gramsOf } from '../../text/grams.ts';
import { sortInTurns } from '../../turns/in-turns.ts';
import { giveWay } from '../../turns/next-turn.ts';
import type { WriteTransaction } from '../database.ts';
import { isAmong } from '../query/json-parameters.ts';
import { integerMember, jsonRows, textMember } from '../query/json-rows.ts';
import { statement } from '../query/statement.ts';
import { type GramIndex, onShelf, type Values } from './gram-index.ts';

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

/**
 * Entries that are written in the order of the index, all together: the more, the fewer of its pages are changed, and put
 * into the log, more than once. One takes a few bytes of memory until then.
 */
const ENTRIES_AT_ONCE = 1_000_000;

/** What comes into an index: items, by their place, and which of them each gram is in. */
class Arrivals {
  readonly #items: Searched[] = [];
  readonly #withGram = new Map<string, number[]>();
  #entries = 0;

  get entries(): number {
    return this.#entries;
  }

  add(item: Searched, grams: ReadonlySet<string>): void {
    const index = this.#items.push(item) - 1;
    for (const gram of grams) {
      const indexes = this.#withGram.get(gram);
      if (indexes) indexes.push(index);
      else this.#withGram.set(gram, [index]);
    }
    this.#entries += grams.size;
  }

  /** What one statement writes, in the order of the index: neighbours are written to the same page while it is at hand. */
  async *portions(): AsyncGenerator<Entry[]> {
    let portion: Entry[] = [];
    for (const gram of await sortInTurns([...this.#withGram.keys()], byText)) {
      for (const index of this.#withGram.get(gram) ?? []) {
        const { place, number } = this.#items[index] as Searched;
        if (portion.push([gram, place, number]) < ENTRIES_A_STATEMENT) continue;
        yield portion;
        portion = [];
      }
    }
    if (portion.length > 0) yield portion;
  }
}

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
    let come = new Arrivals();
    for (const { before, after } of await sortInTurns(changes, byPlace)) {
      const isInPlace = before?.place === after?.place;
      if (isInPlace && before?.search_text === after?.search_text) continue;
      const old = gramsAt(before);
      await giveWay();
      const now = gramsAt(after);
      const gone = isInPlace ? old.difference(now) : old;
      if (before) await removeAt(tx, shelf, before.place, [...gone]);
      if (!after) continue;
      come.add(after, isInPlace ? now.difference(old) : now);
      await giveWay();
      if (come.entries < ENTRIES_AT_ONCE) continue;
      await add(tx, shelf, come);
      come = new Arrivals();
    }
    await add(tx, shelf, come);
  };

  async function removeAt(
    tx: WriteTransaction,
    shelf: Values,
    place: string,
    gone: readonly string[],
  ): Promise<void> {
    for (let i = 0; i < gone.length; i += ENTRIES_A_STATEMENT) {
      const grams = JSON.stringify(gone.slice(i, i + ENTRIES_A_STATEMENT));
      await remove(tx, { ...shelf, grams, place });
    }
  }

  async function add(tx: WriteTransaction, shelf: Values, come: Arrivals): Promise<void> {
    for await (const entries of come.portions()) {
      await insert(tx, { ...shelf, entries: JSON.stringify(entries) });
      await giveWay();
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

function byPlace({ after: a }: ShelfChange, { after: b }: ShelfChange): number {
  return byText(a?.place ?? '', b?.place ?? '');
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
