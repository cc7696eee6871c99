import type { CursorPosition, Page, PageRequest } from '../api/answers.ts';
import { JsonText } from '../api/answers.ts';

const PAGE_SIZE = 100;

/** Every item of a listing, read page by page. */
export async function everyItem<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  let after: CursorPosition | undefined;
  do {
    const { items, count, last } = await list({ limit: PAGE_SIZE, after });
    if (items instanceof JsonText) throw new TypeError('the listing is text, not records');
    all.push(...items);
    after = count === PAGE_SIZE ? last : undefined;
  } while (after);
  return all;
}
