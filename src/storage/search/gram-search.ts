import { GRAM, wholeGrams } from '../../text/grams.ts';
import type { ReadTransaction } from '../database.ts';
import type { GramIndex, Values } from './gram-index.ts';
import { beginningOf, type GramQueries, gramQueries, RARE } from './gram-queries.ts';
import { gramWalk, next, type Seen, type Walked } from './gram-walk.ts';

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
export interface TextScan {
  /** Among the next few hundred. */
  next: (portion: Portion) => Promise<Found[]>;
  /** Until the portion is full, or to the end. */
  all: (portion: Portion) => Promise<Found[]>;
}

/** Grams that are looked for together; more would find hardly less. */
const MOST_GRAMS = 4;
/** Entries of the rarest gram that tell whether it is followed alone. */
const FIRST_LOOK = 5;
/**
 * One of so many entries of a gram has to match for it to be followed alone: leaping to one costs as much as looking at
 * these.
 */
const OFTEN = 8;
/** Places that have the grams, after which leaping has to have been worth it. */
const MANY = 200;
/** A search for few mostly ends within so many leaps. */
const FEW = { leaps: 200, hits: MANY };

/** What was found of a portion, and how far that came; undefined at the end of the listing. */
interface Part {
  found: Found[];
  last: string | undefined;
}

/** A fragment and where it is looked for. */
interface Question {
  tx: ReadTransaction;
  partition: Values;
  /** Folded and not empty. */
  fragment: string;
  looking: TextScan;
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
    partition: Values,
    fragment: string,
    portion: Portion,
    looking: TextScan,
  ): Promise<Found[]> => {
    const find = [...fragment].length < GRAM ? findShort : findLong;
    return find({ tx, partition, fragment, looking, ...prepared }, portion);
  };
}

/** What many have is soon met in the order of the listing, what few have is read whole. */
async function findShort(question: Question, portion: Portion): Promise<Found[]> {
  const { tx, partition, fragment, looking, queries } = question;
  const found = await looking.next(portion);
  if (found.length === portion.limit) return found;
  if (await isRare(question, fragment))
    return queries.rareBeginning(tx, { ...partition, ...beginningOf(fragment), fragment, ...portion });
  return [...found, ...(await looking.all(behind(found, portion)))];
}

/** A page along the rarest gram is mostly a page of matches. Else all grams are looked for together. */
async function findLong(question: Question, portion: Portion): Promise<Found[]> {
  const grams = await rarestFirst(question, portion.after);
  // All that has the gram has a fragment that is no longer.
  const firstLook = grams.length === 1 ? portion.limit : FIRST_LOOK;
  const { found, last } = await findAlong(question, grams[0] ?? '', portion, firstLook);
  if (last === undefined || found.length === portion.limit) return found;
  const rest = { after: last, limit: portion.limit - found.length };
  return [...found, ...(await findAmong(question, grams, rest))];
}

/** The grams of the fragment. One that reaches farther with its next entries has fewer of them there. */
async function rarestFirst({ tx, partition, fragment, queries }: Question, after: string): Promise<string[]> {
  const grams = wholeGrams(fragment);
  if (grams.length === 1) return grams;
  const named = JSON.stringify(grams.map((gram) => [gram]));
  const reaches = await queries.reaches(tx, { ...partition, grams: named, after });
  return reaches.map(({ gram }) => gram);
}

/** Looks at what has a gram, for as long as that is often a match. Answers how far it came; undefined at the end. */
async function findAlong(
  { tx, partition, fragment, queries }: Question,
  gram: string,
  { after, limit }: Portion,
  firstLook: number,
): Promise<Part> {
  const found: Found[] = [];
  let looked = 0;
  let last: string | undefined = after;
  while (last !== undefined && found.length < limit && found.length * OFTEN >= looked) {
    // As many as it takes to fill the portion, where it goes on as it did.
    const places =
      looked === 0 ? Math.min(limit, firstLook) : Math.ceil(((limit - found.length) * looked) / found.length);
    const seen: Seen[] = await queries.along(tx, {
      ...partition,
      gram,
      fragment,
      after: last,
      limit: places,
    });
    found.push(...matches(seen));
    looked += seen.length;
    last = seen.length < places ? undefined : seen.at(-1)?.place;
  }
  return { found: found.slice(0, limit), last };
}

/** Leaps mostly end soon. Where they do not, a rare gram is read whole instead. */
async function findAmong(question: Question, grams: readonly string[], portion: Portion): Promise<Found[]> {
  const { tx, partition, fragment, queries } = question;
  const { found, last } = await findLeaping(question, grams, portion, FEW);
  if (last === undefined || found.length === portion.limit) return found;
  const rest = { after: last, limit: portion.limit - found.length };
  const [gram = ''] = grams;
  const others = (await isRare(question, gram))
    ? queries.rareGram(tx, { ...partition, gram, fragment, ...rest })
    : findUntilItPays(question, grams, rest);
  return [...found, ...(await others)];
}

/**
 * Where many have all the grams and few of them the fragment, looking at each text may be quicker than leaping: once
 * that has cost as much as looking at all that is left.
 */
async function findUntilItPays(
  question: Question,
  grams: readonly string[],
  portion: Portion,
): Promise<Found[]> {
  const found: Found[] = [];
  let { after } = portion;
  for (let hits = MANY; ; hits *= 2) {
    const most = { leaps: Number.POSITIVE_INFINITY, hits };
    const rest = { after, limit: portion.limit - found.length };
    const part = await findLeaping(question, grams, rest, most);
    found.push(...part.found);
    if (part.last === undefined || found.length === portion.limit) return found;
    after = part.last;
    if (!(await areLeft(question, after, hits * OFTEN))) break;
  }
  const rest = { after, limit: portion.limit - found.length };
  return [...found, ...(await question.looking.all(rest))];
}

/** Whether there are more than so many behind a place. */
async function areLeft(
  { tx, partition, queries }: Question,
  after: string,
  places: number,
): Promise<boolean> {
  return (await queries.beyond(tx, { ...partition, after, places })).length > 0;
}

/** Looks at what has all the rarest grams, until the portion is full or so many leaps or hits have not filled it. */
async function findLeaping(
  { tx, partition, fragment, walk }: Question,
  grams: readonly string[],
  { after, limit }: Portion,
  most: { leaps: number; hits: number },
): Promise<Part> {
  const found: Found[] = [];
  let [hits, leaps, last] = [0, 0, after];
  let start: string | undefined = next(after);
  while (start !== undefined && found.length < limit && leaps < most.leaps && hits < most.hits) {
    const on: Walked = await walk(tx, partition, {
      grams: grams.slice(0, MOST_GRAMS),
      fragment,
      start,
      most: { hits: Math.max(limit, hits), leaps: most.leaps - leaps },
    });
    found.push(...matches(on.seen));
    hits += on.seen.length;
    leaps += on.leaps;
    last = on.seen.at(-1)?.place ?? last;
    start = on.next;
  }
  return { found: found.slice(0, limit), last: start === undefined ? undefined : last };
}

async function isRare({ tx, partition, queries }: Question, fragment: string): Promise<boolean> {
  const [row] = await queries.countBeginning(tx, { ...partition, ...beginningOf(fragment) });
  return Number(row?.count) < RARE;
}

/** What is left of a portion behind the first that were found of it. */
function behind(found: readonly Found[], { after, limit }: Portion): Portion {
  return { after: found.at(-1)?.place ?? after, limit: limit - found.length };
}

function matches(seen: readonly Seen[]): Found[] {
  return seen.flatMap(({ place, record }) => (record === null ? [] : [{ place, record }]));
}
