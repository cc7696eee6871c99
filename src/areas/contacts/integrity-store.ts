import type { Engine } from '../../storage/database.ts';
import { COUNT, columnsHold, type IntegrityRule, TIME, TRUTH } from '../../storage/integrity-rule.ts';

/** Three characters that the first text of a contact begins with, or all where it has fewer; a line for each text. */
function firstGram(engine: Engine): string {
  const beginning = 'substr(c.search_text, 1, 3)';
  return engine === 'sqlite'
    ? `substr(${beginning}, 1, instr(${beginning} || char(10), char(10)) - 1)`
    : `split_part(${beginning}, chr(10), 1)`;
}

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
    broken: (engine) => `
      select c.id from contacts as c
      left join contact_grams as g
        on g.workspace_id = c.workspace_id and g.address_book_id = c.address_book_id and g.trashed = c.trashed
        and g.gram = ${firstGram(engine)} and g.place = c.place and g.number = c.number
      where c.search_text <> '' and g.place is null`,
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
];
