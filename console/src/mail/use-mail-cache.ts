import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { liveChanges } from '../app/live-changes.ts';
import { refreshFrom } from './live-lists.ts';
import { MailCache } from './mail-cache.ts';

const caches = new WeakMap<QueryClient, MailCache>();

/** What the page knows of the mailbox, kept up to date by the change feed. */
export function useMailCache(): MailCache {
  const queries = useQueryClient();
  const known = caches.get(queries);
  if (known) return known;
  const cache = new MailCache(queries);
  caches.set(queries, cache);
  liveChanges.listen((changes) => refreshFrom(cache, changes));
  return cache;
}
