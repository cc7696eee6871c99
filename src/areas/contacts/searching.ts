import type { ReadTransaction } from '../../storage/database.ts';
import { listAlongGram, listWithGram } from './gram-search-store.ts';
import { next, walkGrams } from './gram-walk-store.ts';
import { GRAM, someGrams } from './grams.ts';
import type { ListedRow, Shelf } from './listing-store.ts';
import { endOfWindow, isRare, listRare, listWindow } from './short-search-store.ts';

interface Portion {
  after: string;
  limit: number;
}

/** Grams that are looked for together; more would find hardly less. */
const MOST_GRAMS = 6;
/** Entries of one gram that are looked through for each contact of a page, before the grams are looked for together. */
const LOOKED_THROUGH = 4;
/** A fragment this rare is found by reading all its entries. */
const RARE = 1_000;

/**
 * The contacts of a shelf whose searched text contains the fragment (folded, not empty), in order, after a place. The
 * index holds for each gram the contacts that have it in the order of the listing, so a page of many matches ends early
 * and few matches are met without reading what lies between.
 */
export function searchShelf(
  tx: ReadTransaction,
  shelf: Shelf,
  fragment: string,
  portion: Portion,
): Promise<ListedRow[]> {
  const length = [...fragment].length;
  if (length < GRAM) return searchShort(tx, shelf, fragment, portion);
  if (length === GRAM) return listWithGram(tx, { ...shelf, ...portion, gram: fragment });
  return searchLong(tx, shelf, fragment, portion);
}

/** Mostly a gram is about as rare as the fragment around it, and reading along one is cheapest. */
async function searchLong(
  tx: ReadTransaction,
  shelf: Shelf,
  fragment: string,
  { after, limit }: Portion,
): Promise<ListedRow[]> {
  const grams = someGrams(fragment, MOST_GRAMS);
  const most = LOOKED_THROUGH * limit;
  const found = await listAlongGram(tx, { ...shelf, gram: grams[0] ?? '', fragment, after, limit, most });
  let start: string | undefined = next(found.at(-1)?.place ?? after);
  while (found.length < limit && start !== undefined) {
    const walked = await walkGrams(tx, { ...shelf, grams, fragment, start, limit: limit - found.length });
    found.push(...walked.found);
    start = walked.next;
  }
  return found;
}

/** One or two characters: what many have is soon met in the order of the listing, what few contacts have is read whole. */
async function searchShort(
  tx: ReadTransaction,
  shelf: Shelf,
  fragment: string,
  { after, limit }: Portion,
): Promise<ListedRow[]> {
  const found = await listWindow(tx, { ...shelf, fragment, start: after, limit });
  if (found.length === limit) return found;
  if (await isRare(tx, { ...shelf, fragment, most: RARE })) {
    return listRare(tx, { ...shelf, fragment, after, limit, most: RARE });
  }
  let start = await endOfWindow(tx, shelf, after);
  while (found.length < limit && start !== undefined) {
    found.push(...(await listWindow(tx, { ...shelf, fragment, start, limit: limit - found.length })));
    start = await endOfWindow(tx, shelf, start);
  }
  return found;
}
