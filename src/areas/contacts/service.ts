import type { Content, JsonText, Page, PageRequest } from '../../contract/answers.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { IndexedObject } from '../../storage/full-text/full-text-index.ts';
import type { StoredKey } from '../../storage/query/stored-keys.ts';
import * as books from './books/books.ts';
import * as contacts from './contacts/contacts.ts';
import type { ContactsOwner } from './owner.ts';
import type {
  AddressBook,
  AddressBookChanges,
  ContactChanges,
  ImportReport,
  NewAddressBook,
  NewContact,
} from './schema.ts';
import { type ContactFilter, contactPages, pageOfContacts } from './search/listing.ts';
import {
  contactKeysAfter,
  type FoundContact,
  foundContacts,
  indexedContacts,
} from './search/searched-contacts.ts';
import {
  type ImportedContact,
  type ReadContact,
  type ReceivedCards,
  readContacts,
  receiveCards,
} from './transfer/cards.ts';
import { cardsOf, exportBook } from './transfer/export-book.ts';
import { type ImportCounts, importContacts } from './transfer/import-contacts.ts';

export type { ContactsOwner, FoundContact, ImportCounts, ImportedContact, ReadContact, ReceivedCards };

/** The rules of contacts. Every method acts on the contacts of one user, within the caller's transaction. */
export class ContactsService {
  readonly #database: Database;
  readonly #pages = contactPages();
  readonly #wakeIndexing: () => void;

  /**
   * `database`: an export reads from it while it is sent, after its transaction. `wakeIndexing` is called when contacts
   * were queued for indexing.
   */
  constructor(database: Database, wakeIndexing: () => void) {
    this.#database = database;
    this.#wakeIndexing = wakeIndexing;
  }

  /** Contacts of a workspace as the full-text index holds them. Unknown ones are left out. */
  indexedContacts(
    tx: ReadTransaction,
    workspaceId: string,
    ids: readonly string[],
  ): Promise<IndexedObject[]> {
    return indexedContacts(tx, workspaceId, ids);
  }

  /** The keys of contacts of all workspaces after one, for a build of the full-text index. */
  contactKeysAfter(tx: ReadTransaction, after: StoredKey, limit: number): Promise<StoredKey[]> {
    return contactKeysAfter(tx, after, limit);
  }

  /** Those of the contacts that the user has, with what a search asks of them. */
  foundContacts(tx: ReadTransaction, owner: ContactsOwner, ids: readonly string[]): Promise<FoundContact[]> {
    return foundContacts(tx, owner, ids);
  }

  /** Creates the address book that a new user starts with. */
  createFirstBook(tx: WriteTransaction, owner: ContactsOwner): Promise<void> {
    return books.createFirstBook(tx, owner);
  }

  /** In order of creation. */
  listBooks(tx: ReadTransaction, owner: ContactsOwner): Promise<AddressBook[]> {
    return books.listAddressBooks(tx, owner);
  }

  createBook(tx: WriteTransaction, owner: ContactsOwner, given: NewAddressBook): Promise<AddressBook> {
    return books.createBook(tx, owner, given);
  }

  /** Throws ApiError not_found. */
  updateBook(
    tx: WriteTransaction,
    owner: ContactsOwner,
    id: string,
    changes: AddressBookChanges,
  ): Promise<AddressBook> {
    return books.updateBook(tx, owner, id, changes);
  }

  /** In order of name. */
  listContacts(
    tx: ReadTransaction,
    owner: ContactsOwner,
    filter: ContactFilter,
    page: PageRequest,
  ): Promise<Page> {
    return pageOfContacts(tx, this.#pages, owner, filter, page);
  }

  /** Includes contacts in the trash. Throws ApiError not_found. */
  getContact(tx: ReadTransaction, owner: ContactsOwner, id: string): Promise<JsonText> {
    return contacts.getContact(tx, owner, id);
  }

  /** Throws ApiError not_found for the address book. */
  createContact(tx: WriteTransaction, owner: ContactsOwner, given: NewContact): Promise<JsonText> {
    return contacts.createContact(tx, owner, given, this.#wakeIndexing);
  }

  /** Throws ApiError not_found for the contact or the address book, and validation_failed when no field can name it. */
  updateContact(
    tx: WriteTransaction,
    owner: ContactsOwner,
    id: string,
    changes: ContactChanges,
  ): Promise<JsonText> {
    return contacts.updateContact(tx, owner, id, changes, this.#wakeIndexing);
  }

  /** Moves a contact to the trash. Throws ApiError not_found. */
  trashContact(tx: WriteTransaction, owner: ContactsOwner, id: string): Promise<void> {
    return contacts.trashContact(tx, owner, id, this.#wakeIndexing);
  }

  /** Restores a contact from the trash. Throws ApiError not_found. */
  restoreContact(tx: WriteTransaction, owner: ContactsOwner, id: string): Promise<JsonText> {
    return contacts.restoreContact(tx, owner, id, this.#wakeIndexing);
  }

  /** Reads the vCards of a body before the transaction that stores them. Rejects with ApiError payload_too_large. */
  receiveCards(content: AsyncIterable<Uint8Array>): Promise<ReceivedCards> {
    return receiveCards(content);
  }

  /** Streams the contacts of a file of any length, for an import in several transactions. */
  readContacts(content: AsyncIterable<Uint8Array>): AsyncGenerator<ReadContact> {
    return readContacts(content);
  }

  /** Imports contacts into a book; a known UID updates its contact. Throws ApiError not_found. */
  importContacts(
    tx: WriteTransaction,
    owner: ContactsOwner,
    bookId: string,
    imported: readonly ImportedContact[],
  ): Promise<ImportCounts> {
    return importContacts(tx, owner, bookId, imported, this.#wakeIndexing);
  }

  /** As `importContacts`, for a whole body. Throws ApiError not_found. */
  async importCards(
    tx: WriteTransaction,
    owner: ContactsOwner,
    bookId: string,
    received: ReceivedCards,
  ): Promise<ImportReport> {
    const counts = await importContacts(tx, owner, bookId, received.contacts, this.#wakeIndexing);
    return { ...counts, skipped: received.skipped };
  }

  /** The contacts of a book as vCard 4.0. Throws ApiError not_found. */
  exportBook(tx: ReadTransaction, owner: ContactsOwner, bookId: string): Promise<Content> {
    return exportBook(tx, this.#database, owner, bookId);
  }

  /** The vCards of a book in portions of some hundred, each read in its own transaction. */
  cardsOf(owner: ContactsOwner, bookId: string): AsyncGenerator<string> {
    return cardsOf(this.#database, owner, bookId);
  }
}
