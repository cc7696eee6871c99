import type { Operation } from '../../contract/operation.ts';
import { bookOperations } from './books/book-operations.ts';
import { contactOperations } from './contacts/contact-operations.ts';
import type { ContactsService } from './service.ts';

/** Address books and contacts. */
export function contactsOperations(contacts: ContactsService): Operation[] {
  return [...bookOperations(contacts), ...contactOperations(contacts)];
}
