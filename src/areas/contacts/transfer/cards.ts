import { ApiError } from '../../../contract/errors.ts';
import type { Received } from '../../../contract/operation.ts';
import { isBlank } from '../../../contract/storable-text.ts';
import { SchemaCheck } from '../../../contract/validation.ts';
import type { Card, ReadCard } from '../../../formats/vcard/card.ts';
import { readCards } from '../../../formats/vcard/read.ts';
import { contactOf, namingProblems, withoutEmpty } from '../contacts/contact-row.ts';
import type { ContactRow } from '../contacts/contact-store.ts';
import { CONTROLS, CONTROLS_OF_NOTES, ContactFields, type ImportReport, MAX_NAME } from '../schema.ts';

/** The contact fields of a card; control characters that a field cannot hold become spaces. */
function fieldsOfCard(card: Card): ContactFields {
  return {
    name: withoutControls(card.name),
    given_name: withoutControls(card.givenName),
    family_name: withoutControls(card.familyName),
    emails: nonBlankValues(card.emails).map(({ value, label }) => ({
      address: withoutControls(value),
      type: withoutControls(label),
    })),
    phones: nonBlankValues(card.phones).map(({ value, label }) => ({
      number: withoutControls(value),
      type: withoutControls(label),
    })),
    organization: withoutControls(card.organization),
    title: withoutControls(card.title),
    notes: card.notes.replace(/\r\n?/g, '\n').replace(IN_NOTES, ' '),
  };
}

function nonBlankValues(values: Card['emails']): Card['emails'] {
  return values.filter(({ value }) => !isBlank(withoutControls(value)));
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

function withoutControls(text: string): string {
  return text.replace(IN_LINE, ' ');
}

/** A contact read from a card. */
export interface ImportedContact {
  /** "" when the card has none. */
  uid: string;
  fields: ContactFields;
}

/** The result of reading one card of a file; `index` counts from 0. */
export type ReadContact = ImportReport['skipped'][number] | ({ index: number } & ImportedContact);

/** The cards of a completely received file that waits for its transaction. */
export interface ReceivedCards extends Received {
  contacts: ImportedContact[];
  skipped: ImportReport['skipped'];
}

/** Maximum cards of one body: one transaction imports so many within some seconds. */
const MAX_CARDS = 100_000;

/** Streams the contacts of the cards of a file, and the reasons for cards that are skipped. */
export async function* readContacts(content: AsyncIterable<Uint8Array>): AsyncGenerator<ReadContact> {
  for await (const read of readCards(content)) yield contactOfCard(read);
}

/** Reads a file to its end. Rejects with ApiError payload_too_large when it has too many cards. */
export async function receiveCards(content: AsyncIterable<Uint8Array>): Promise<ReceivedCards> {
  const received: ReceivedCards = { contacts: [], skipped: [], discard: async () => undefined };
  for await (const read of readContacts(content)) {
    if (read.index >= MAX_CARDS) throw tooManyCards();
    if ('reason' in read) received.skipped.push(read);
    else received.contacts.push(read);
  }
  return received;
}

function tooManyCards(): ApiError {
  const message = `The body has over ${MAX_CARDS} cards; send them in parts.`;
  return new ApiError('payload_too_large', message, { max_cards: MAX_CARDS });
}

function contactOfCard(read: ReadCard): ReadContact {
  const { index } = read;
  if ('problem' in read) return { index, reason: read.problem };
  const { uid } = read.card;
  const fields = withoutEmpty(fieldsOfCard(read.card));
  const reason = rejectionReason(uid, fields);
  return reason === undefined ? { index, uid, fields } : { index, reason };
}

const IN_UID = new RegExp(`[${CONTROLS}]`);

const fieldsCheck = new SchemaCheck(ContactFields);

/** Why a card cannot become a contact, in one sentence; undefined when it can. */
function rejectionReason(uid: string, fields: ContactFields): string | undefined {
  if (namingProblems(fields).length > 0)
    return 'It has no name, organization, e-mail address or phone number.';
  if (uid.length > MAX_NAME) return `Its UID has more than ${MAX_NAME} characters.`;
  if (IN_UID.test(uid)) return 'Its UID has control characters.';
  const [first] = fieldsCheck.violations(fields);
  return first && `${first.pointer.slice(1)}: ${first.message}`;
}
