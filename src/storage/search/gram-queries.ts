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

/** What is this rare is found by reading all its entries. */
export const RARE = 1_000;
/** Entries by whose last place grams are compared: the farther it is, the rarer they are. */
const REACH = 16;
const PLACE = ['e.place', 'e.number'] as const;
/** Sorts behind a fragment after every gram that begins with it. */
const LAST = '\u{10ffff}'.repeat(GRAM);

type Places = AliasedExpression<{ place: string; number: number }, 'g'>;
type Page = Values & { fragment: string; after: string; limit: number };
type Reaching = Values & { grams: string; after: string };
type Beyond = Values & { after: string; places: number };
type Beginning = Values & { first: string; last: string };

/** What is asked of an index of fragments, prepared. */
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

/** The grams that begin with a fragment, as the first and the last that there could be. */
export function beginningOf(fragment: string) {
  return { first: fragment, last: fragment + LAST };
}

/** What is at the next places that have a gram, whether it matches or not. */
function alongQuery(tx: ReadTransaction, index: GramIndex, p: Page & { gram: string }) {
  // SQLite plans a statement anew for each value that is its bare limit.
  const places = withGram(tx, index, p).limit(sql<number>`0 + ${p.limit}`);
  if (tx.engine === 'postgres') return looked(tx, index, p, places.select(PLACE).as('g')).orderBy('g.place');
  // Told to look in this order, SQLite needs a third less for it than where it looks up each value by itself.
  return places
    .crossJoin(items(index, 'k'))
    .where('k.workspace_id', '=', p.workspace_id as string)
    .whereRef('k.number', '=', 'e.number')
    .select('e.place')
    .select(recordOf(tx, index, p, 'k', p.fragment).as('record'));
}

/** What matches at all the places that have a rare gram. */
function rareGramQuery(tx: ReadTransaction, index: GramIndex, p: Page & { gram: string }) {
  return matching(tx, index, p, withGram(tx, index, p).select(PLACE).limit(sql.lit(RARE)).as('g'));
}

function withGram(tx: ReadTransaction, index: GramIndex, p: Page & { gram: string }) {
  return tx
    .selectFrom(entries(index, 'e'))
    .where(isInPartition(index, 'e', p))
    .where('e.gram', '=', p.gram)
    .where('e.place', '>', p.after)
    .orderBy('e.place');
}

function looked(tx: ReadTransaction, index: GramIndex, p: Page, places: Places) {
  return tx
    .selectFrom(places)
    .select('g.place')
    .select(recordWith(tx, index, p, 'g.number', p.fragment).as('record'));
}

/** In SQL, for most of what is rare does not match: each row that leaves the database costs more than looking at it. */
function matching(tx: ReadTransaction, index: GramIndex, p: Page, places: Places) {
  return tx
    .selectFrom(looked(tx, index, p, places).as('m'))
    .select(['m.place', 'm.record'])
    .where('m.record', 'is not', null)
    .$narrowType<{ record: string }>()
    .orderBy('m.place')
    .limit(sql<number>`0 + ${p.limit}`);
}

/**
 * The grams with the places of their next sixteenth entries; first those that have fewer, then those that reach
 * farthest.
 */
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

/** The item that comes after so many others behind a place. */
function beyondQuery(tx: ReadTransaction, index: GramIndex, p: Beyond) {
  return tx
    .selectFrom(items(index, 'k'))
    .select('k.place')
    .where(isOrdered(tx, index, 'k', p))
    .where('k.place', '>', p.after)
    .orderBy('k.place')
    .offset(sql<number>`0 + ${p.places}`)
    .limit(sql.lit(1));
}

/** The entries of grams that begin with a fragment, in no order that matters. */
function beginningWith(tx: ReadTransaction, index: GramIndex, p: Beginning) {
  return tx
    .selectFrom(entries(index, 'e'))
    .select(PLACE)
    .where(isInPartition(index, 'e', p))
    .where('e.gram', '>=', p.first)
    .where('e.gram', '<=', p.last)
    .orderBy('e.gram')
    .orderBy('e.place')
    .limit(sql.lit(RARE));
}

/** What matches of all that has grams which begin with a fragment, where these are rare. */
function rareBeginningQuery(tx: ReadTransaction, index: GramIndex, p: Page & Beginning) {
  const places = tx
    .selectFrom(beginningWith(tx, index, p).as('b'))
    .select(['b.place', 'b.number'])
    .distinct()
    .where('b.place', '>', p.after)
    .orderBy('b.place');
  return matching(tx, index, p, places.as('g'));
}
