// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
import type { Content } from '../content.ts';
import type { Pages } from '../pages.ts';
import { path } from '../path.ts';
import type { Bytes, RequestOptions, Requests } from '../requests.ts';

export interface AddressBook {
  /** Used as address_book_id when listing or creating contacts. */
  id: string;
  /** 1 to 255 characters, not only blanks, no control characters. */
  name: string;
  /** Up to 1000 characters, no control characters but tabs and line breaks. */
  description: string;
  /** Contacts in the book, without those in the trash. */
  contact_count: number;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface CreateAddressBookBody {
  /** 1 to 255 characters, not only blanks, no control characters. */
  name: string;
  /** Up to 1000 characters, no control characters but tabs and line breaks. */
  description?: string;
}

/** The fields to replace, at least one. */
export interface UpdateAddressBookBody {
  /** 1 to 255 characters, not only blanks, no control characters. */
  name?: string;
  /** Up to 1000 characters, no control characters but tabs and line breaks. */
  description?: string;
}

export interface ContactImportReport {
  /** Cards that became contacts. */
  created: number;
  /** Cards whose UID a contact of the book had already. */
  updated: number;
  /** Cards that could not be taken. */
  skipped: {
    /** Which card of the body, from 0. */
    index: number;
    /** For people. */
    reason: string;
  }[];
}

export interface ListContactsQuery {
  /** Restrict to one address book. */
  address_book_id?: string;
  /** Only contacts whose name, given or family name or any e-mail address contains this, without regard to case. */
  q?: string;
  /** true lists the trash instead. Default false. */
  trashed?: boolean;
  /** 1 to 200, default 50; above 200 it is 200. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface ContactEmail {
  /** 1 to 320 characters, not only blanks, no control characters; kept as it is. */
  address: string;
  /** A free label; "" is none. Up to 255 characters, no control characters. */
  type?: string;
}

export interface ContactPhone {
  /** 1 to 255 characters, not only blanks, no control characters; kept as it is. */
  number: string;
  /** A free label; "" is none. Up to 255 characters, no control characters. */
  type?: string;
}

/** Empty fields are omitted. */
export interface Contact {
  /** Names the contact. */
  id: string;
  /** The book that holds it. */
  address_book_id: string;
  /** Display name. */
  name: string;
  /** Given name. Up to 255 characters, no control characters. */
  given_name?: string;
  /** Family name. Up to 255 characters, no control characters. */
  family_name?: string;
  /** In stored order; the first is the one to compose to. Up to 100. */
  emails?: ContactEmail[];
  /** In stored order. Up to 100. */
  phones?: ContactPhone[];
  /** Organization. Up to 255 characters, no control characters. */
  organization?: string;
  /** Job title, not a name prefix. Up to 255 characters, no control characters. */
  title?: string;
  /** Up to 50000 characters, no control characters but tabs and line breaks, which become "\n". */
  notes?: string;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

/** At least one of name, given_name, family_name, organization, emails and phones. A name that is absent or "" is made of the others. A line of blanks counts as "". */
export interface CreateContactBody {
  /** The book that holds it. */
  address_book_id: string;
  /** Display name. Up to 255 characters, no control characters. */
  name?: string;
  /** Given name. Up to 255 characters, no control characters. */
  given_name?: string;
  /** Family name. Up to 255 characters, no control characters. */
  family_name?: string;
  /** In stored order; the first is the one to compose to. Up to 100. */
  emails?: ContactEmail[];
  /** In stored order. Up to 100. */
  phones?: ContactPhone[];
  /** Organization. Up to 255 characters, no control characters. */
  organization?: string;
  /** Job title, not a name prefix. Up to 255 characters, no control characters. */
  title?: string;
  /** Up to 50000 characters, no control characters but tabs and line breaks, which become "\n". */
  notes?: string;
}

/** The fields to replace, at least one. "", a line of blanks or an empty list clears a field. */
export interface UpdateContactBody {
  /** The book that holds it. */
  address_book_id?: string;
  /** Display name. Up to 255 characters, no control characters. */
  name?: string;
  /** Given name. Up to 255 characters, no control characters. */
  given_name?: string;
  /** Family name. Up to 255 characters, no control characters. */
  family_name?: string;
  /** In stored order; the first is the one to compose to. Up to 100. */
  emails?: ContactEmail[];
  /** In stored order. Up to 100. */
  phones?: ContactPhone[];
  /** Organization. Up to 255 characters, no control characters. */
  organization?: string;
  /** Job title, not a name prefix. Up to 255 characters, no control characters. */
  title?: string;
  /** Up to 50000 characters, no control characters but tabs and line breaks, which become "\n". */
  notes?: string;
}

/** Contacts: one method for each operation. */
export class Contacts {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /**
   * List address books
   *
   * Every address book in one answer, in order of creation.
   *
   * Permission: `contacts.read`.
   */
  listAddressBooks(options: RequestOptions = {}): Promise<AddressBook[]> {
    return this.requests.data({ path: '/v1/address-books' }, options);
  }

