import type { Generated } from 'kysely';

export interface AddressBooks {
  workspace_id: string;
  user_id: string;
  id: string;
  name: string;
  description: string;
  /** Of those that are not in the trash. */
  contact_count: number;
  /** Another value after each change of its contacts. */
  revision: string;
  created_at: number;
  updated_at: number;
}

export interface Contacts {
  /** By which its grams name it. */
  number: Generated<number>;
  workspace_id: string;
  user_id: string;
  id: string;
  address_book_id: string;
  /** The UID of its vCard, of which an address book has each once. */
  uid: string;
  trashed: number;
  /** Whether the name was given; else it is made of the other fields. */
  is_named: number;
  /** Its place in the order of every listing: the folded name and the id. */
  place: string;
  /** What a search looks at, case folded, one text a line. */
  search_text: string;
  /** The contact as the API answers it, JSON. */
  record: string;
}

/** Where a fragment of up to three characters occurs: the contacts of a book in order of name. */
export interface ContactGrams {
  workspace_id: string;
  address_book_id: string;
  trashed: number;
  gram: string;
  place: string;
  /** Of the contact that is at the place. */
  number: number;
}

/**
 * Contacts whose grams are still to be brought up to date. What is not here, the grams of its book are right of: those of
 * what is there, and no others.
 */
export interface ContactsToIndex {
  workspace_id: string;
  user_id: string;
  address_book_id: string;
  trashed: number;
  number: number;
  /** The place that its grams here name; null where it has none here. */
  place: string | null;
  /** The text of which they are the grams; null where there are none. */
  search_text: string | null;
}
