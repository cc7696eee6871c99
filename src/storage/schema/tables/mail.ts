import type { Generated } from 'kysely';

export interface MailFolders {
  /** By which messages name it. */
  number: Generated<number>;
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
  /** By which other rows name it; of messages of one date the later has the higher. */
  number: Generated<number>;
  workspace_id: string;
  user_id: string;
  id: string;
  /** Null on mail that came with threading off. */
  thread_id: string | null;
  /** The members of the summary that no change of folder, flags or labels changes, as ready JSON without braces. */
  summary: string;
}

/** What of a message changes, with what listings order by. */
export interface MessageStates {
  number: number;
  workspace_id: string;
  folder_number: number;
  /** When the server received it. */
  date: number;
  /** The set of flags, one bit each. */
  flags: number;
  /** JSON array, in the order in which they were added. */
  labels: string;
}

/** A message that was expunged, as it was; its content stays where it is. Labels have no rows of their own. */
export interface ExpungedMessages extends Omit<Messages, 'number'>, MessageStates {
  /** The one that it had. */
  number: number;
}

/** One row a label of a message, with what a listing by label filters and orders by. */
export interface MessageLabels {
  workspace_id: string;
  user_id: string;
  label: string;
  message_number: number;
  folder_number: number;
  flags: number;
  date: number;
}

/** What a message holds, expunged or not. */
export interface MessageContents {
  /** That of the message. */
  number: number;
  workspace_id: string;
  size: number;
  /** The message whose raw message and record this one shares, a copy of it; null where it has its own. */
  content_of: number | null;
  /** The raw message, exactly; null where it is in the blob store, and of a copy. */
  raw: Uint8Array | null;
  blob_key: string | null;
  /** The members that the full record adds to the summary, as JSON; "" of a copy. */
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
