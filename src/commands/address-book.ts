import { Option } from 'commander';
import { ApiError } from '../api/errors.ts';
import type { ContactsOwner, ContactsService } from '../areas/contacts/service.ts';
import type { ReadTransaction } from '../storage/database.ts';

/** Which address book of the user a command is about. */
export function bookOption(): Option {
  return new Option('--book <id or name>', 'the address book (default: the first)');
}

/** The address book of an id or name; the first when none is named. Throws ApiError not_found. */
export async function bookNamed(
  tx: ReadTransaction,
  contacts: ContactsService,
  owner: ContactsOwner,
  wanted: string | undefined,
) {
  const books = await contacts.listBooks(tx, owner);
  const found = books.find(({ id, name }) => wanted === undefined || id === wanted || name === wanted);
  if (found) return found;
  const message = `There is no address book ${wanted ?? ''}.`;
  throw new ApiError('not_found', message, { resource: 'address_book', id: wanted ?? '' });
}
