import type { Contact, UpdateContactBody } from '../../../client/src/index.ts';

/** A line of an e-mail address or a phone number. */
export interface Line {
  key: number;
  value: string;
  type: string;
}

export interface ContactForm {
  address_book_id: string;
  name: string;
  given_name: string;
  family_name: string;
  organization: string;
  title: string;
  notes: string;
  emails: readonly Line[];
  phones: readonly Line[];
}

let lastKey = 0;

export function newLine(value = '', type = ''): Line {
  return { key: ++lastKey, value, type };
}

export function formOf(contact: Partial<Contact>, bookId: string): ContactForm {
  const { name = '', given_name = '', family_name = '', organization = '', title = '', notes = '' } = contact;
  return {
    address_book_id: contact.address_book_id ?? bookId,
    name,
    given_name,
    family_name,
    organization,
    title,
    notes,
    emails: (contact.emails ?? []).map(({ address, type }) => newLine(address, type)),
    phones: (contact.phones ?? []).map(({ number, type }) => newLine(number, type)),
  };
}

/** What of a form differs from what was read: fields that another window changes meanwhile stay. */
export function changesOf(form: ContactForm, before: ContactForm): UpdateContactBody {
  const [now, then] = [bodyOf(form), bodyOf(before)];
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => {
      return JSON.stringify(value) !== JSON.stringify(then[name as keyof typeof then]);
    }),
  );
}

/** All that the form says; lines without a value are left out. */
export function bodyOf({ emails, phones, ...fields }: ContactForm) {
  const filled = (lines: readonly Line[]) => lines.filter(({ value }) => value.trim() !== '');
  return {
    ...fields,
    emails: filled(emails).map(({ value, type }) => ({ address: value.trim(), type })),
    phones: filled(phones).map(({ value, type }) => ({ number: value.trim(), type })),
  };
}

/** The API takes a contact that says at least one of these. */
export function saysSomething(form: ContactForm): boolean {
  const { name, given_name, family_name, organization, emails, phones } = bodyOf(form);
  const texts = [name, given_name, family_name, organization];
  return texts.some((text) => text.trim() !== '') || emails.length > 0 || phones.length > 0;
}
