import { fold } from '../../text/fold.ts';
import type { ContactRow } from './contact-store.ts';
import { madeName, withoutEmpty } from './fields.ts';
import type { Contact, ContactFields } from './schema.ts';

/** What a contact is made of, beside its fields. */
export interface Holder
  extends Pick<ContactRow, 'workspace_id' | 'user_id' | 'id' | 'address_book_id' | 'uid' | 'trashed'> {
  createdAt: string;
  updatedAt: string;
}

/** Characters of a folded name that order it: an index entry has to fit a page. Only names that folding lengthens have more. */
const MAX_KEY = 800;

/** The row of a contact with these fields, of which one at least can name it. */
export function contactRow({ createdAt, updatedAt, ...holder }: Holder, given: ContactFields): ContactRow {
  const { name: givenName, ...fields } = withoutEmpty(given);
  const name = givenName ?? madeName(fields) ?? '';
  const { id, address_book_id } = holder;
  const times = { created_at: createdAt, updated_at: updatedAt };
  const contact: Contact = { id, address_book_id, name, ...fields, ...times };
  return {
    ...holder,
    is_named: givenName === undefined ? 0 : 1,
    place: placeOf(name, id),
    search_text: searchText(contact),
    record: JSON.stringify(contact),
  };
}

export function contactOf({ record }: Pick<ContactRow, 'record'>): Contact {
  return JSON.parse(record);
}

/** The fields as they were given: a name that was made is absent. */
export function givenFields(row: ContactRow): ContactFields {
  const { id, address_book_id, created_at, updated_at, name, ...others } = contactOf(row);
  return row.is_named ? { name, ...others } : others;
}

/** One text for "name (Unicode case folded), then id": what parts them comes before everything that a name can hold. */
function placeOf(name: string, id: string): string {
  const key = fold(name).slice(0, MAX_KEY);
  return `${key.isWellFormed() ? key : key.slice(0, -1)}\u0001${id}`;
}

/** One a line, so that no fragment matches across two of them. */
function searchText({ name, given_name, family_name, emails = [] }: Contact): string {
  const texts = [name, given_name, family_name, ...emails.map(({ address }) => address)];
  const lines = new Set(texts.filter((text) => text !== undefined).map(fold));
  return [...lines]
    .filter((text) => ![...lines].some((other) => other !== text && other.includes(text)))
    .join('\n');
}
