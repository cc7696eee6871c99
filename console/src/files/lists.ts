import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { ListedFolder } from '../../../client/src/index.ts';
import { api } from '../app/api.ts';
import { useUser } from '../app/session.ts';
import type { Place } from './address.ts';
import { findItem, folderItem, hitItem, type Item, may, recordItem } from './items.ts';

/** Where a list goes on. Documents come before files: the API lists each by itself, newest first. */
interface Position {
  of: 'documents' | 'files';
  cursor?: string;
}

export interface ListPage {
  items: Item[];
  next?: Position;
}

export type ListData = InfiniteData<ListPage, Position>;

/** What a list of the API is restricted to. */
export type Restriction = { folder_id: string } | { shared: true } | { trashed: true };

/** The most that the API answers at once. */
const FILES_AT_ONCE = 200;
const DOCUMENTS_AT_ONCE = 100;
/** A list that shows less than this loads on. */
const AT_LEAST = 100;

export const keys = {
  all: ['files'] as const,
  folders: ['files', 'folders'] as const,
  trashedFolders: ['files', 'trashed-folders'] as const,
  lists: ['files', 'list'] as const,
  list: (restriction: Restriction) => ['files', 'list', restriction] as const,
  searches: ['files', 'search'] as const,
  search: (q: string) => ['files', 'search', q] as const,
  item: (id: string) => ['files', 'item', id] as const,
  sharing: (id: string) => ['files', 'sharing', id] as const,
};

/** All folders that the person reaches. */
export function useFolders() {
  return useQuery({
    queryKey: keys.folders,
    queryFn: ({ signal }) => api.files.listFileFolders({ include: 'role' }, { signal }),
  });
}

/** A file by its id, from a list where one has it. */
export function useItem(id: string) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: keys.item(id),
    queryFn: ({ signal }) => findItem(id, signal),
    initialData: () => findListed(queries, id),
  });
}

export interface Listing {
  items: Item[];
  isPending: boolean;
  error: unknown;
  /** Whether a part of the rows has never been read. */
  isIncomplete: boolean;
  retry(): void;
  loadMore(): void;
  isComplete: boolean;
}

/** The rows of a place: its folders by name, then its documents and files, newest first. */
export function useListing(place: Exclude<Place, { kind: 'file' }>): Listing {
  const isSearch = place.kind === 'search';
  const listed = useRestricted(isSearch ? undefined : restrictionOf(place));
  const found = useSearchHits(isSearch ? place.q : '');
  return isSearch ? found : listed;
}

function restrictionOf(place: Exclude<Place, { kind: 'file' } | { kind: 'search' }>): Restriction {
  if (place.kind === 'folder') return { folder_id: place.folderId };
  return place.kind === 'shared' ? { shared: true } : { trashed: true };
}

function useRestricted(restriction: Restriction | undefined): Listing {
  const given = restriction ?? { folder_id: '' };
  const user = useUser();
  const isTrash = 'trashed' in given;
  const active = useFolders();
  const trashed = useQuery({
    queryKey: keys.trashedFolders,
    queryFn: ({ signal }) => api.files.listFileFolders({ trashed: true, include: 'role' }, { signal }),
    enabled: isTrash,
  });
  const folders = isTrash ? trashed : active;
  const list = useInfiniteQuery({
    queryKey: keys.list(given),
    queryFn: ({ pageParam, signal }) => readPage(given, pageParam, signal),
    initialPageParam: { of: 'documents' } as Position,
    getNextPageParam: ({ next }) => next,
    enabled: restriction !== undefined,
  });
  const items = useMemo(() => {
    const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
    return [...foldersOf(given, folders.data ?? [], user.id), ...visible(given, rows, active.data, user.id)];
  }, [list.data, folders.data, active.data, JSON.stringify(given), user.id]);
  const { hasNextPage, isFetching, fetchNextPage } = list;
  const loadMore = () => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  };
  const isShort = items.length < AT_LEAST && !list.isError;
  useEffect(() => {
    if (isShort && hasNextPage && !isFetching) void fetchNextPage();
  }, [isShort, hasNextPage, isFetching, fetchNextPage]);
  return {
    items,
    isPending: list.isPending || folders.isPending,
    error: list.error ?? folders.error ?? undefined,
    isIncomplete: list.isLoadingError || list.isFetchNextPageError || folders.isLoadingError,
    retry: () => void Promise.all([list.refetch(), folders.refetch()]),
    loadMore,
    isComplete: !hasNextPage,
  };
}