  /**
   * Create an address book
   *
   * Permission: `contacts.write`.
   */
  createAddressBook(body: CreateAddressBookBody, options: RequestOptions = {}): Promise<AddressBook> {
    return this.requests.data({ method: 'POST', path: '/v1/address-books', body }, options);
  }

  /**
   * Change an address book
   *
   * Replaces the fields that are sent.
   *
   * Permission: `contacts.write`.
   */
  updateAddressBook(id: string, body: UpdateAddressBookBody, options: RequestOptions = {}): Promise<AddressBook> {
    return this.requests.data({ method: 'PUT', path: path`/v1/address-books/${id}`, body }, options);
  }

  /**
   * Import contacts
   *
   * Takes vCards (3.0, 4.0, and 2.1 as far as it is alike), up to 64 MiB and 100,000 cards in one body, all or none of them stored. A card whose UID the book has already replaces the fields of that contact, and takes it out of the trash. What a contact has no field for, such as photographs, is passed over. A card that cannot be read, describes a group, or does not fit the limits of the fields is skipped.
   *
   * Permission: `contacts.write`.
   */
  importContacts(id: string, content: Bytes, options: RequestOptions = {}): Promise<ContactImportReport> {
    return this.requests.data({ method: 'POST', path: path`/v1/address-books/${id}/import`, content, mediaType: 'text/vcard' }, options);
  }

  /**
   * Export contacts
   *
   * The contacts of the book, without those in the trash, as vCard 4.0. Imported elsewhere they are equal. A label that is no plain word stands beside its property as X-ABLabel.
   *
   * Permission: `contacts.read`.
   */
  exportContacts(id: string, options: RequestOptions = {}): Promise<Content> {
    return this.requests.content({ path: path`/v1/address-books/${id}/export` }, options);
  }

  /**
   * List contacts
   *
   * In order of name without regard to case, then of id. Filters combine by and; an unknown address book lists nothing. A page of very long contacts may end before its limit, with has_more true.
   *
   * Permission: `contacts.read`.
   */
  listContacts(query: ListContactsQuery = {}, options: RequestOptions = {}): Pages<Contact> {
    return this.requests.pages({ path: '/v1/contacts', query }, options);
  }

  /**
   * Create a contact
   *
   * Permission: `contacts.write`.
   */
  createContact(body: CreateContactBody, options: RequestOptions = {}): Promise<Contact> {
    return this.requests.data({ method: 'POST', path: '/v1/contacts', body }, options);
  }

  /**
   * Get a contact
   *
   * Also one in the trash.
   *
   * Permission: `contacts.read`.
   */
  getContact(id: string, options: RequestOptions = {}): Promise<Contact> {
    return this.requests.data({ path: path`/v1/contacts/${id}` }, options);
  }

  /**
   * Change a contact
   *
   * Replaces the fields that are sent; address_book_id moves the contact. A name that was made of other fields follows them. A contact in the trash stays there.
   *
   * Permission: `contacts.write`.
   */
  updateContact(id: string, body: UpdateContactBody, options: RequestOptions = {}): Promise<Contact> {
    return this.requests.data({ method: 'PUT', path: path`/v1/contacts/${id}`, body }, options);
  }

  /**
   * Move a contact to the trash
   *
   * A contact in the trash stays there. There is no permanent delete.
   *
   * Permission: `contacts.write`.
   */
  trashContact(id: string, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/contacts/${id}` }, options);
  }

  /**
   * Take a contact out of the trash
   *
   * A contact that is not in the trash stays as it is.
   *
   * Permission: `contacts.write`.
   */
  restoreContact(id: string, options: RequestOptions = {}): Promise<Contact> {
    return this.requests.data({ method: 'POST', path: path`/v1/contacts/${id}/restore` }, options);
  }
}
