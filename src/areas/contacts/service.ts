import type { JsonText } from '../../contract/answers.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { IndexedObject } from '../../storage/full-text/full-text-index.ts';
import type { StoredKey } from '../../storage/query/stored-keys.ts';
import * as books from './books/books.ts';
import * as contacts from './contacts/contacts.ts';
import type { ContactsOwner } from './owner.ts';
import type { AddressBook, NewContact } from './schema.ts';
import { contactPages } from './search/listing.ts';
import {
  contactKeysAfter,
  type FoundContact,
  foundContacts,
  indexedContacts,
} from './search/searched-contacts.ts';
import { type ImportedContact, type ReadContact, readContacts } from './transfer/cards.ts';
import { cardsOf } from './transfer/export-book.ts';
import { type ImportCounts, importContacts } from './transfer/import-contacts.ts';

export type { ContactsOwner, FoundContact, ImportedContact };

/** What others ask of contacts, and what the use cases of the area work with. */
export class ContactsService {
  /** An export reads from it while it is sent, after its transaction. */
  readonly database: Database;
  /** Called when contacts were queued for indexing. */
  readonly wakeIndexing: () => void;
  readonly pages = contactPages();

  constructor(database: Database, wakeIndexing: () => void) {
    this.database = database;
    this.wakeIndexing = wakeIndexing;
  }

  indexedContacts(
    tx: ReadTransaction,
    workspaceId: string,
    ids: readonly string[],
  ): Promise<IndexedObject[]> {
    return indexedContacts(tx, workspaceId, ids);
  }

  contactKeysAfter(tx: ReadTransaction, after: StoredKey, limit: number): Promise<StoredKey[]> {
    return contactKeysAfter(tx, after, limit);
  }

  foundContacts(tx: ReadTransaction, owner: ContactsOwner, ids: readonly string[]): Promise<FoundContact[]> {
    return foundContacts(tx, owner, ids);
  }

  createFirstBook(tx: WriteTransaction, owner: ContactsOwner): Promise<void> {
    return books.createFirstBook(tx, owner);
  }

  listBooks(tx: ReadTransaction, owner: ContactsOwner): Promise<AddressBook[]> {
    return books.listAddressBooks(tx, owner);
  }

  createContact(tx: WriteTransaction, owner: ContactsOwner, given: NewContact): Promise<JsonText> {
    return contacts.createContact(tx, owner, given, this.wakeIndexing);
  }

  readContacts(content: AsyncIterable<Uint8Array>): AsyncGenerator<ReadContact> {
    return readContacts(content);
  }

  importContacts(
    tx: WriteTransaction,
    owner: ContactsOwner,
    bookId: string,
    imported: readonly ImportedContact[],
  ): Promise<ImportCounts> {
    return importContacts(tx, owner, bookId, imported, this.wakeIndexing);
  }

  cardsOf(owner: ContactsOwner, bookId: string): AsyncGenerator<string> {
    return cardsOf(this.database, owner, bookId);
  }
}
