import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import type { MessageSummary, SearchHit, SearchQuery } from '../../../client/src/index.ts';
import { api } from '../app/api.ts';
import type { MailCache } from './mail-cache.ts';
import type { FoundRow } from './records.ts';
import { useMailCache } from './use-mail-cache.ts';

interface Found {
  rows: FoundRow[];
  nextCursor: string;
}

const PAGE = 50;

export type Kind = SearchHit['kind'];
export const KINDS: readonly Kind[] = ['message', 'contact', 'file', 'document', 'spreadsheet'];

/** The results of a search, of one kind or of all, page by page. */
export function useSearchRows(q: string, only: string) {
  const queries = useQueryClient();
  const cache = useMailCache();
  const isLoading = useRef(false);
  const key = ['mail', 'search', q, only];
  const kind = KINDS.find((one) => one === only);
  const query: SearchQuery = { q, limit: PAGE, ...(kind && { kinds: kind }) };
  const result = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => page(cache, query, signal),
    enabled: q.trim() !== '',
    structuralSharing: false,
    // A search is asked anew when it is opened again.
    staleTime: 30_000,
  });
  const cursor = result.data?.nextCursor;
  const loadMore = useCallback(() => {
    if (!cursor || isLoading.current) return;
    isLoading.current = true;
    page(cache, { ...query, cursor })
      .then((next) =>
        queries.setQueryData(key, (found: Found | undefined) =>
          found?.nextCursor === cursor ? { ...next, rows: [...found.rows, ...next.rows] } : found,
        ),
      )
      .catch(() => undefined)
      .finally(() => {
        isLoading.current = false;
      });
  }, [cursor, q, only]);
  return {
    rows: result.data?.rows ?? [],
    error: result.error,
    isPending: result.isPending,
    loadMore,
    refetch: result.refetch,
  };
}

async function page(cache: MailCache, query: SearchQuery, signal?: AbortSignal): Promise<Found> {
  const { items, nextCursor, hasMore } = await api.search.search(query, signal ? { signal } : {}).first();
  const messages = items.filter(({ kind }) => kind === 'message');
  const records = cache.records(messages.map(({ record }) => record as unknown as MessageSummary));
  const byId = new Map(records.map((record) => [record.id, record]));
  const rows = items.map((hit) => {
    const record = byId.get(hit.id);
    return { id: hit.id, hit, ...(record && { record }) };
  });
  return { rows, nextCursor: hasMore ? nextCursor : '' };
}
