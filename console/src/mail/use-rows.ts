import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { listKey, type MailList } from './mail-cache.ts';
import type { ListedPlace, Place } from './places.ts';
import type { FoundRow, MailRecord } from './records.ts';
import { useSearchRows } from './search-rows.ts';
import { useMailCache } from './use-mail-cache.ts';

/** A row of a list: a message, or what a search has found. */
export type Row = MailRecord | FoundRow;

export function recordIn(row: Row): MailRecord | undefined {
  return 'hit' in row ? row.record : row;
}

export interface Rows {
  items: readonly Row[];
  /** Nothing was read yet. */
  isPending: boolean;
  error: unknown;
  loadMore(): void;
  /** The next page could not be read. */
  hasFailed: boolean;
  retry(): void;
}

const NONE: readonly Row[] = [];

/** The rows of a place, as far as they are loaded. A place does not change its kind while it is shown. */
export function useRows(place: Place): Rows {
  return place.kind === 'search' ? useFound(place) : useListed(place);
}

function useFound({ q, only }: Place & { kind: 'search' }): Rows {
  const { rows, error, isPending, loadMore, refetch } = useSearchRows(q, only);
  return {
    items: rows,
    isPending: isPending && q.trim() !== '',
    error,
    loadMore,
    hasFailed: false,
    retry: () => void refetch(),
  };
}

function useListed(place: ListedPlace): Rows {
  const cache = useMailCache();
  const [hasFailed, setFailed] = useState(false);
  const key = JSON.stringify(place);
  const { data, error, isPending, refetch } = useQuery<MailList>({
    queryKey: listKey(place),
    queryFn: ({ signal }) => cache.firstPage(place, signal),
    structuralSharing: false,
  });
  const loadMore = useCallback(() => {
    cache.loadMore(JSON.parse(key) as ListedPlace).then(
      () => setFailed(false),
      () => setFailed(true),
    );
  }, [cache, key]);
  const retry = () => (data ? loadMore() : void refetch());
  return { items: data?.records ?? NONE, isPending, error, loadMore, hasFailed, retry };
}
