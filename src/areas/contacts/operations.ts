import type { Operation } from '../../api/operation.ts';
import { bookOperations } from './book-operations.ts';
import { contactOperations } from './contact-operations.ts';
import type { ContactsService } from './service.ts';

/** Address books and contacts. */
export function contactsOperations(contacts: ContactsService): Operation[] {
  return [...bookOperations(contacts), ...contactOperations(contacts)];
}
