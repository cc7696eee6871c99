import type { Engine } from '../../storage/database.ts';
import { COUNT, columnsHold, type IntegrityRule, TIME, TRUTH } from '../../storage/schema/integrity-rule.ts';
import { LONGEST_INDEXED } from './search/to-index-store.ts';

/** SQL: the first gram of a contact: the first three characters of its first line of search text, or all if fewer. */
function firstGram(engine: Engine): string {
  const beginning = 'substr(c.search_text, 1, 3)';
  return engine === 'sqlite'
    ? `substr(${beginning}, 1, instr(${beginning} || char(10), char(10)) - 1)`
    : `split_part(${beginning}, chr(10), 1)`;
}

/** The integrity rules of address books. */
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
    broken: (engine) => `
      select c.id from contacts as c
      left join contact_grams as g
        on g.workspace_id = c.workspace_id and g.address_book_id = c.address_book_id and g.trashed = c.trashed
        and g.gram = ${firstGram(engine)} and g.place = c.place and g.number = c.number
      left join contacts_to_index as n
        on n.workspace_id = c.workspace_id and n.address_book_id = c.address_book_id and n.trashed = c.trashed
        and n.number = c.number
      where c.search_text <> '' and octet_length(c.search_text) <= ${LONGEST_INDEXED}
        and g.place is null and n.number is null`,
  },
  {
    says: 'Each fragment in the search index is that of a contact at its place',
    broken: () => `
      select g.place as id from contact_grams as g
      left join contacts as c
        on c.workspace_id = g.workspace_id and c.number = g.number and c.place = g.place
        and c.address_book_id = g.address_book_id and c.trashed = g.trashed
        and octet_length(c.search_text) <= ${LONGEST_INDEXED}
      left join contacts_to_index as n
        on n.workspace_id = g.workspace_id and n.address_book_id = g.address_book_id and n.trashed = g.trashed
        and n.number = g.number
      where c.number is null and n.number is null`,
  },
  {
    says: 'The count of an address book is that of its contacts',
    broken: () => `
      select b.id from address_books as b
      left join (select address_book_id, count(*) as contacts from contacts where trashed = 0 group by address_book_id) as c
        on c.address_book_id = b.id
      where b.contact_count <> coalesce(c.contacts, 0)`,
  },
  columnsHold('address_books', { contact_count: COUNT, created_at: TIME, updated_at: TIME }),
  columnsHold('contacts', { trashed: TRUTH, is_named: TRUTH }),
  columnsHold('contact_grams', { trashed: TRUTH }, 'place'),
  columnsHold('contacts_to_index', { trashed: TRUTH }, 'number'),
];
