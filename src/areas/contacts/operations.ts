import { Type } from 'typebox';
import { type Operation, reads, receives, writes } from '../../contract/operation.ts';
import * as books from './books/books.ts';
import { emptiedNameProblems, emptyNameProblems } from './contacts/contact-row.ts';
import * as contacts from './contacts/contacts.ts';
import {
  AddressBook,
  AddressBookChanges,
  Contact,
  ContactChanges,
  ContactFilters,
  ImportReport,
  NewAddressBook,
  NewContact,
} from './schema.ts';
import { pageOfContacts } from './search/listing.ts';
import type { ContactsService } from './service.ts';
import { receiveCards } from './transfer/cards.ts';
import { exportBook } from './transfer/export-book.ts';
import { importCards } from './transfer/import-contacts.ts';

/** Address books and contacts. */
export function contactsOperations(service: ContactsService): Operation[] {
  return [...bookOperations(service), ...contactOperations(service)];
}

const area = 'Contacts';
const ByBook = Type.Object({
  id: Type.String({ description: 'The address book.', examples: ['abk_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
/** Most bytes of imports are photographs, which are skipped. */
const MAX_IMPORT_BYTES = 64 * 1024 * 1024;

function bookOperations(service: ContactsService): Operation[] {
  return [...ownBooks(), ...transfer(service)];
}

function ownBooks(): Operation[] {
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
      handle: (tx, { principal }) => books.listAddressBooks(tx, principal),
    }),
    writes({
      id: 'createAddressBook',
      area,
      method: 'POST',
      path: '/v1/address-books',
      summary: 'Create an address book',
      permissions: ['contacts.write'],
      emits: ['address_book.created'],
      body: NewAddressBook,
      status: 201,
      answer: AddressBook,
      handle: (tx, { principal, body }) => books.createBook(tx, principal, body),
    }),
    writes({
      id: 'updateAddressBook',
      area,
      method: 'PUT',
      path: '/v1/address-books/:id',
      summary: 'Change an address book',
      description: 'Replaces the fields that are sent.',
      permissions: ['contacts.write'],
      emits: ['address_book.changed'],
      params: ByBook,
      body: AddressBookChanges,
      answer: AddressBook,
      errors: ['not_found'],
      handle: (tx, { principal, params, body }) => books.updateBook(tx, principal, params.id, body),
    }),
  ];
}

function transfer(service: ContactsService): Operation[] {
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
      emits: ['contact.created', 'contact.changed', 'contact.restored'],
      params: ByBook,
      rawBody: { mediaType: 'text/vcard', maxSize: MAX_IMPORT_BYTES },
      answer: ImportReport,
      errors: ['not_found'],
      receive: (_input, content) => receiveCards(content),
      handle: (tx, { principal, params }, received) =>
        importCards(tx, principal, params.id, received, service.wakeIndexing),
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
      handle: (tx, { principal, params }) => exportBook(tx, service.database, principal, params.id),
    }),
  ];
}

const ByContact = Type.Object({
  id: Type.String({ description: 'The contact.', examples: ['con_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

function contactOperations(service: ContactsService): Operation[] {
  return [...readingContacts(service), ...writingContacts(service), ...trashingContacts(service)];
}

function readingContacts(service: ContactsService): Operation[] {
  return [
    reads({
      id: 'listContacts',
      area,
      method: 'GET',
      path: '/v1/contacts',
      summary: 'List contacts',
      agent: {
        tool: 'find_contacts',
        title: 'Find contacts',
        hint: 'Contacts by part of a name or address.',
        hasTextOfOthers: true,
      },
      description:
        'In order of name without regard to case, then of id. Filters combine by and; an unknown address book lists nothing. A page of very long contacts may end before its limit, with has_more true.',
      permissions: ['contacts.read'],
      query: ContactFilters,
      paging: { default: 50, cap: 200 },
      answer: Type.Array(Contact),
      handle: (tx, { principal, query, page }) =>
        pageOfContacts(
          tx,
          service.pages,
          principal,
          { bookId: query.address_book_id, q: query.q ?? '', trashed: query.trashed ?? false },
          page,
        ),
    }),
    reads({
      id: 'getContact',
      area,
      method: 'GET',
      path: '/v1/contacts/:id',
      summary: 'Get a contact',
      description: 'Also one in the trash.',
      permissions: ['contacts.read'],
      params: ByContact,
      answer: Contact,
      errors: ['not_found'],
      handle: (tx, { principal, params }) => contacts.getContact(tx, principal, params.id),
    }),
  ];
}

function writingContacts(service: ContactsService): Operation[] {
  return [
    writes({
      id: 'createContact',
      area,
      method: 'POST',
      path: '/v1/contacts',
      summary: 'Create a contact',
      agent: { tool: 'save_contact', title: 'Save a contact', hint: 'Without id, a new contact.' },
      permissions: ['contacts.write'],
      emits: ['contact.created'],
      body: NewContact,
      status: 201,
      answer: Contact,
      errors: ['not_found'],
      check: ({ body }) => emptyNameProblems(body),
      handle: (tx, { principal, body }) => contacts.createContact(tx, principal, body, service.wakeIndexing),
    }),
    writes({
      id: 'updateContact',
      area,
      method: 'PUT',
      path: '/v1/contacts/:id',
      summary: 'Change a contact',
      agent: {
        tool: 'save_contact',
        title: 'Save a contact',
        hint: 'With id, replaces the given fields.',
        isDestructive: true,
        hasTextOfOthers: true,
      },
      description:
        'Replaces the fields that are sent; address_book_id moves the contact. A name that was made of other fields ' +
        'follows them. A contact in the trash stays there.',
      permissions: ['contacts.write'],
      emits: ['contact.changed'],
      params: ByContact,
      body: ContactChanges,
      answer: Contact,
      errors: ['not_found'],
      check: ({ body }) => emptiedNameProblems(body),
      handle: (tx, { principal, params, body }) =>
        contacts.updateContact(tx, principal, params.id, body, service.wakeIndexing),
    }),
  ];
}

function trashingContacts(service: ContactsService): Operation[] {
  return [
    writes({
      id: 'trashContact',
      area,
      method: 'DELETE',
      path: '/v1/contacts/:id',
      summary: 'Move a contact to the trash',
      agent: { tool: 'trash_item', title: 'Move to the trash', isDestructive: true, ids: ['con'] },
      description: 'A contact in the trash stays there. There is no permanent delete.',
      permissions: ['contacts.write'],
      emits: ['contact.trashed'],
      params: ByContact,
      status: 204,
      errors: ['not_found'],
      handle: (tx, { principal, params }) =>
        contacts.trashContact(tx, principal, params.id, service.wakeIndexing),
    }),
    writes({
      id: 'restoreContact',
      area,
      method: 'POST',
      path: '/v1/contacts/:id/restore',
      summary: 'Take a contact out of the trash',
      agent: { tool: 'restore_item', title: 'Take out of the trash', ids: ['con'], hasTextOfOthers: true },
      description: 'A contact that is not in the trash stays as it is.',
      permissions: ['contacts.write'],
      emits: ['contact.restored'],
      params: ByContact,
      answer: Contact,
      errors: ['not_found'],
      handle: (tx, { principal, params }) =>
        contacts.restoreContact(tx, principal, params.id, service.wakeIndexing),
    }),
  ];
}
