import { useQuery } from '@tanstack/react-query';
import { api } from '../app/api.ts';
import { useUser } from '../app/session.ts';
import { may } from './items.ts';

/** The name of a user; "" while it is not known, or may not be. */
export function useUserName(id: string): string {
  const user = useUser();
  const isOwn = id === user.id;
  const { data } = useQuery({
    queryKey: ['users', id],
    queryFn: ({ signal }) => api.directory.getUser(id, { signal }),
    enabled: !isOwn && id !== '' && may('directory.read'),
    retry: false,
  });
  if (isOwn) return user.name || user.email;
  return data?.name || data?.email || '';
}

/** Somebody that something can be shared with. */
export interface Principal {
  type: 'user' | 'group';
  id: string;
  name: string;
  /** The address of a user, or how many a group has. */
  detail: string;
}

/** Users and groups whose name or address contains a text. */
export function usePrincipals(text: string): Principal[] {
  const q = text.trim();
  const isOn = may('directory.read');
  const { data: users = [] } = useQuery({
    queryKey: ['users', 'completion', q],
    queryFn: async ({ signal }) => (await api.directory.listUsers({ q, limit: 8 }, { signal }).first()).items,
    enabled: isOn && q !== '',
    staleTime: 30_000,
    placeholderData: (before) => before,
  });
  const { data: groups = [] } = useQuery({
    queryKey: ['groups', 'all'],
    queryFn: ({ signal }) => api.directory.listGroups({ limit: 100 }, { signal }).all(),
    enabled: isOn,
    staleTime: 30_000,
  });
  if (q === '') return [];
  const fitting = groups.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase())).slice(0, 8);
  return [
    ...users.map(
      ({ id, name, email }): Principal => ({ type: 'user', id, name: name || email, detail: email }),
    ),
    ...fitting.map(
      ({ id, name, member_ids: { length } }): Principal => ({
        type: 'group',
        id,
        name,
        detail: String(length),
      }),
    ),
  ];
}
