import { GRAM, wholeGrams } from '../text/grams.ts';
import type { ReadTransaction } from './database.ts';
import type { GramIndex, Values } from './gram-index.ts';
import { beginningOf, type GramQueries, gramQueries, RARE } from './gram-queries.ts';
import { gramWalk, next, type Seen } from './gram-walk.ts';

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
/** One of so many entries of a gram has to match for the texts that come next to be looked at. */
const OFTEN = 8;
/** Places that a walk finds, after which it has to be worth it. */
const MANY = 200;

/** A fragment and where it is looked for. */
interface Question {
  tx: ReadTransaction;
  shelf: Values;
  /** Folded and not empty. */
  fragment: string;
  looking: Looking;
  queries: GramQueries;
  walk: ReturnType<typeof gramWalk>;
}

/**
 * Finds what holds a fragment, in the order of its listing, after a place. The index holds for each gram what has it in
 * that order, so a page of many matches ends early, and few matches are met without reading what lies between.
 */
export function gramSearch(index: GramIndex) {
  const prepared = { queries: gramQueries(index), walk: gramWalk(index) };
  /** `fragment` is folded and not empty. */
  return (
    tx: ReadTransaction,
    shelf: Values,
    fragment: string,
    portion: Portion,
    looking: Looking,
  ): Promise<Found[]> => {
    const find = [...fragment].length < GRAM ? findShort : findLong;
    return find({ tx, shelf, fragment, looking, ...prepared }, portion);
  };
}

/** What many have is soon met in the order of the listing, what few have is read whole. */
async function findShort(question: Question, portion: Portion): Promise<Found[]> {
  const { tx, shelf, fragment, looking, queries } = question;
  const found = await looking.next(portion);
  if (found.length === portion.limit) return found;
  if (await isRare(question, fragment))
    return queries.rareBeginning(tx, { ...shelf, ...beginningOf(fragment), fragment, ...portion });
  return [...found, ...(await looking.all(behind(found, portion)))];
}

/** Where a page of one gram is a page of matches, that is all. Else what was found tells where to look for the rest. */
async function findLong(question: Question, { after, limit }: Portion): Promise<Found[]> {
  const { tx, shelf, fragment, queries } = question;
  const grams = wholeGrams(fragment);
  const [gram = ''] = grams;
  const seen = await queries.along(tx, { ...shelf, gram, fragment, after, limit });
  const found = matches(seen);
  const last = seen.at(-1)?.place;
  if (last === undefined || seen.length < limit || found.length === limit) return found;
  const rest = { after: last, limit: limit - found.length };
  const isOften = found.length * OFTEN >= seen.length;
  return [...found, ...(await (isOften ? findNear : findAmong)(question, grams, rest))];
}

/** What many of those that have the gram hold is soon met in the order of the listing. */
async function findNear(question: Question, grams: readonly string[], portion: Portion): Promise<Found[]> {
  const found = await question.looking.next(portion);
  if (found.length === portion.limit) return found;
  return [...found, ...(await findAmong(question, grams, behind(found, portion)))];
}

/** Reads the rarest gram if it is rare; grams that are all common are looked for together. */
async function findAmong(question: Question, grams: readonly string[], portion: Portion): Promise<Found[]> {
  const { tx, shelf, fragment, queries } = question;
  const named = JSON.stringify(grams.map((gram) => [gram]));
  const reaches = await queries.reaches(tx, { ...shelf, grams: named, after: portion.after });
  const byReach = reaches.map(({ gram }) => gram);
  const [gram = '', other = gram] = byReach;
  return (await isRare(question, gram))
    ? queries.rareGrams(tx, { ...shelf, gram, other, fragment, ...portion })
    : findWalking(question, byReach.slice(0, MOST_GRAMS), portion);
}

/** Where many have all the grams and few of them the fragment, looking at each title is quicker than leaping. */
async function findWalking(
  { tx, shelf, fragment, looking, walk }: Question,
  grams: readonly string[],
  { after, limit }: Portion,
): Promise<Found[]> {
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

async function isRare({ tx, shelf, queries }: Question, fragment: string): Promise<boolean> {
  const [row] = await queries.countBeginning(tx, { ...shelf, ...beginningOf(fragment) });
  return Number(row?.count) < RARE;
}

/** What is left of a portion behind the first that were found of it. */
function behind(found: readonly Found[], { after, limit }: Portion): Portion {
  return { after: found.at(-1)?.place ?? after, limit: limit - found.length };
}

function matches(seen: readonly Seen[]): Found[] {
  return seen.flatMap(({ place, record }) => (record === null ? [] : [{ place, record }]));
}
