import { picked } from '../../../contract/picked.ts';
import { fold } from '../../../text/fold.ts';
import { isTurnOver, nextTurn } from '../../../turns/next-turn.ts';
import { type Contact, ContactFields } from '../schema.ts';
import type { ContactRow } from './contact-store.ts';
import { madeName, withoutEmpty } from './fields.ts';

const FIELDS = Object.keys(ContactFields.properties) as (keyof ContactFields)[];

/** What a contact is made of, beside its fields. */
export interface Holder
  extends Pick<ContactRow, 'workspace_id' | 'user_id' | 'id' | 'address_book_id' | 'uid' | 'trashed'> {
  createdAt: string;
  updatedAt: string;
}

/** Characters of a folded name that order it: an index entry has to fit a page. Only names that folding lengthens have more. */
const MAX_KEY = 800;

/** The row of a contact with these fields, of which one at least can name it. Folding a hundred long addresses takes turns. */
export async function contactRow(
  { createdAt, updatedAt, ...holder }: Holder,
  given: ContactFields,
): Promise<ContactRow> {
  const fields = withoutEmpty(given);
  const { given_name, family_name, emails, phones, organization, title, notes } = fields;
  const name = nameOf(fields);
  const contact: Contact = {
    id: holder.id,
    address_book_id: holder.address_book_id,
    name,
    given_name,
    family_name,
    emails,
    phones,
    organization,
    title,
    notes,
    created_at: createdAt,
    updated_at: updatedAt,
  };
  return {
    ...holder,
    is_named: fields.name === undefined ? 0 : 1,
    place: `${placeKey(name)}\u0001${holder.id}`,
    search_text: await searchText(contact),
    record: JSON.stringify(contact),
  };
}

export function contactOf({ record }: Pick<ContactRow, 'record'>): Contact {
  return JSON.parse(record);
}

/** The fields as they were given: a name that was made is absent. */
function givenFields(row: ContactRow): ContactFields {
  const fields = picked(contactOf(row), FIELDS);
  return row.is_named ? fields : { ...fields, name: undefined };
}

/** The fields of a contact after a change that replaces those which it sends. */
export function changedFields(before: ContactRow, changes: ContactFields): ContactFields {
  return { ...givenFields(before), ...picked(changes, FIELDS) };
}

/** By what contacts with these fields are ordered, before their ids. */
export function orderOf(given: ContactFields): string {
  return placeKey(nameOf(withoutEmpty(given)));
}

function nameOf(fields: ContactFields): string {
  return fields.name ?? madeName(fields) ?? '';
}

/**
 * A place is one text for "name (Unicode case folded), then id": this, U+0001, which comes before everything that a name
 * can hold, and the id.
 */
function placeKey(name: string): string {
  const key = fold(name).slice(0, MAX_KEY);
  return key.isWellFormed() ? key : key.slice(0, -1);
}

/** One a line, so that no fragment matches across two of them. A part of a name that is in the whole is found there. */
async function searchText({ name, given_name, family_name, emails = [] }: Contact): Promise<string> {
  const whole = fold(name);
  const parts = [given_name, family_name].map((part = '') => fold(part));
  const lines = new Set([whole, ...parts.filter((part) => !whole.includes(part))]);
  for (const { address } of emails) {
    lines.add(fold(address));
    if (isTurnOver()) await nextTurn();
  }
  return [...lines].filter((line) => line !== '').join('\n');
}
