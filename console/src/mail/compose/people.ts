import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { api } from '../../app/api.ts';
import { usePermission } from '../../app/session.ts';
import { isSameAddress, type Recipient } from './addresses.ts';

const SHOWN = 8;

/** The people whose name or address contains what is typed: contacts first, then colleagues. */
export function usePeople(text: string): readonly Recipient[] {
  const q = useDeferredValue(text.trim());
  const [mayContacts, mayUsers] = [usePermission('contacts.read'), usePermission('directory.read')];
  const { data = [] } = useQuery({
    queryKey: ['contacts', 'completion', q, mayContacts, mayUsers],
    queryFn: async ({ signal }) => {
      const [contacts, users] = await Promise.all([
        mayContacts ? api.contacts.listContacts({ q, limit: SHOWN }, { signal }).first() : { items: [] },
        mayUsers ? api.directory.listUsers({ q, limit: SHOWN }, { signal }).first() : { items: [] },
      ]);
      const people = [
        ...contacts.items.flatMap(({ name, emails = [] }) =>
          emails.map(({ address }) => ({ name, address })),
        ),
        ...users.items
          .filter(({ state }) => state === 'active')
          .map(({ name, email }) => ({ name, address: email })),
      ];
      return people
        .filter(
          ({ address }, index) =>
            address.includes('@') && people.findIndex((one) => isSameAddress(one.address, address)) === index,
        )
        .slice(0, SHOWN);
    },
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  return q === '' ? [] : data;
}
