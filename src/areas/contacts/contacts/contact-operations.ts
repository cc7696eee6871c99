import { Type } from 'typebox';
import { type Operation, reads, writes } from '../../../contract/operation.ts';
import { Contact, ContactChanges, ContactFilters, NewContact } from '../schema.ts';
import type { ContactsService } from '../service.ts';
import { emptiedNameProblems, emptyNameProblems } from './fields.ts';

const area = 'Contacts';
const ByContact = Type.Object({
  id: Type.String({ description: 'The contact.', examples: ['con_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

export function contactOperations(contacts: ContactsService): Operation[] {
  return [...readingContacts(contacts), ...writingContacts(contacts), ...trashingContacts(contacts)];
}

function readingContacts(contacts: ContactsService): Operation[] {
  return [
    reads({
      id: 'listContacts',
      area,
      method: 'GET',
      path: '/v1/contacts',
      summary: 'List contacts',
      description:
        'In order of name without regard to case, then of id. Filters combine by and; an unknown address book lists nothing. A page of very long contacts may end before its limit, with has_more true.',
      permissions: ['contacts.read'],
      query: ContactFilters,
      paging: { default: 50, cap: 200 },
      answer: Type.Array(Contact),
      handle: (tx, { principal, query, page }) =>
        contacts.listContacts(
          tx,
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

function writingContacts(contacts: ContactsService): Operation[] {
  return [
    writes({
      id: 'createContact',
      area,
      method: 'POST',
      path: '/v1/contacts',
      summary: 'Create a contact',
      permissions: ['contacts.write'],
      body: NewContact,
      status: 201,
      answer: Contact,
      errors: ['not_found'],
      check: ({ body }) => emptyNameProblems(body),
      handle: (tx, { principal, body }) => contacts.createContact(tx, principal, body),
    }),
    writes({
      id: 'updateContact',
      area,
      method: 'PUT',
      path: '/v1/contacts/:id',
      summary: 'Change a contact',
      description:
        'Replaces the fields that are sent; address_book_id moves the contact. A name that was made of other fields ' +
        'follows them. A contact in the trash stays there.',
      permissions: ['contacts.write'],
      params: ByContact,
      body: ContactChanges,
      answer: Contact,
      errors: ['not_found'],
      check: ({ body }) => emptiedNameProblems(body),
      handle: (tx, { principal, params, body }) => contacts.updateContact(tx, principal, params.id, body),
    }),
  ];
}

function trashingContacts(contacts: ContactsService): Operation[] {
  return [
    writes({
      id: 'trashContact',
      area,
      method: 'DELETE',
      path: '/v1/contacts/:id',
      summary: 'Move a contact to the trash',
      description: 'A contact in the trash stays there. There is no permanent delete.',
      permissions: ['contacts.write'],
      params: ByContact,
      status: 204,
      errors: ['not_found'],
      handle: (tx, { principal, params }) => contacts.trashContact(tx, principal, params.id),
    }),
    writes({
      id: 'restoreContact',
      area,
      method: 'POST',
      path: '/v1/contacts/:id/restore',
      summary: 'Take a contact out of the trash',
      description: 'A contact that is not in the trash stays as it is.',
      permissions: ['contacts.write'],
      params: ByContact,
      answer: Contact,
      errors: ['not_found'],
      handle: (tx, { principal, params }) => contacts.restoreContact(tx, principal, params.id),
    }),
  ];
}
