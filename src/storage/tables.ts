import type { GeneratedAlways } from 'kysely';

/**
 * Every table of the database, as migrations/ makes them. Each area's store is the only reader and writer of its own.
 * Every table of a workspace carries workspace_id first, so that it can be distributed by it.
 * Times are milliseconds since the epoch; truths are 0 and 1.
 */
export interface Tables {
  server_secrets: ServerSecrets;
  idempotency_records: IdempotencyRecords;
  workspaces: Workspaces;
  users: Users;
  user_addresses: UserAddresses;
  groups: Groups;
  group_members: GroupMembers;
  resources: Resources;
  api_keys: ApiKeys;
  pending_blobs: PendingBlobs;
  mail_folders: MailFolders;
  mail_folder_counts: MailFolderCounts;
  messages: Messages;
  expunged_messages: ExpungedMessages;
  message_labels: MessageLabels;
  label_combinations: LabelCombinations;
  message_combinations: MessageCombinations;
  message_contents: MessageContents;
  thread_links: ThreadLinks;
  mail_imports: MailImports;
  address_books: AddressBooks;
  contacts: Contacts;
  contact_grams: ContactGrams;
  calendars: Calendars;
  calendar_events: CalendarEvents;
  calendar_spans: CalendarSpans;
  calendar_versions: CalendarVersions;
  mail_filters: MailFilters;
  mail_delivery_log: MailDeliveryLog;
  mail_outbox: MailOutbox;
}

/** Keys that all nodes share, made at the first start. */
export interface ServerSecrets {
  name: string;
  value: Uint8Array;
}

export interface IdempotencyRecords {
  workspace_id: string;
  key_id: string;
  idempotency_key: string;
  fingerprint: string;
  status: number;
  body: string;
  expires_at: number;
}

export interface Workspaces {
  id: string;
  name: string;
  created_at: number;
}

export interface Users {
  workspace_id: string;
  id: string;
  name: string;
  /** As given; its folded form is in user_addresses. */
  email: string;
  /** JSON array of addresses, as given. */
  aliases: string;
  is_owner: number;
  state: 'active' | 'suspended';
  share_availability: number;
  time_zone: string;
  /** Name, email and aliases, case folded, for searching. */
  search_text: string;
  created_at: number;
  updated_at: number;
}

/** One address belongs to one user of all workspaces: mail for it goes to one mailbox. */
export interface UserAddresses {
  /** Case folded. */
  address: string;
  workspace_id: string;
  user_id: string;
}

export interface Groups {
  workspace_id: string;
  id: string;
  name: string;
  created_at: number;
  updated_at: number;
}

export interface GroupMembers {
  workspace_id: string;
  group_id: string;
  user_id: string;
  /** Place in the list as it was given. */
  position: number;
}

export interface Resources {
  workspace_id: string;
  id: string;
  name: string;
  kind: 'room' | 'equipment';
  capacity: number | null;
  created_at: number;
  updated_at: number;
}

