import { sql } from 'kysely';
import { gramsOf } from '../../text/grams.ts';
import { sortInTurns } from '../../turns/in-turns.ts';
import { giveWay } from '../../turns/next-turn.ts';
import type { WriteTransaction } from '../database.ts';
import { isAmong } from '../query/json-parameters.ts';
import { integerMember, jsonRows, textMember } from '../query/json-rows.ts';
import { workspaceOfRows } from '../query/of-workspace.ts';
import { command } from '../query/statement.ts';
import { type GramIndex, isInPartition, type Values } from './gram-index.ts';

/** The search text of an item and its position in the order of its listing. */
export interface Searched {
  /** The key of its row. */
  number: number;
  /** The sort key. */
  place: string;
  search_text: string;
}

/**
 * A change of an item of a partition; without `before` it is new there, without `after` it leaves. Its number never
 * changes.
 */
export interface EntryChange {
  before?: Omit<Searched, 'number'> | undefined;
  after?: Searched | undefined;
}

/** A gram, and the sort key and the number of an item that contains it. */
type Entry = [gram: string, place: string, number: number];

/**
 * Entries of one statement: it must be short, even if every entry is on another page. Other requests get a turn in
 * between.
 */
const ENTRIES_A_STATEMENT = 2_000;

/**
 * Entries sorted and written together in index order: the more, the fewer pages are changed and logged repeatedly. Each
 * takes a few bytes of memory until it is written.
 */
const ENTRIES_AT_ONCE = 1_000_000;

/** New entries of an index: items in order of their sort keys, and the items that contain each gram. */
class NewEntries {
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

  /** Portions of one statement each, in index order, so that neighbours are written to the same cached page. */
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

/** Returns a function that updates the entries of an index after changes of search texts or sort keys. */
export function gramEntries(index: GramIndex) {
  const insert = command((tx: WriteTransaction, p: Values & { entries: string; item: number }) =>
    insertQuery(tx, index, p),
  );
  const remove = command((tx: WriteTransaction, p: Values & { grams: string; place: string }) =>
    tx
      .deleteFrom(index.grams)
      .where(isInPartition(index, index.grams, p))
      .where(isAmong(tx, 'gram', p.grams))
      .where('place', '=', p.place),
  );

  return async (tx: WriteTransaction, partition: Values, changes: readonly EntryChange[]): Promise<void> => {
    let added = new NewEntries();
    for (const { before, after } of await sortInTurns(changes, bySortKey)) {
      const isSameKey = before?.place === after?.place;
      if (isSameKey && before?.search_text === after?.search_text) continue;
      const old = gramsAt(before);
      await giveWay();
      const now = gramsAt(after);
      const removed = isSameKey ? old.difference(now) : old;
      if (before) await removeAt(tx, partition, before.place, [...removed]);
      if (!after) continue;
      added.add(after, isSameKey ? now.difference(old) : now);
      await giveWay();
      if (added.entries < ENTRIES_AT_ONCE) continue;
      await add(tx, partition, added);
      added = new NewEntries();
    }
    await add(tx, partition, added);
  };

  async function removeAt(
    tx: WriteTransaction,
    partition: Values,
    sortKey: string,
    removed: readonly string[],
  ): Promise<void> {
    for (let i = 0; i < removed.length; i += ENTRIES_A_STATEMENT) {
      const grams = JSON.stringify(removed.slice(i, i + ENTRIES_A_STATEMENT));
      await remove(tx, { ...partition, grams, place: sortKey });
    }
  }

  async function add(tx: WriteTransaction, partition: Values, added: NewEntries): Promise<void> {
    for await (const entries of added.portions()) {
      await insert(tx, { ...partition, entries: JSON.stringify(entries), item: entries[0]?.[2] ?? 0 });
      await giveWay();
    }
  }
}

function gramsAt(item: Pick<Searched, 'search_text'> | undefined): ReadonlySet<string> {
  return item ? gramsOf(item.search_text) : new Set();
}

/** On PostgreSQL beside one of the items, from which it has the workspace (see workspaceOfRows). */
function insertQuery(
  tx: WriteTransaction,
  { grams, items, partition }: GramIndex,
  p: Values & { entries: string; item: number },
) {
  const columns = Object.keys(partition);
  const values = Object.entries(partition).map(([column, type]) =>
    column === 'workspace_id'
      ? workspaceOfRows(tx, 'i.workspace_id', { workspaceId: p.workspace_id as string })
      : sql`cast(${p[column]} as ${sql.raw(type)})`,
  );
  const row = sql.join([...values, textMember(0), textMember(1), integerMember(2)]);
  const item = sql`join ${sql.table(items)} as i on i.workspace_id = ${p.workspace_id} and i.number = ${p.item}`;
  const beside = tx.engine === 'sqlite' ? sql`` : item;
  return tx
    .insertInto(grams)
    .columns([...columns, 'gram', 'place', 'number'] as never[])
    .expression(sql`select ${row} from ${jsonRows(tx, p.entries).expression} as e ${beside}`);
}

function bySortKey({ after: a }: EntryChange, { after: b }: EntryChange): number {
  return byText(a?.place ?? '', b?.place ?? '');
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
