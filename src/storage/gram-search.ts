import { type AliasedExpression, sql } from 'kysely';
import { GRAM, wholeGrams } from '../text/grams.ts';
import type { ReadTransaction } from './database.ts';
import { entries, type GramIndex, items, onShelf, recordAt, recordOf, type Values } from './gram-index.ts';
import { gramWalk, next, type Seen } from './gram-walk.ts';
import { jsonRows, textMember } from './json-rows.ts';
import { statement } from './statement.ts';

/** What was found, and its place in the order of its listing. */
export interface Found {
  place: string;
  record: string;
}

/** The part of a listing after a place ("" for its beginning). */
export interface Portion {
  after: string;
  limit: number;
}

/** Looks for the fragment in the texts themselves, in the order of the listing. */
export interface Looking {
  /** Among the next few hundred. */
  next: (portion: Portion) => Promise<Found[]>;
  /** Until the portion is full, or to the end. */
  all: (portion: Portion) => Promise<Found[]>;
}

/** Grams that are looked for together; more would find hardly less. */
const MOST_GRAMS = 6;
/** What is this rare is found by reading all its entries. */
const RARE = 1_000;
/** Entries by whose last place grams are compared: the farther it is, the rarer they are. */
const REACH = 50;
/** One of so many entries of a gram has to match for the texts that come next to be looked at. */
const OFTEN = 8;
/** Places that a walk finds, after which it has to be worth it. */
const MANY = 200;
/** Sorts behind a fragment after every gram that begins with it. */
const LAST = '\u{10ffff}'.repeat(GRAM);

type Places = AliasedExpression<{ place: string }, 'g'>;
type Page = Values & { fragment: string } & Portion;
type Reaching = Values & { grams: string; after: string };
type Beginning = Values & { first: string; last: string };

/**
 * Finds what holds a fragment, in the order of its listing, after a place. The index holds for each gram what has it in
 * that order, so a page of many matches ends early, and few matches are met without reading what lies between.
 */
export function gramSearch(index: GramIndex) {
  const along = statement((tx, p: Page & { gram: string }) => alongQuery(tx, index, p));
  const rareGram = statement((tx, p: Page & { gram: string }) => rareGramQuery(tx, index, p));
  const count = statement((tx, p: Beginning) =>
    tx.selectFrom(beginningWith(tx, index, p).as('g')).select(({ fn }) => fn.countAll<number>().as('count')),
  );
  const rareBeginning = statement((tx, p: Page & Beginning) => rareBeginningQuery(tx, index, p));
  const reaches = statement((tx, p: Reaching) => reachQuery(tx, index, p));
  const walk = gramWalk(index);

  /**
   * Where a page of one gram is a page of matches, that is all. Else what was found tells where to look for the rest.
   */
  async function long(
    tx: ReadTransaction,
    shelf: Values,
    fragment: string,
    { after, limit }: Portion,
    looking: Looking,
  ) {
    const grams = wholeGrams(fragment);
    const [first = ''] = grams;
    const seen = await along(tx, { ...shelf, gram: first, fragment, after, limit });
    const found = matches(seen);
    const last = seen.at(-1)?.place;
    if (last === undefined || seen.length < limit || found.length === limit) return found;
    const rest = { after: last, limit: limit - found.length };
    const isOften = found.length * OFTEN >= seen.length;
    return [...found, ...(await (isOften ? near : among)(tx, shelf, grams, fragment, rest, looking))];
  }

  /** What many of those that have the gram hold is soon met in the order of the listing. */
  async function near(
    tx: ReadTransaction,
    shelf: Values,
    grams: readonly string[],
    fragment: string,
    { after, limit }: Portion,
    looking: Looking,
  ): Promise<Found[]> {
    const found = await looking.next({ after, limit });
    if (found.length === limit) return found;
    const rest = { after: found.at(-1)?.place ?? after, limit: limit - found.length };
    return [...found, ...(await among(tx, shelf, grams, fragment, rest, looking))];
  }

  /** Reads the rarest gram if it is rare; grams that are all common are looked for together. */
  async function among(
    tx: ReadTransaction,
    shelf: Values,
    grams: readonly string[],
    fragment: string,
    rest: Portion,
    looking: Looking,
  ): Promise<Found[]> {
    const named = JSON.stringify(grams.map((gram) => [gram]));
    const byReach = (await reaches(tx, { ...shelf, grams: named, after: rest.after })).map(
      ({ gram }) => gram,
    );
    const [gram = ''] = byReach;
    return (await isRare(tx, shelf, gram))
      ? rareGram(tx, { ...shelf, gram, fragment, ...rest })
      : walked(tx, shelf, byReach.slice(0, MOST_GRAMS), fragment, rest, looking);
  }

  /** Where many have all the grams and few of them the fragment, looking at each title is quicker than leaping. */
  async function walked(
    tx: ReadTransaction,
    shelf: Values,
    grams: readonly string[],
    fragment: string,
    { after, limit }: Portion,
    looking: Looking,
  ) {
    const found: Found[] = [];
    let start: string | undefined = next(after);
    let seen = 0;
    while (found.length < limit && start !== undefined) {
      const on = await walk(tx, shelf, { grams, fragment, start, hits: seen === 0 ? limit : MANY });
      found.push(...matches(on.seen));
      start = on.next;
      seen += on.seen.length;
      const last = on.seen.at(-1)?.place;
      if (seen >= MANY && found.length < limit && start !== undefined && last !== undefined) {
        return [...found, ...(await looking.all({ after: last, limit: limit - found.length }))];
      }
    }
    return found.slice(0, limit);
  }

  async function isRare(tx: ReadTransaction, shelf: Values, fragment: string): Promise<boolean> {
    const [row] = await count(tx, { ...shelf, ...ofFragment(fragment) });
    return Number(row?.count) < RARE;
  }

  /** What many have is soon met in the order of the listing, what few have is read whole. */
  async function short(
    tx: ReadTransaction,
    shelf: Values,
    fragment: string,
    { after, limit }: Portion,
    looking: Looking,
  ) {
    const found = await looking.next({ after, limit });
    if (found.length === limit) return found;
    if (await isRare(tx, shelf, fragment))
      return rareBeginning(tx, { ...shelf, ...ofFragment(fragment), fragment, after, limit });
    const rest = { after: found.at(-1)?.place ?? after, limit: limit - found.length };
    return [...found, ...(await looking.all(rest))];
  }

  /** `fragment` is folded and not empty. */
  return (
    tx: ReadTransaction,
    shelf: Values,
    fragment: string,
    portion: Portion,
    looking: Looking,
  ): Promise<Found[]> => {
    const search = [...fragment].length < GRAM ? short : long;
    return search(tx, shelf, fragment, portion, looking);
  };
}

