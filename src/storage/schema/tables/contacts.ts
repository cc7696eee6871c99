import type { Generated } from 'kysely';

export interface AddressBooks {
  workspace_id: string;
  user_id: string;
  id: string;
  name: string;
  description: string;
  /** Without contacts in the trash. */
  contact_count: number;
  /** A new value after each change of its contacts. */
  revision: string;
  created_at: number;
  updated_at: number;
}

export interface Contacts {
  /** The key by which grams refer to it. */
  number: Generated<number>;
  workspace_id: string;
  user_id: string;
  id: string;
  address_book_id: string;
  /** The UID of its vCard; unique in an address book. */
  uid: string;
  trashed: number;
  /** Whether the name was given; else it is derived from other fields. */
  is_named: number;
  /** The sort key of every listing: the folded name and the id. */
  place: string;
  /** The searched texts, case folded, one per line. */
  search_text: string;
  /** The contact as the API shows it, JSON. */
  record: string;
}

/** The contacts of a book that contain a gram (a fragment of up to three characters), in order of name. */
export interface ContactGrams {
  workspace_id: string;
  address_book_id: string;
  trashed: number;
  gram: string;
  place: string;
  /** The number of the contact with this sort key. */
  number: number;
}

/**
 * The queue of contacts to index. For every contact that is not queued, the grams of its partition are exactly those of
 * its search text.
 */
export interface ContactsToIndex {
  workspace_id: string;
  user_id: string;
  address_book_id: string;
  trashed: number;
  number: number;
  /** The sort key of its present grams in this partition; null when it has none. */
  place: string | null;
  /** The text of its present grams in this partition; null when it has none. */
  search_text: string | null;
}
