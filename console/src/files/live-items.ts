import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { Change } from '../../../client/src/index.ts';
import { useChanges } from '../app/live-changes.ts';
import { readAgain, showFound } from './cache.ts';
import { findItem } from './items.ts';
import { keys } from './lists.ts';

/** More changes at once are not looked up one by one: the lists are read again. */
const LOOKED_UP = 40;
/** Lists are read again once for all changes of this time. */
const GATHERED_MS = 400;

const PREFIXES = ['file.', 'file_folder.', 'document.', 'spreadsheet.', 'access.', 'group.'];

/** Keeps what the page has read up to date with what others and other windows do. */
export function useLiveItems(): void {
  const queries = useQueryClient();
  useChanges(PREFIXES, (changes) => void take(queries, changes));
}

async function take(queries: QueryClient, changes: readonly Change[]): Promise<void> {
  const ids = new Set(changes.filter(isOfItem).flatMap(idsOf));
  const isWide = changes.some(({ type }) => /^(?:file_folder|access|group)\./.test(type));
  if (isWide || ids.size > LOOKED_UP) return soon(queries, 'all');
  if (changes.some(({ type }) => !/\.(?:created|changed)$/.test(type))) soon(queries, 'trash and shared');
  for (const id of ids) void queries.invalidateQueries({ queryKey: keys.sharing(id) });
  await Promise.all(
    [...ids].map(async (id) => {
      try {
        showFound(queries, id, await findItem(id));
      } catch {
        // The server is away for a moment: the lists say so themselves when they are read.
        soon(queries, 'all');
      }
    }),
  );
}

/** What waits to be read again. */
const waiting = { isSet: false, isAll: false };

function soon(queries: QueryClient, what: 'all' | 'trash and shared'): void {
  waiting.isAll ||= what === 'all';
  if (waiting.isSet) return;
  waiting.isSet = true;
  setTimeout(() => {
    if (waiting.isAll) readAgain(queries);
    else {
      void queries.invalidateQueries({ queryKey: keys.list({ trashed: true }) });
      void queries.invalidateQueries({ queryKey: keys.list({ shared: true }) });
      void queries.invalidateQueries({ queryKey: keys.trashedFolders });
    }
    Object.assign(waiting, { isSet: false, isAll: false });
  }, GATHERED_MS);
}

function isOfItem({ type }: Change): boolean {
  return /^(?:file|document|spreadsheet)\./.test(type);
}

function idsOf({ ids }: Change): string[] {
  const named = ['file_id', 'document_id', 'spreadsheet_id', 'file_ids', 'document_ids', 'spreadsheet_ids'];
  return named.flatMap((name) => ids[name] ?? []).filter((id) => typeof id === 'string');
}
