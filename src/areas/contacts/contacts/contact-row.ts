import { isBlank } from '../../../contract/line-of-text.ts';
import type { Problem } from '../../../contract/operation.ts';
import { picked } from '../../../contract/picked.ts';
import { fold } from '../../../text/fold.ts';
import { isTurnOver, nextTurn } from '../../../turns/next-turn.ts';
import { type Contact, ContactFields, MAX_NAME, NAMING } from '../schema.ts';
import type { ContactRow } from './contact-store.ts';

/** The fields that say something, a line more than blanks, with every line break as "\n", in the order in which a contact shows them. */
export function withoutEmpty(given: ContactFields): ContactFields {
  const kept: ContactFields = {
    name: shown(given.name),
    given_name: shown(given.given_name),
    family_name: shown(given.family_name),
    emails: given.emails?.map(({ address, type }) => ({ address, ...(shown(type) && { type }) })),
    phones: given.phones?.map(({ number, type }) => ({ number, ...(shown(type) && { type }) })),
    organization: shown(given.organization),
    title: shown(given.title),
    notes: given.notes?.replace(/\r\n?/g, '\n'),
  };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value && value.length > 0));
}

function shown(line = ''): string {
  return isBlank(line) ? '' : line;
}

/** "An absent name is made of the others", of which none is empty; undefined when there is nothing to make it of. */
function madeName(fields: ContactFields): string | undefined {
  const { given_name: given, family_name: family, organization, emails, phones } = fields;
  const person = [given, family].filter(Boolean).join(' ');
  const made = person || organization || emails?.[0]?.address || phones?.[0]?.number;
  return made && [...made].slice(0, MAX_NAME).join('');
}

/** What is wrong with a new contact that gives fields which could name it, but all empty. That it gives none the schema tells. */
export function emptyNameProblems(fields: ContactFields): Problem[] {
  return NAMING.some((field) => fields[field] !== undefined) ? namingProblems(fields) : [];
}

/** What is wrong with a change that empties every field which could name a contact. */
export function emptiedNameProblems(changes: ContactFields): Problem[] {
  return NAMING.every((field) => changes[field] !== undefined) ? namingProblems(changes) : [];
}

/** What is wrong with fields of which none can name a contact. */
export function namingProblems(given: ContactFields): Problem[] {
  const fields = withoutEmpty(given);
  if (fields.name || madeName(fields)) return [];
  const message = `Give at least one of ${NAMING.join(', ')}.`;
  return [{ pointer: '', code: 'invalid', message }];
}

const FIELDS = Object.keys(ContactFields.properties) as (keyof ContactFields)[];

/** What a contact is made of, beside its fields. */
interface Holder
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
