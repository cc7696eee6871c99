import { type AliasedExpression, sql } from 'kysely';
import { GRAM } from '../../text/grams.ts';
import type { ReadTransaction } from '../database.ts';
import { jsonRows, textMember } from '../query/json-rows.ts';
import { statement } from '../query/statement.ts';
import {
  entries,
  type GramIndex,
  isInPartition,
  isOrdered,
  items,
  recordOf,
  recordWith,
  type Values,
} from './gram-index.ts';

/** A gram with fewer entries is rare: all its entries are read. */
export const RARE = 1_000;
/** Grams are compared by the sort key of their next sixteenth entry: the farther it is, the rarer the gram. */
const REACH = 16;
const ENTRY_KEY = ['e.place', 'e.number'] as const;
/** Appended to a fragment, it sorts after every gram that begins with the fragment. */
const LAST = '\u{10ffff}'.repeat(GRAM);

type EntryKeys = AliasedExpression<{ place: string; number: number }, 'g'>;
type Page = Values & { fragment: string; after: string; limit: number };
type Reaching = Values & { grams: string; after: string };
type Beyond = Values & { after: string; items: number };
type Beginning = Values & { first: string; last: string };

/** The prepared queries of a gram index. */
export type GramQueries = ReturnType<typeof gramQueries>;

export function gramQueries(index: GramIndex) {
  return {
    along: statement((tx, p: Page & { gram: string }) => alongQuery(tx, index, p)),
    rareGram: statement((tx, p: Page & { gram: string }) => rareGramQuery(tx, index, p)),
    countBeginning: statement((tx, p: Beginning) =>
      tx
        .selectFrom(beginningWith(tx, index, p).as('g'))
        .select(({ fn }) => fn.countAll<number>().as('count')),
    ),
    rareBeginning: statement((tx, p: Page & Beginning) => rareBeginningQuery(tx, index, p)),
    reaches: statement((tx, p: Reaching) => reachQuery(tx, index, p)),
    beyond: statement((tx, p: Beyond) => beyondQuery(tx, index, p)),
  };
}

/** The range of the grams that begin with a fragment: the first and the last possible one. */
export function beginningOf(fragment: string) {
  return { first: fragment, last: fragment + LAST };
}

/** The items of the next entries of a gram, matching or not. */
function alongQuery(tx: ReadTransaction, index: GramIndex, p: Page & { gram: string }) {
  // SQLite plans a statement again for each value of a bare LIMIT parameter.
  const keys = withGram(tx, index, p).limit(sql<number>`0 + ${p.limit}`);
  if (tx.engine === 'postgres')
    return withRecords(tx, index, p, keys.select(ENTRY_KEY).as('g')).orderBy('g.place');
  // With this join order SQLite takes a third less time than with a scalar subquery per row.
  return keys
    .crossJoin(items(index, 'k'))
    .where('k.workspace_id', '=', p.workspace_id as string)
    .whereRef('k.number', '=', 'e.number')
    .select('e.place')
    .select(recordOf(tx, index, p, 'k', p.fragment).as('record'));
}

/** The matching items of all entries of a rare gram. */
function rareGramQuery(tx: ReadTransaction, index: GramIndex, p: Page & { gram: string }) {
  return matching(tx, index, p, withGram(tx, index, p).select(ENTRY_KEY).limit(sql.lit(RARE)).as('g'));
}

function withGram(tx: ReadTransaction, index: GramIndex, p: Page & { gram: string }) {
  return tx
    .selectFrom(entries(index, 'e'))
    .where(isInPartition(index, 'e', p))
    .where('e.gram', '=', p.gram)
    .where('e.place', '>', p.after)
    .orderBy('e.place');
}

function withRecords(tx: ReadTransaction, index: GramIndex, p: Page, keys: EntryKeys) {
  return tx
    .selectFrom(keys)
    .select('g.place')
    .select(recordWith(tx, index, p, 'g.number', p.fragment).as('record'));
}

/** Filters in SQL: most items do not match, and returning a row costs more than examining it in the database. */
function matching(tx: ReadTransaction, index: GramIndex, p: Page, keys: EntryKeys) {
  return tx
    .selectFrom(withRecords(tx, index, p, keys).as('m'))
    .select(['m.place', 'm.record'])
    .where('m.record', 'is not', null)
    .$narrowType<{ record: string }>()
    .orderBy('m.place')
    .limit(sql<number>`0 + ${p.limit}`);
}

/** The grams with the sort keys of their next sixteenth entries; first those with fewer entries, then the farthest. */
function reachQuery(tx: ReadTransaction, index: GramIndex, p: Reaching) {
  const sixteenth = tx
    .selectFrom(entries(index, 'n'))
    .select('n.place')
    .where(isInPartition(index, 'n', p))
    .where('n.gram', '=', textMember(0))
    .where('n.place', '>', p.after)
    .orderBy('n.place')
    .offset(sql.lit(REACH - 1))
    .limit(sql.lit(1));
  return tx
    .selectFrom(jsonRows(tx, p.grams))
    .select([textMember(0).as('gram'), sql<string | null>`${sixteenth}`.as('reach')])
    .orderBy(sql`2 desc nulls first`);
}

/** The item that follows after so many others behind a sort key. */
function beyondQuery(tx: ReadTransaction, index: GramIndex, p: Beyond) {
  return tx
    .selectFrom(items(index, 'k'))
    .select('k.place')
    .where(isOrdered(tx, index, 'k', p))
    .where('k.place', '>', p.after)
    .orderBy('k.place')
    .offset(sql<number>`0 + ${p.items}`)
    .limit(sql.lit(1));
}

/** Entries of grams that begin with a fragment, at most RARE, in any order. */
function beginningWith(tx: ReadTransaction, index: GramIndex, p: Beginning) {
  return tx
    .selectFrom(entries(index, 'e'))
    .select(ENTRY_KEY)
    .where(isInPartition(index, 'e', p))
    .where('e.gram', '>=', p.first)
    .where('e.gram', '<=', p.last)
    .orderBy('e.gram')
    .orderBy('e.place')
    .limit(sql.lit(RARE));
}

/** The matching items of all entries of rare grams that begin with a fragment. */
function rareBeginningQuery(tx: ReadTransaction, index: GramIndex, p: Page & Beginning) {
  const keys = tx
    .selectFrom(beginningWith(tx, index, p).as('b'))
    .select(['b.place', 'b.number'])
    .distinct()
    .where('b.place', '>', p.after)
    .orderBy('b.place');
  return matching(tx, index, p, keys.as('g'));
}
