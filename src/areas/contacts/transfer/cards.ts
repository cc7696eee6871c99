import { isBlank } from '../../../contract/line-of-text.ts';
import type { Card } from '../../../formats/vcard/card.ts';
import { contactOf } from '../contacts/contact-row.ts';
import type { ContactRow } from '../contacts/contact-store.ts';
import { CONTROLS, CONTROLS_OF_NOTES, type ContactFields } from '../schema.ts';

/** The fields of a contact that a card describes; what a field cannot hold becomes a space there. */
export function fieldsOfCard(card: Card): ContactFields {
  return {
    name: line(card.name),
    given_name: line(card.givenName),
    family_name: line(card.familyName),
    emails: shown(card.emails).map(({ value, label }) => ({ address: line(value), type: line(label) })),
    phones: shown(card.phones).map(({ value, label }) => ({ number: line(value), type: line(label) })),
    organization: line(card.organization),
    title: line(card.title),
    notes: card.notes.replace(/\r\n?/g, '\n').replace(IN_NOTES, ' '),
  };
}

function shown(values: Card['emails']): Card['emails'] {
  return values.filter(({ value }) => !isBlank(line(value)));
}

/** The card of a contact. */
export function cardOfContact(row: Pick<ContactRow, 'uid' | 'record'>): Card {
  const contact = contactOf(row);
  return {
    uid: row.uid,
    name: contact.name,
    givenName: contact.given_name ?? '',
    familyName: contact.family_name ?? '',
    organization: contact.organization ?? '',
    title: contact.title ?? '',
    notes: contact.notes ?? '',
    emails: (contact.emails ?? []).map(({ address, type = '' }) => ({ value: address, label: type })),
    phones: (contact.phones ?? []).map(({ number, type = '' }) => ({ value: number, label: type })),
  };
}

const IN_NOTES = new RegExp(`[${CONTROLS_OF_NOTES}]+`, 'g');
const IN_LINE = new RegExp(`[${CONTROLS}]+`, 'g');

function line(text: string): string {
  return text.replace(IN_LINE, ' ');
}
