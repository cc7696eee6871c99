import { sql } from 'kysely';
import { GRAM, someGrams } from '../text/grams.ts';
import type { ReadTransaction } from './database.ts';
import { entries, type GramIndex, onShelf, recordAt, type Values } from './gram-index.ts';
import { gramWalk, next, type Seen } from './gram-walk.ts';
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

/** Grams that are looked for together; more would find hardly less. */
const MOST_GRAMS = 6;
/** As many pages of one gram are looked through, before the grams are looked for together. */
const LOOKED_THROUGH = 4;
/** A fragment this rare is found by reading all its entries. */
const RARE = 1_000;
/** Places of one statement, once a page of them did not make a page. */
const MANY = 1_000;
/** Sorts behind a fragment after every gram that begins with it. */
const LAST = '\u{10ffff}'.repeat(GRAM);

type Along = Values & { gram: string; fragment: string } & Portion;
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
  const walk = gramWalk(index);

  /** Mostly a gram is about as rare as the fragment around it, and reading along one is cheapest. */
  async function long(tx: ReadTransaction, shelf: Values, fragment: string, { after, limit }: Portion) {
    const grams = someGrams(fragment, MOST_GRAMS);
    const page = { ...shelf, gram: grams[0] ?? '', fragment, limit };
    const begun = await collect({ after, limit, most: LOOKED_THROUGH }, (start) =>
      along(tx, { ...page, after: start }),
    );
    const { found } = begun;
    let start = begun.next === undefined ? undefined : next(begun.next);
    for (let hits = limit; found.length < limit && start !== undefined; hits = MANY) {
      const walked = await walk(tx, shelf, { grams, fragment, start, hits });
      found.push(...matches(walked.seen));
      start = walked.next;
    }
    return found;
  }

  async function isRare(tx: ReadTransaction, shelf: Values, fragment: string): Promise<boolean> {
    const [row] = await count(tx, { ...shelf, ...ofFragment(fragment) });
    return Number(row?.count) < RARE;
  }

  async function few(tx: ReadTransaction, shelf: Values, fragment: string, { after, limit }: Portion) {
    const page = { ...shelf, ...ofFragment(fragment), fragment, limit };
    const { found } = await collect({ after, limit, most: RARE }, (start) =>
      rare(tx, { ...page, after: start }),
    );
    return found;
  }

  /**
   * `fragment` is folded and not empty. One or two characters that many have are soon met in the order of the listing:
   * that is for `lookThrough`, which answers the same by looking at the items themselves.
   */
  return async (
    tx: ReadTransaction,
    shelf: Values,
    fragment: string,
    portion: Portion,
    lookThrough: () => Promise<Found[]>,
  ): Promise<Found[]> => {
    if ([...fragment].length >= GRAM)
      return (await long(tx, shelf, fragment, portion)).slice(0, portion.limit);
    return (await isRare(tx, shelf, fragment)) ? few(tx, shelf, fragment, portion) : lookThrough();
  };
}

function ofFragment(fragment: string) {
  return { first: fragment, last: fragment + LAST, most: RARE };
}

/** Looks at `most` pages of places at most. Answers where it stopped; undefined at the end. */
async function collect(
  { after, limit, most }: Portion & { most: number },
  look: (after: string) => Promise<Seen[]>,
): Promise<{ found: Found[]; next: string | undefined }> {
  const found: Found[] = [];
  let last: string | undefined = after;
  for (let pages = 0; pages < most && found.length < limit && last !== undefined; pages++) {
    const seen: Seen[] = await look(last);
    found.push(...matches(seen));
    last = seen.length === limit ? seen.at(-1)?.place : undefined;
  }
  return { found: found.slice(0, limit), next: last };
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
