import type { QueryClient } from '@tanstack/react-query';
import type { ListedFolder } from '../../../client/src/index.ts';
import type { Item } from './items.ts';
import { keys, type ListData, type ListPage, type Restriction } from './lists.ts';

/** A list that is longer is read again from its beginning: to read all of it again would take too long. */
const KEPT_PAGES = 5;

/** Shows a change of an item at once, wherever it is listed. */
export function showChanged(queries: QueryClient, item: Item): void {
  if (item.kind === 'folder') {
    queries.setQueryData<ListedFolder[]>(keys.folders, (folders) =>
      folders?.map((folder) =>
        folder.id === item.id ? { ...folder, name: item.name, parent_id: item.parentId } : folder,
      ),
    );
    return;
  }
  showFound(queries, item.id, item);
}

/** Takes an item out of all lists at once, as when it has gone into the trash. */
export function showGone(queries: QueryClient, item: Pick<Item, 'kind' | 'id'>): void {
  if (item.kind !== 'folder') {
    showFound(queries, item.id, null);
    return;
  }
  for (const key of [keys.folders, keys.trashedFolders])
    queries.setQueryData<ListedFolder[]>(key, (folders) => folders?.filter(({ id }) => id !== item.id));
}

/** Brings what the server says of a file or document into all lists; null: the person does not reach it any more. */
export function showFound(queries: QueryClient, id: string, item: Item | null): void {
  for (const [queryKey, data] of queries.getQueriesData<ListData>({ queryKey: keys.lists })) {
    if (!data) continue;
    const restriction = queryKey[2] as Restriction;
    const belongs = item !== null && belongsTo(restriction, item, isListed(data, id));
    queries.setQueryData<ListData>(queryKey, withItem(data, id, belongs ? item : null));
  }
  for (const [queryKey, data] of queries.getQueriesData<{ pages: { items: Item[] }[] }>({
    queryKey: keys.searches,
  })) {
    if (!data) continue;
    const isGone = item === null || item.isTrashed;
    const pages = data.pages.map((page) => ({
      ...page,
      items: page.items.flatMap((one) => (one.id !== id ? [one] : isGone ? [] : [{ ...one, ...item }])),
    }));
    queries.setQueryData(queryKey, { ...data, pages });
  }
  if (queries.getQueryState(keys.item(id))) queries.setQueryData(keys.item(id), item);
}

/** Reads all lists again. */
export function readAgain(queries: QueryClient): void {
  for (const [queryKey, data] of queries.getQueriesData<ListData>({ queryKey: keys.lists })) {
    if (!data || data.pages.length <= KEPT_PAGES) continue;
    const pages = data.pages.slice(0, KEPT_PAGES);
    queries.setQueryData<ListData>(queryKey, { pages, pageParams: data.pageParams.slice(0, KEPT_PAGES) });
  }
  void queries.invalidateQueries({ queryKey: keys.all });
}

/** The lists of the trash and of what is shared cannot be told from an item alone: they are read again. */
function belongsTo(restriction: Restriction, item: Item, wasListed: boolean): boolean {
  if ('folder_id' in restriction) return !item.isTrashed && item.parentId === restriction.folder_id;
  if ('trashed' in restriction) return wasListed && item.isTrashed;
  return wasListed && !item.isTrashed;
}

function isListed(data: ListData, id: string): boolean {
  return data.pages.some(({ items }) => items.some((one) => one.id === id));
}

function withItem(data: ListData, id: string, item: Item | null): ListData {
  let pages = data.pages.map((page) =>
    page.items.some((one) => one.id === id)
      ? { ...page, items: page.items.filter((one) => one.id !== id) }
      : page,
  );
  if (item) pages = inserted(pages, item);
  return { ...data, pages };
}

/** At its place in the order of the API. Behind the end of what is loaded it comes with its page. */
function inserted(pages: ListPage[], item: Item): ListPage[] {
  for (const [number, page] of pages.entries()) {
    const index = page.items.findIndex((one) => comesBefore(item, one));
    if (index >= 0) return pages.with(number, { ...page, items: page.items.toSpliced(index, 0, item) });
  }
  const last = pages.at(-1);
  if (!last || last.next) return pages;
  return pages.with(-1, { ...last, items: [...last.items, item] });
}

function comesBefore(item: Item, other: Item): boolean {
  const [own, its] = [item.kind === 'file' ? 1 : 0, other.kind === 'file' ? 1 : 0];
  if (own !== its) return own < its;
  if (item.createdAt !== other.createdAt) return item.createdAt > other.createdAt;
  return item.id > other.id;
}
