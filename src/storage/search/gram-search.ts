import { GRAM, wholeGrams } from '../../text/grams.ts';
import type { ReadTransaction } from '../database.ts';
import type { GramIndex, Values } from './gram-index.ts';
import { beginningOf, type GramQueries, gramQueries, RARE } from './gram-queries.ts';
import { gramSkipScan, next, type Seen, type SkipScanResult } from './gram-skip-scan.ts';

/** A found item. */
export interface Found {
  /** The sort key. */
  place: string;
  record: string;
}

/** The range of a listing after a sort key ("" for its beginning). */
export interface Portion {
  after: string;
  limit: number;
}

/** A search for the fragment in the texts themselves, in the order of the listing, without the index. */
export interface TextScan {
  /** Searches the next few hundred items. */
  next: (portion: Portion) => Promise<Found[]>;
  /** Searches until the portion is full or the listing ends. */
  all: (portion: Portion) => Promise<Found[]>;
}

/** Grams of one skip scan; more would hardly exclude more items. */
const MOST_GRAMS = 4;
/** Entries of the rarest gram that decide whether the search reads this gram alone. */
const FIRST_BATCH = 5;
/** The search reads one gram alone while one of so many entries matches: one seek costs as much as reading so many. */
const OFTEN = 8;
/** Hits (items that contain all grams) after which the skip scan is compared with a text scan. */
const MANY = 200;
/** Limits of the first skip scan: a search with few results mostly ends within them. */
const FEW = { seeks: 200, hits: MANY };

/** Matches of a portion; `last`: the last sort key examined, undefined at the end of the listing. */
interface Progress {
  found: Found[];
  last: string | undefined;
}

/** A search for a fragment in a partition. */
interface Search {
  tx: ReadTransaction;
  partition: Values;
  /** Folded and not empty. */
  fragment: string;
  scan: TextScan;
  queries: GramQueries;
  skipScan: ReturnType<typeof gramSkipScan>;
}

/**
 * Returns a function that finds the items whose text contains a fragment, in the order of the listing, after a sort
 * key. The index has the items of each gram in that order, so the search ends when a page is full, and skips the items
 * between rare matches.
 */
export function gramSearch(index: GramIndex) {
  const prepared = { queries: gramQueries(index), skipScan: gramSkipScan(index) };
  /** `fragment` is folded and not empty. */
  return (
    tx: ReadTransaction,
    partition: Values,
    fragment: string,
    portion: Portion,
    scan: TextScan,
  ): Promise<Found[]> => {
    const find = [...fragment].length < GRAM ? findShort : findLong;
    return find({ tx, partition, fragment, scan, ...prepared }, portion);
  };
}

/**
 * For fragments shorter than a gram: frequent ones are soon found by a text scan; all entries of rare ones are read.
 */
async function findShort(query: Search, portion: Portion): Promise<Found[]> {
  const { tx, partition, fragment, scan, queries } = query;
  const found = await scan.next(portion);
  if (found.length === portion.limit) return found;
  if (await isRare(query, fragment))
    return queries.rareBeginning(tx, { ...partition, ...beginningOf(fragment), fragment, ...portion });
  return [...found, ...(await scan.all(restAfter(found, portion)))];
}

/** Reads the entries of the rarest gram as long as matches are frequent, then intersects all grams. */
async function findLong(query: Search, portion: Portion): Promise<Found[]> {
  const grams = await rarestFirst(query, portion.after);
  // A fragment of one gram: every entry matches.
  const firstBatch = grams.length === 1 ? portion.limit : FIRST_BATCH;
  const { found, last } = await findAlong(query, grams[0] ?? '', portion, firstBatch);
  if (last === undefined || found.length === portion.limit) return found;
  const rest = { after: last, limit: portion.limit - found.length };
  return [...found, ...(await findAmong(query, grams, rest))];
}

/** The grams of the fragment, the rarest first: its next sixteen entries reach farthest. */
async function rarestFirst({ tx, partition, fragment, queries }: Search, after: string): Promise<string[]> {
  const grams = wholeGrams(fragment);
  if (grams.length === 1) return grams;
  const named = JSON.stringify(grams.map((gram) => [gram]));
  const reaches = await queries.reaches(tx, { ...partition, grams: named, after });
  return reaches.map(({ gram }) => gram);
}

