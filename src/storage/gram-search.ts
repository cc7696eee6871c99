import { sql } from 'kysely';
import { GRAM, wholeGrams } from '../text/grams.ts';
import type { ReadTransaction } from './database.ts';
import { entries, type GramIndex, onShelf, recordAt, type Values } from './gram-index.ts';
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
/** Each time that entries are read on, so many times as many are. */
const GROWTH = 4;
/** Places that a walk finds, after which it has to be worth it. */
const MANY = 200;
/** Sorts behind a fragment after every gram that begins with it. */
const LAST = '\u{10ffff}'.repeat(GRAM);

type Along = Values & { gram: string; fragment: string } & Portion;
type Reaching = Values & { grams: string; after: string };
type Beginning = Values & { first: string; last: string; most: number };

/**
 * Finds what holds a fragment, in the order of its listing, after a place. The index holds for each gram what has it in
 * that order, so a page of many matches ends early, and few matches are met without reading what lies between.
 */
export function gramSearch(index: GramIndex) {
  const along = statement((tx, p: Along) => alongGram(tx, index, p));
  const count = statement((tx, p: Beginning) =>
    tx.selectFrom(beginningWith(tx, index, p).as('g')).select(({ fn }) => fn.countAll<number>().as('count')),
  );
  const rare = statement((tx, p: Beginning & { fragment: string } & Portion) => rareQuery(tx, index, p));
  const reaches = statement((tx, p: Reaching) => reachQuery(tx, index, p));
  const walk = gramWalk(index);

  function throughGram(
    tx: ReadTransaction,
    shelf: Values,
    { gram, fragment, most }: { gram: string; fragment: string; most: number },
    portion: Portion,
  ) {
    const look = (on: Portion) => along(tx, { ...shelf, gram, fragment, ...on });
    return collect({ ...portion, most }, look);
  }

  /**
   * Where a page of one gram is a page of matches, that is all. Else the rarest gram is read if it is rare, and grams
   * that are all common are looked for together.
   */
  async function long(
    tx: ReadTransaction,
    shelf: Values,
    fragment: string,
    { after, limit }: Portion,
    looking: Looking,
  ) {
    const [first = '', ...others] = wholeGrams(fragment);
    const page = await throughGram(tx, shelf, { gram: first, fragment, most: limit }, { after, limit });
    if (page.next === undefined || page.found.length >= limit) return page.found;
    const rest = { after: page.next, limit: limit - page.found.length };
    const grams = JSON.stringify([first, ...others].map((gram) => [gram]));
    const byReach = (await reaches(tx, { ...shelf, grams, after: page.next })).map(({ gram }) => gram);
    const [gram = first] = byReach;
    const found = (await isRare(tx, shelf, gram))
      ? (await throughGram(tx, shelf, { gram, fragment, most: RARE }, rest)).found
      : await walked(tx, shelf, byReach.slice(0, MOST_GRAMS), fragment, rest, looking);
    return [...page.found, ...found];
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
    return found;
  }

  async function isRare(tx: ReadTransaction, shelf: Values, fragment: string): Promise<boolean> {
    const [row] = await count(tx, { ...shelf, ...ofFragment(fragment) });
    return Number(row?.count) < RARE;
  }

  async function few(tx: ReadTransaction, shelf: Values, fragment: string, portion: Portion) {
    const sought = { ...shelf, ...ofFragment(fragment), fragment };
    const { found } = await collect({ ...portion, most: RARE }, (on) => rare(tx, { ...sought, ...on }));
    return found;
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
    if (await isRare(tx, shelf, fragment)) return few(tx, shelf, fragment, { after, limit });
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
  return { first: fragment, last: fragment + LAST, most: RARE };
}

/**
 * Looks at `most` places, in portions that grow: first as many as are wanted, which is enough where most of them match.
 * Answers where it stopped; undefined at the end.
 */
async function collect(
  { after, limit, most }: Portion & { most: number },
  look: (on: Portion) => Promise<Seen[]>,
): Promise<{ found: Found[]; next: string | undefined }> {
  const found: Found[] = [];
  let next: string | undefined = after;
  for (let looked = 0, count = limit; looked < most && found.length < limit && next !== undefined; ) {
    const seen: Seen[] = await look({ after: next, limit: count });
    found.push(...matches(seen));
    next = seen.length === count ? seen.at(-1)?.place : undefined;
    looked += count;
    count = Math.min(count * GROWTH, most - looked);
  }
  return { found: found.slice(0, limit), next };
}

function matches(seen: readonly Seen[]): Found[] {
  return seen.flatMap(({ place, record }) => (record === null ? [] : [{ place, record }]));
}

/** What is at the next places that have a gram. */
function alongGram(tx: ReadTransaction, index: GramIndex, p: Along) {
  const places = tx
    .selectFrom(entries(index, 'e'))
    .select('e.place')
    .where(onShelf(index, 'e', p))
    .where('e.gram', '=', p.gram)
    .where('e.place', '>', p.after)
    .orderBy('e.place')
    // SQLite plans a statement anew for each value that is its bare limit.
    .limit(sql<number>`0 + ${p.limit}`);
  return tx
    .selectFrom(places.as('g'))
    .select('g.place')
    .select(recordAt(tx, index, p, 'g.place', p.fragment).as('record'))
    .orderBy('g.place');
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
    .limit(sql<number>`0 + ${p.most}`);
}

function rareQuery(tx: ReadTransaction, index: GramIndex, p: Beginning & { fragment: string } & Portion) {
  const places = tx
    .selectFrom(beginningWith(tx, index, p).as('b'))
    .select('b.place')
    .distinct()
    .where('b.place', '>', p.after)
    .orderBy('b.place')
    .limit(sql<number>`0 + ${p.limit}`);
  return tx
    .selectFrom(places.as('g'))
    .select('g.place')
    .select(recordAt(tx, index, p, 'g.place', p.fragment).as('record'))
    .orderBy('g.place');
}