function ofFragment(fragment: string) {
  return { first: fragment, last: fragment + LAST };
}

function matches(seen: readonly Seen[]): Found[] {
  return seen.flatMap(({ place, record }) => (record === null ? [] : [{ place, record }]));
}

/** What is at the next places that have a gram, whether it matches or not. */
function alongQuery(tx: ReadTransaction, index: GramIndex, p: Page & { gram: string }) {
  // SQLite plans a statement anew for each value that is its bare limit.
  const places = withGram(tx, index, p).limit(sql<number>`0 + ${p.limit}`);
  if (tx.engine === 'postgres') return looked(tx, index, p, places.as('g')).orderBy('g.place');
  // Told to look in this order, SQLite needs a third less for it than where it looks up each value by itself.
  return places
    .crossJoin(items(index, 'k'))
    .where('k.workspace_id', '=', p.workspace_id as string)
    .whereRef('k.place', '=', 'e.place')
    .select(recordOf(tx, index, p, 'k', p.fragment).as('record'));
}

/** What matches at all the places that have a rare gram. */
function rareGramQuery(tx: ReadTransaction, index: GramIndex, p: Page & { gram: string }) {
  return matching(tx, index, p, withGram(tx, index, p).limit(sql.lit(RARE)).as('g'));
}

function withGram(tx: ReadTransaction, index: GramIndex, p: Page & { gram: string }) {
  return tx
    .selectFrom(entries(index, 'e'))
    .select('e.place')
    .where(onShelf(index, 'e', p))
    .where('e.gram', '=', p.gram)
    .where('e.place', '>', p.after)
    .orderBy('e.place');
}

function looked(tx: ReadTransaction, index: GramIndex, p: Page, places: Places) {
  return tx
    .selectFrom(places)
    .select('g.place')
    .select(recordAt(tx, index, p, 'g.place', p.fragment).as('record'));
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

/** The grams with the places of their next fiftieth entries; first those that have fewer, then those that reach farthest. */
function reachQuery(tx: ReadTransaction, index: GramIndex, p: Reaching) {
  const fiftieth = tx
    .selectFrom(entries(index, 'n'))
    .select('n.place')
    .where(onShelf(index, 'n', p))
    .where('n.gram', '=', textMember(0))
    .where('n.place', '>', p.after)
    .orderBy('n.place')
    .offset(sql.lit(REACH - 1))
    .limit(sql.lit(1));
  return tx
    .selectFrom(jsonRows(tx, p.grams))
    .select([textMember(0).as('gram'), sql<string | null>`${fiftieth}`.as('reach')])
    .orderBy(sql`2 desc nulls first`);
}

/** The entries of grams that begin with a fragment, in no order that matters. */
function beginningWith(tx: ReadTransaction, index: GramIndex, p: Beginning) {
  return tx
    .selectFrom(entries(index, 'e'))
    .select('e.place')
    .where(onShelf(index, 'e', p))
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
    .select('b.place')
    .distinct()
    .where('b.place', '>', p.after)
    .orderBy('b.place');
  return matching(tx, index, p, places.as('g'));
}