/** Searches the texts and the names; the last word counts as the beginning of one while it is typed. */
function useSearchHits(q: string): Listing {
  const found = useInfiniteQuery({
    queryKey: keys.search(q),
    queryFn: async ({ pageParam, signal }): Promise<{ items: Item[]; next?: string }> => {
      const query = {
        q: /[\p{L}\p{N}]$/u.test(q) && !/\bor$/i.test(q) ? `${q}*` : q,
        kinds: ['file' as const, ...documentKinds()],
        limit: 100,
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      const { items, hasMore, nextCursor } = await api.search.search(query, { signal }).first();
      return { items: items.map(hitItem), ...(hasMore && { next: nextCursor }) };
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled: q.trim() !== '',
    staleTime: 5_000,
  });
  const items = useMemo(() => found.data?.pages.flatMap((page) => page.items) ?? [], [found.data]);
  return {
    items,
    isPending: q.trim() !== '' && found.isPending,
    error: found.error ?? undefined,
    isIncomplete: found.isLoadingError || found.isFetchNextPageError,
    retry: () => void found.refetch(),
    loadMore: () => {
      if (found.hasNextPage && !found.isFetching) void found.fetchNextPage();
    },
    isComplete: !found.hasNextPage,
  };
}

function documentKinds(): ('document' | 'spreadsheet')[] {
  return may('docs.documents.read') ? ['document', 'spreadsheet'] : [];
}

/** The first page asks for both at once: mostly there are few documents. */
async function readPage(
  restriction: Restriction,
  position: Position,
  signal: AbortSignal,
): Promise<ListPage> {
  if (position.of === 'files') return readFiles(restriction, position.cursor, signal);
  const isFirst = position.cursor === undefined;
  const [documents, files] = await Promise.all([
    readDocuments(restriction, position.cursor, signal),
    isFirst ? readFiles(restriction, undefined, signal) : undefined,
  ]);
  if (documents.next) return documents;
  if (!files) return { ...documents, next: { of: 'files' } };
  return { ...files, items: [...documents.items, ...files.items] };
}

async function readDocuments(
  restriction: Restriction,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage> {
  if (!may('docs.documents.read')) return { items: [] };
  const page = { limit: DOCUMENTS_AT_ONCE, ...(cursor !== undefined && { cursor }) };
  const query = { ...restriction, include: 'role' as const, ...page };
  const { items, hasMore, nextCursor } = await api.documents.listDocuments(query, { signal }).first();
  return {
    items: items.map(recordItem),
    ...(hasMore && { next: { of: 'documents' as const, cursor: nextCursor } }),
  };
}

async function readFiles(
  restriction: Restriction,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage> {
  const page = { limit: FILES_AT_ONCE, ...(cursor !== undefined && { cursor }) };
  const query = { ...restriction, include: 'role' as const, ...page };
  const { items, hasMore, nextCursor } = await api.files.listFiles(query, { signal }).first();
  return {
    items: items.map(recordItem),
    ...(hasMore && { next: { of: 'files' as const, cursor: nextCursor } }),
  };
}

/** Of what is shared, the uppermost folders: the others are in them. */
function foldersOf(restriction: Restriction, folders: readonly ListedFolder[], userId: string): Item[] {
  const ids = new Set(folders.map(({ id }) => id));
  const here = folders.filter((folder) => {
    if ('trashed' in restriction) return true;
    if ('shared' in restriction) return folder.owner_id !== userId && !ids.has(folder.parent_id);
    if (folder.parent_id !== restriction.folder_id) return false;
    return restriction.folder_id !== '' || folder.owner_id === userId;
  });
  return here.map(folderItem).sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
}

/** The root has what is one's own; what is shared stands at its folder, or where that is not shared under "shared". */
function visible(
  restriction: Restriction,
  rows: readonly Item[],
  folders: readonly ListedFolder[] | undefined,
  userId: string,
): readonly Item[] {
  if ('trashed' in restriction) return rows;
  if ('folder_id' in restriction)
    return restriction.folder_id === '' ? rows.filter(({ ownerId }) => ownerId === userId) : rows;
  const ids = new Set(folders?.map(({ id }) => id));
  return rows.filter(({ parentId }) => !ids.has(parentId));
}

function findListed(queries: QueryClient, id: string): Item | undefined {
  for (const [, data] of queries.getQueriesData<ListData>({ queryKey: keys.lists }))
    for (const page of data?.pages ?? []) {
      const item = page.items.find((one) => one.id === id);
      if (item) return item;
    }
  return undefined;
}
