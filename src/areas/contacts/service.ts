import type { Content, JsonText, Page, PageRequest } from '../../contract/answers.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
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
  type ImportedContact,
  type ReadContact,
  type ReceivedCards,
  readContacts,
  receiveCards,
} from './transfer/cards.ts';
import { cardsOf, exportBook } from './transfer/exporting.ts';
import { type ImportCounts, importContacts } from './transfer/importing.ts';

export type { ContactsOwner, ImportCounts, ImportedContact, ReadContact, ReceivedCards };

/** The rules of contacts. Every method acts on what one user has, within the caller's transaction. */
export class ContactsService {
  readonly #database: Database;
  readonly #pages = contactPages();
  readonly #wakeIndexing: () => void;

  /**
   * `database`: what an export reads from while it is sent, when its transaction has ended. `wakeIndexing` is called when
   * the search index is to follow what was written.
   */
  constructor(database: Database, wakeIndexing: () => void) {
    this.#database = database;
    this.#wakeIndexing = wakeIndexing;
  }

  /** Makes the address book that a new user starts with. */
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

  /** Also one in the trash. Throws ApiError not_found. */
  getContact(tx: ReadTransaction, owner: ContactsOwner, id: string): Promise<JsonText> {
    return contacts.getContact(tx, owner, id);
  }

  /** Throws ApiError not_found for the address book. */
  createContact(tx: WriteTransaction, owner: ContactsOwner, given: NewContact): Promise<JsonText> {
    return contacts.createContact(tx, owner, given, this.#wakeIndexing);
  }

  /** Throws ApiError not_found for the contact or the address book, and validation_failed when nothing names it. */
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

  /** Takes a contact out of the trash. Throws ApiError not_found. */
  restoreContact(tx: WriteTransaction, owner: ContactsOwner, id: string): Promise<JsonText> {
    return contacts.restoreContact(tx, owner, id, this.#wakeIndexing);
  }

  /** Reads the vCards of a body, before the transaction that keeps them. Rejects with ApiError payload_too_large. */
  receiveCards(content: AsyncIterable<Uint8Array>): Promise<ReceivedCards> {
    return receiveCards(content);
  }

  /** The contacts of a file of any length as they are read, for an import in several transactions. */
  readContacts(content: AsyncIterable<Uint8Array>): AsyncGenerator<ReadContact> {
    return readContacts(content);
  }

  /** Takes what vCards describe into a book; the same UID updates. Throws ApiError not_found. */
  importContacts(
    tx: WriteTransaction,
    owner: ContactsOwner,
    bookId: string,
    imported: readonly ImportedContact[],
  ): Promise<ImportCounts> {
    return importContacts(tx, owner, bookId, imported, this.#wakeIndexing);
  }

  /** As `importContacts`, of a whole body. Throws ApiError not_found. */
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

  /** The vCards of a book, some hundred at a time, each time in a transaction of its own. */
  cardsOf(owner: ContactsOwner, bookId: string): AsyncGenerator<string> {
    return cardsOf(this.#database, owner, bookId);
  }
}
