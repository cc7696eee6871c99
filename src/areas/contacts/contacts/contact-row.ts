import type { Problem } from '../../../contract/operation.ts';
import { picked } from '../../../contract/picked.ts';
import { isBlank } from '../../../contract/storable-text.ts';
import { fold } from '../../../text/fold.ts';
import { isTurnOver, nextTurn } from '../../../turns/next-turn.ts';
import { type Contact, ContactFields, MAX_NAME, NAMING } from '../schema.ts';
import type { ContactRow } from './contact-store.ts';

/** The non-blank fields of a contact, in the order in which the API shows them, with every line break as "\n". */
export function withoutEmpty(given: ContactFields): ContactFields {
  const fields: ContactFields = {
    name: nonBlank(given.name),
    given_name: nonBlank(given.given_name),
    family_name: nonBlank(given.family_name),
    emails: given.emails?.map(({ address, type }) => ({ address, ...(nonBlank(type) && { type }) })),
    phones: given.phones?.map(({ number, type }) => ({ number, ...(nonBlank(type) && { type }) })),
    organization: nonBlank(given.organization),
    title: nonBlank(given.title),
    notes: given.notes?.replace(/\r\n?/g, '\n'),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value && value.length > 0));
}

function nonBlank(line = ''): string {
  return isBlank(line) ? '' : line;
}

/** "An absent name is made of the others"; undefined if no field can provide one. `fields`: without blank ones. */
function derivedName(fields: ContactFields): string | undefined {
  const { given_name: given, family_name: family, organization, emails, phones } = fields;
  const person = [given, family].filter(Boolean).join(' ');
  const name = person || organization || emails?.[0]?.address || phones?.[0]?.number;
  return name && [...name].slice(0, MAX_NAME).join('');
}

/** The problem of a new contact whose naming fields are all empty. The schema reports one that has none of them. */
export function emptyNameProblems(fields: ContactFields): Problem[] {
  return NAMING.some((field) => fields[field] !== undefined) ? namingProblems(fields) : [];
}

/** The problem of a change that empties every naming field of a contact. */
export function emptiedNameProblems(changes: ContactFields): Problem[] {
  return NAMING.every((field) => changes[field] !== undefined) ? namingProblems(changes) : [];
}

/** The problem of fields that cannot name a contact. */
export function namingProblems(given: ContactFields): Problem[] {
  const fields = withoutEmpty(given);
  if (fields.name || derivedName(fields)) return [];
  const message = `Give at least one of ${NAMING.join(', ')}.`;
  return [{ pointer: '', code: 'invalid', message }];
}

const FIELDS = Object.keys(ContactFields.properties) as (keyof ContactFields)[];

/** The columns of a contact beside its fields. */
interface ContactIdentity
  extends Pick<ContactRow, 'workspace_id' | 'user_id' | 'id' | 'address_book_id' | 'uid' | 'trashed'> {
  createdAt: string;
  updatedAt: string;
}

/**
 * Characters of a folded name in a sort key: an index entry must fit a page. Only names lengthened by folding have
 * more.
 */
const MAX_KEY = 800;

/**
 * The row of a contact with these fields, at least one of which can name it. Gives way while it folds long addresses.
 */
export async function contactRow(
  { createdAt, updatedAt, ...identity }: ContactIdentity,
  given: ContactFields,
): Promise<ContactRow> {
  const fields = withoutEmpty(given);
  const { given_name, family_name, emails, phones, organization, title, notes } = fields;
  const name = nameOf(fields);
  const contact: Contact = {
    id: identity.id,
    address_book_id: identity.address_book_id,
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
    ...identity,
    is_named: fields.name === undefined ? 0 : 1,
    place: `${nameSortKey(name)}\u0001${identity.id}`,
    search_text: await searchText(contact),
    record: JSON.stringify(contact),
  };
}

/** The row with these fields instead of its own; undefined where it has them already. */
export async function rowWith(row: ContactRow, fields: ContactFields): Promise<ContactRow | undefined> {
  const { created_at: createdAt, updated_at: updatedAt } = contactOf(row);
  const unchanged = await contactRow({ ...row, createdAt, updatedAt }, fields);
  if (unchanged.record === row.record && unchanged.is_named === row.is_named) return undefined;
  return contactRow({ ...row, createdAt, updatedAt: new Date().toISOString() }, fields);
}

export function contactOf({ record }: Pick<ContactRow, 'record'>): Contact {
  return JSON.parse(record);
}

/** The fields as given: without a derived name. */
function givenFields(row: ContactRow): ContactFields {
  const fields = picked(contactOf(row), FIELDS);
  return row.is_named ? fields : { ...fields, name: undefined };
}

/** The fields of a contact after a change. */
export function changedFields(before: ContactRow, changes: ContactFields): ContactFields {
  return { ...givenFields(before), ...picked(changes, FIELDS) };
}

/** The part of the sort key before the id, for a contact with these fields. */
export function sortKeyOf(given: ContactFields): string {
  return nameSortKey(nameOf(withoutEmpty(given)));
}

function nameOf(fields: ContactFields): string {
  return fields.name ?? derivedName(fields) ?? '';
}

/**
 * The sort key of a contact (column `place`) is one text for "name (Unicode case folded), then id": this text, U+0001,
 * which sorts before every character of a name, and the id.
 */
function nameSortKey(name: string): string {
  const key = fold(name).slice(0, MAX_KEY);
  return key.isWellFormed() ? key : key.slice(0, -1);
}

/**
 * One text per line, so that no fragment matches across two texts. Omits given and family name if the name contains
 * them.
 */
async function searchText({ name, given_name, family_name, emails = [] }: Contact): Promise<string> {
  const whole = fold(name);
  const names = [given_name, family_name].map((name = '') => fold(name));
  const lines = new Set([whole, ...names.filter((name) => !whole.includes(name))]);
  for (const { address } of emails) {
    lines.add(fold(address));
    if (isTurnOver()) await nextTurn();
  }
  return [...lines].filter((line) => line !== '').join('\n');
}