/** Reads the items of a gram as long as at least one in OFTEN matches. */
async function findAlong(
  { tx, partition, fragment, queries }: Search,
  gram: string,
  { after, limit }: Portion,
  firstBatch: number,
): Promise<Progress> {
  const found: Found[] = [];
  let examined = 0;
  let last: string | undefined = after;
  while (last !== undefined && found.length < limit && found.length * OFTEN >= examined) {
    // As many as fill the portion at the present rate of matches.
    const entries =
      examined === 0
        ? Math.min(limit, firstBatch)
        : Math.ceil(((limit - found.length) * examined) / found.length);
    const seen: Seen[] = await queries.along(tx, {
      ...partition,
      gram,
      fragment,
      after: last,
      limit: entries,
    });
    found.push(...matches(seen));
    examined += seen.length;
    last = seen.length < entries ? undefined : seen.at(-1)?.place;
  }
  return { found: found.slice(0, limit), last };
}

/** A skip scan mostly ends soon. If not, all entries of a rare gram are read instead. */
async function findAmong(query: Search, grams: readonly string[], portion: Portion): Promise<Found[]> {
  const { tx, partition, fragment, queries } = query;
  const { found, last } = await findBySkipScan(query, grams, portion, FEW);
  if (last === undefined || found.length === portion.limit) return found;
  const rest = { after: last, limit: portion.limit - found.length };
  const [gram = ''] = grams;
  const others = (await isRare(query, gram))
    ? queries.rareGram(tx, { ...partition, gram, fragment, ...rest })
    : findBySkipOrTextScan(query, grams, rest);
  return [...found, ...(await others)];
}

/**
 * If many items contain all grams and few the fragment, a text scan may be faster than a skip scan. Switches to it once
 * the skip scan has cost as much as a text scan of the rest.
 */
async function findBySkipOrTextScan(
  query: Search,
  grams: readonly string[],
  portion: Portion,
): Promise<Found[]> {
  const found: Found[] = [];
  let { after } = portion;
  for (let hits = MANY; ; hits *= 2) {
    const most = { seeks: Number.POSITIVE_INFINITY, hits };
    const rest = { after, limit: portion.limit - found.length };
    const progress = await findBySkipScan(query, grams, rest, most);
    found.push(...progress.found);
    if (progress.last === undefined || found.length === portion.limit) return found;
    after = progress.last;
    if (!(await areMoreLeft(query, after, hits * OFTEN))) break;
  }
  const rest = { after, limit: portion.limit - found.length };
  return [...found, ...(await query.scan.all(rest))];
}

/** Whether more than so many items follow a sort key. */
async function areMoreLeft(
  { tx, partition, queries }: Search,
  after: string,
  items: number,
): Promise<boolean> {
  return (await queries.beyond(tx, { ...partition, after, items })).length > 0;
}

/** Examines the items that contain all of the rarest grams, until the portion is full or a limit is reached. */
async function findBySkipScan(
  { tx, partition, fragment, skipScan }: Search,
  grams: readonly string[],
  { after, limit }: Portion,
  most: { seeks: number; hits: number },
): Promise<Progress> {
  const found: Found[] = [];
  let [hits, seeks, last] = [0, 0, after];
  let start: string | undefined = next(after);
  while (start !== undefined && found.length < limit && seeks < most.seeks && hits < most.hits) {
    const scan: SkipScanResult = await skipScan(tx, partition, {
      grams: grams.slice(0, MOST_GRAMS),
      fragment,
      start,
      most: { hits: Math.max(limit, hits), seeks: most.seeks - seeks },
    });
    found.push(...matches(scan.seen));
    hits += scan.seen.length;
    seeks += scan.seeks;
    last = scan.seen.at(-1)?.place ?? last;
    start = scan.next;
  }
  return { found: found.slice(0, limit), last: start === undefined ? undefined : last };
}

async function isRare({ tx, partition, queries }: Search, fragment: string): Promise<boolean> {
  const [row] = await queries.countBeginning(tx, { ...partition, ...beginningOf(fragment) });
  return Number(row?.count) < RARE;
}

/** The rest of a portion after the items found so far. */
function restAfter(found: readonly Found[], { after, limit }: Portion): Portion {
  return { after: found.at(-1)?.place ?? after, limit: limit - found.length };
}

function matches(seen: readonly Seen[]): Found[] {
  return seen.flatMap(({ place, record }) => (record === null ? [] : [{ place, record }]));
}