export interface ApiKeys {
  workspace_id: string;
  id: string;
  user_id: string;
  name: string;
  /** SHA-256 of the key, lower-case hex. */
  secret_hash: string;
  /** JSON array. */
  permissions: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

/** Blobs on their way in: one that no transaction has taken over after a while is removed. */
export interface PendingBlobs {
  blob_key: string;
  created_at: number;
}

export interface MailFolders {
  workspace_id: string;
  user_id: string;
  id: string;
  name: string;
  /** "" at the root. */
  parent_id: string;
  role: string | null;
  created_at: number;
}

/** How many messages of a folder carry exactly this set of flags. */
export interface MailFolderCounts {
  workspace_id: string;
  user_id: string;
  folder_id: string;
  flags: number;
  messages: number;
}

export interface Messages {
  workspace_id: string;
  user_id: string;
  id: string;
  folder_id: string;
  /** Null on mail that came with threading off. */
  thread_id: string | null;
  /** When the server received it. */
  date: number;
  /** The set of flags, one bit each. */
  flags: number;
  /** JSON array, in the order in which they were added. */
  labels: string;
  /** The members of the summary that never change, as ready JSON without braces. */
  summary: string;
  /** The whole summary as ready JSON: the database makes it of the other columns, whoever changes them. */
  item: GeneratedAlways<string>;
}

/** A message that was expunged, as it was; its content stays where it is. Labels have no rows of their own. */
export type ExpungedMessages = Messages;

/** One row a label of a message, with what a listing by label filters and orders by. */
export interface MessageLabels {
  workspace_id: string;
  user_id: string;
  label: string;
  message_id: string;
  folder_id: string;
  flags: number;
  date: number;
}

/** Which combinations of several labels, as messages carry or carried them, a label is part of. */
export interface LabelCombinations {
  workspace_id: string;
  user_id: string;
  label: string;
  /** A digest of the labels. */
  combination: string;
}

/** One row a message with several labels, with what a listing by several labels filters and orders by. */
export interface MessageCombinations {
  workspace_id: string;
  user_id: string;
  message_id: string;
  combination: string;
  folder_id: string;
  flags: number;
  date: number;
}

export interface MessageContents {
  workspace_id: string;
  user_id: string;
  message_id: string;
  size: number;
  /** The raw message, exactly; null where it is in the blob store. */
  raw: Uint8Array | null;
  blob_key: string | null;
  /** The members that the full record adds to the summary, as JSON. */
  record: string;
  /** The filters that acted when it arrived, as the full record shows them, as JSON; null when none did. */
  applied_filters: string | null;
}

/** Which thread a Message-ID, seen or only named, belongs to. */
export interface ThreadLinks {
  workspace_id: string;
  user_id: string;
  /** A digest of the Message-ID. */
  link: string;
  thread_id: string;
}

/** How many copies of a message have been imported into a folder, wherever they are now. */
export interface MailImports {
  workspace_id: string;
  user_id: string;
  folder_id: string;
  /** SHA-256 of the raw message, base64url. */
  digest: string;
  copies: number;
}

export interface MailFilters {
  workspace_id: string;
  user_id: string;
  id: string;
  name: string;
  priority: number;
  enabled: number;
  /** JSON. */
  rule: string;
  created_at: number;
  updated_at: number;
}

/** What became of a message that was delivered to a mailbox; kept for a while. */
export interface MailDeliveryLog {
  workspace_id: string;
  user_id: string;
  id: string;
  delivered_at: number;
  /** The sender of the envelope; "" for a bounce. */
  sender: string;
  /** The address of the envelope by which the mailbox was reached. */
  recipient: string;
  /** The Message-ID that the message carries; "" when there is none. */
  message_id_header: string;
  outcome: 'delivered' | 'discarded';
  /** The id of the stored message; null where it was discarded. */
  message_id: string | null;
  /** JSON array of the filters that applied. */
  filter_ids: string;
}

/** A message on its way out; the row ends when nobody waits for it any more. */
export interface MailOutbox {
  workspace_id: string;
  user_id: string;
  id: string;
  /** The copy in Sent, whose bytes leave. */
  message_id: string;
  /** The Message-ID that it carries. */
  message_id_header: string;
  /** The address of the envelope. */
  sender: string;
  /** JSON array of the addresses that still wait for it. */
  recipients: string;
  /** How many attempts have begun; also tells whose the lease is. */
  attempts: number;
  /** When the next attempt is due; while one is under way, when its lease ends. */
  next_attempt_at: number;
  queued_at: number;
}

export interface AddressBooks {
  workspace_id: string;
  user_id: string;
  id: string;
  name: string;
  description: string;
  /** Of those that are not in the trash. */
  contact_count: number;
  created_at: number;
  updated_at: number;
}

export interface Contacts {
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
}

export interface Calendars {
  workspace_id: string;
  user_id: string;
  id: string;
  name: string;
  /** #rgb or #rrggbb. */
  color: string;
  time_zone: string;
  created_at: number;
  updated_at: number;
}

/** An event with all of its instances; never what it is about. */
export interface CalendarEvents {
  workspace_id: string;
  user_id: string;
  id: string;
  calendar_id: string;
  /** The UID of an import, else its own id: one of each in a calendar. */
  uid: string;
  /** That of the calendar, in which floating times and dates are read. */
  time_zone: string;
  /** JSON: when it is, who is listed, what blocks. */
  definition: string;
  /** JSON array of resource ids. */
  resources: string;
  created_at: number;
  updated_at: number;
}

/** From the beginning to the end of all instances of an event, for each whom it concerns. */
export interface CalendarSpans {
  workspace_id: string;
  /** The id of a user, resource or calendar, or an address (case folded) that the event lists. */
  holder: string;
  /** The span is at most 4 to this power of days. */
  span_class: number;
  starts_at: number;
  event_id: string;
  ends_at: number;
}

/** Another value after each change of what keeps somebody or something busy. */
export interface CalendarVersions {
  workspace_id: string;
  holder: string;
  version: string;
}
