import { Type } from 'typebox';
import { type Operation, reads, receives, writes } from '../../../contract/operation.ts';
import { AddressBook, AddressBookChanges, ImportReport, NewAddressBook } from '../schema.ts';
import type { ContactsService } from '../service.ts';

const area = 'Contacts';
const ByBook = Type.Object({
  id: Type.String({ description: 'The address book.', examples: ['abk_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
/** Photographs are most of what comes, and are passed over. */
const MAX_IMPORT_BYTES = 64 * 1024 * 1024;

export function bookOperations(contacts: ContactsService): Operation[] {
  return [...ownBooks(contacts), ...transfer(contacts)];
}

function ownBooks(contacts: ContactsService): Operation[] {
  return [
    reads({
      id: 'listAddressBooks',
      area,
      method: 'GET',
      path: '/v1/address-books',
      summary: 'List address books',
      description: 'Every address book in one answer, in order of creation.',
      permissions: ['contacts.read'],
      answer: Type.Array(AddressBook),
      handle: (tx, { principal }) => contacts.listBooks(tx, principal),
    }),
    writes({
      id: 'createAddressBook',
      area,
      method: 'POST',
      path: '/v1/address-books',
      summary: 'Create an address book',
      permissions: ['contacts.write'],
      body: NewAddressBook,
      status: 201,
      answer: AddressBook,
      handle: (tx, { principal, body }) => contacts.createBook(tx, principal, body),
    }),
    writes({
      id: 'updateAddressBook',
      area,
      method: 'PUT',
      path: '/v1/address-books/:id',
      summary: 'Change an address book',
      description: 'Replaces the fields that are sent.',
      permissions: ['contacts.write'],
      params: ByBook,
      body: AddressBookChanges,
      answer: AddressBook,
      errors: ['not_found'],
      handle: (tx, { principal, params, body }) => contacts.updateBook(tx, principal, params.id, body),
    }),
  ];
}

function transfer(contacts: ContactsService): Operation[] {
  return [
    receives({
      id: 'importContacts',
      area,
      method: 'POST',
      path: '/v1/address-books/:id/import',
      summary: 'Import contacts',
      description:
        'Takes vCards (3.0, 4.0, and 2.1 as far as it is alike), up to 64 MiB and 100,000 cards in one body, all or none ' +
        'of them stored. A card whose UID the book has already replaces the fields of that contact, and takes it out of ' +
        'the trash. What a contact has no field for, such as photographs, is passed over. A card that cannot be read, ' +
        'describes a group, or does not fit the limits of the fields is skipped.',
      permissions: ['contacts.write'],
      params: ByBook,
      rawBody: { mediaType: 'text/vcard', maxSize: MAX_IMPORT_BYTES },
      answer: ImportReport,
      errors: ['not_found'],
      receive: (_input, content) => contacts.receiveCards(content),
      handle: (tx, { principal, params }, received) =>
        contacts.importCards(tx, principal, params.id, received),
    }),
    reads({
      id: 'exportContacts',
      area,
      method: 'GET',
      path: '/v1/address-books/:id/export',
      summary: 'Export contacts',
      description:
        'The contacts of the book, without those in the trash, as vCard 4.0. Imported elsewhere they are equal. ' +
        'A label that is no plain word stands beside its property as X-ABLabel.',
      permissions: ['contacts.read'],
      params: ByBook,
      content: { mediaTypes: ['text/vcard'] },
      errors: ['not_found'],
      handle: (tx, { principal, params }) => contacts.exportBook(tx, principal, params.id),
    }),
  ];
}
