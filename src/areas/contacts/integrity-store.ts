import type { IntegrityRule } from '../../storage/integrity-rule.ts';

/** What holds in every address book. */
export const CONTACTS_INTEGRITY: readonly IntegrityRule[] = [
  {
    says: 'Each contact is in an address book of its user',
    broken: () => `
      select c.id from contacts as c
      left join address_books as b
        on b.workspace_id = c.workspace_id and b.id = c.address_book_id and b.user_id = c.user_id
      where b.id is null`,
  },
  {
    says: 'Each contact is found by what is searched of it',
    broken: () => `
      select c.id from contacts as c
      join (
        select workspace_id, address_book_id, trashed, place from contacts
        except select workspace_id, address_book_id, trashed, place from contact_grams) as lost
        on lost.workspace_id = c.workspace_id and lost.address_book_id = c.address_book_id and lost.place = c.place
      where c.search_text <> ''`,
  },
  {
    says: 'The count of an address book is that of its contacts',
    broken: () => `
      select b.id from address_books as b
      left join (select address_book_id, count(*) as contacts from contacts where trashed = 0 group by address_book_id) as c
        on c.address_book_id = b.id
      where b.contact_count <> coalesce(c.contacts, 0)`,
  },
];
