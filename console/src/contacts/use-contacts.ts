import {
  keepPreviousData,
  skipToken,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import type { Contact } from '../../../client/src/index.ts';
import { api } from '../app/api.ts';
import { useChanges } from '../app/live-changes.ts';
import { outbox } from '../app/outbox.ts';
import { showToast } from '../app/toasts.tsx';
import type { ContactTexts } from './texts.ts';

const ROOT = ['contacts'];
export const LANE = 'contacts';

/** Which contacts a list shows. */
export interface Shown {
  bookId: string | undefined;
  isTrash: boolean;
  q: string;
}

/** Reads again what is shown when something has changed, here or elsewhere. */
export function useLiveContacts(): void {
  const queries = useQueryClient();
  useChanges(['contact.', 'address_book.'], () => void queries.invalidateQueries({ queryKey: ROOT }));
}

export function useBooks() {
  return useQuery({ queryKey: [...ROOT, 'books'], queryFn: () => api.contacts.listAddressBooks() });
}

/** A contact; none is asked for where no id is given. */
export function useContact(id: string | undefined) {
  return useQuery({
    queryKey: [...ROOT, 'one', id],
    queryFn: id === undefined ? skipToken : () => api.contacts.getContact(id),
  });
}

export function useContactList({ bookId, isTrash, q }: Shown) {
  const text = useDeferredValue(q.trim());
  return useInfiniteQuery({
    queryKey: [...ROOT, 'list', bookId, isTrash, text],
    queryFn: ({ pageParam, signal }) =>
      api.contacts
        .listContacts(
          {
            ...(bookId && { address_book_id: bookId }),
            ...(text && { q: text }),
            ...(isTrash && { trashed: true }),
            ...(pageParam && { cursor: pageParam }),
            limit: 200,
          },
          { signal },
        )
        .first(),
    initialPageParam: '',
    getNextPageParam: ({ hasMore, nextCursor }) => (hasMore ? nextCursor : undefined),
    placeholderData: keepPreviousData,
  });
}

/** Moves contacts to the trash and back; each can be undone by the other. */
export function useTrash(texts: ContactTexts) {
  const queries = useQueryClient();
  const refresh = () => void queries.invalidateQueries({ queryKey: ROOT });
  const write = async (contacts: readonly Contact[], isTrash: boolean) => {
    hide(queries, contacts);
    for (const { id, name } of contacts) {
      const { done } = await outbox.add({
        call: (to) => (isTrash ? to.contacts.trashContact(id) : to.contacts.restoreContact(id)),
        label: isTrash ? texts.trashing(name) : texts.restoring(name),
        lane: LANE,
      });
      done.catch(refresh);
    }
  };
  const set = async (contacts: readonly Contact[], isTrash: boolean) => {
    if (contacts.length === 0) return;
    await write(contacts, isTrash);
    showToast({
      text: (isTrash ? texts.trashed : texts.restored)(contacts.length),
      undo: () => void write(contacts, !isTrash),
    });
  };
  return {
    trash: (contacts: readonly Contact[]) => set(contacts, true),
    restore: (contacts: readonly Contact[]) => set(contacts, false),
  };
}

type Pages = { pages: { items: Contact[] }[] };

/** The lists show the effect at once; the change feed has them read again. */
function hide(queries: ReturnType<typeof useQueryClient>, contacts: readonly Contact[]): void {
  const ids = new Set(contacts.map(({ id }) => id));
  queries.setQueriesData<Pages>(
    { queryKey: [...ROOT, 'list'] },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({ ...page, items: page.items.filter(({ id }) => !ids.has(id)) })),
      },
  );
}
