import type { Generated } from 'kysely';

export interface MailFolders {
  /** The key by which messages refer to it. */
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

/** How many messages of a folder have exactly this flag set. */
export interface MailFolderCounts {
  workspace_id: string;
  user_id: string;
  folder_id: string;
  flags: number;
  messages: number;
}

export interface Messages {
  /** The key by which other rows refer to it; of messages of one date, the later has the higher number. */
  number: Generated<number>;
  workspace_id: string;
  user_id: string;
  id: string;
  /** Null for mail that arrived with threading off. */
  thread_id: string | null;
  /** The summary members that no change of folder, flags or labels affects, as ready JSON without braces. */
  summary: string;
}

/** The changeable columns of a message, and those that order listings. */
export interface MessageStates {
  number: number;
  workspace_id: string;
  folder_number: number;
  /** When the server received it. */
  date: number;
  /** The flag set, one bit per flag. */
  flags: number;
  /** JSON array, in the order in which they were added. */
  labels: string;
}

/** An expunged message as it was; its content stays in message_contents. It has no rows in message_labels. */
export interface ExpungedMessages extends Omit<Messages, 'number'>, MessageStates {
  /** Its original number. */
  number: number;
}

/** One row per label of a message, with the columns by which a listing by label filters and orders. */
export interface MessageLabels {
  workspace_id: string;
  user_id: string;
  label: string;
  message_number: number;
  folder_number: number;
  flags: number;
  date: number;
}

/** How many messages of a mailbox carry a label, and how many of them lack the read flag; a label of none has no row. */
export interface MailLabelCounts {
  workspace_id: string;
  user_id: string;
  label: string;
  messages: number;
  unread: number;
}

/** The content of a message, expunged or not. */
export interface MessageContents {
  /** The number of the message. */
  number: number;
  workspace_id: string;
  size: number;
  /** For a copy, the number of the message whose raw bytes and record it shares; else null. */
  content_of: number | null;
  /** The exact raw bytes; null if they are in the blob store, and for a copy. */
  raw: Uint8Array | null;
  blob_key: string | null;
  /** The members that the full record adds to the summary, as JSON; "" for a copy. */
  record: string;
  /** JSON of the filters that acted on arrival, as in the full record; null when none did. */
  applied_filters: string | null;
  /** JSON of the envelope of mail that came by SMTP, as in the full record; null for other mail. */
  received: string | null;
}

/** A message that an earlier version has stored, and whose summary is to be made anew from its bytes. */
export interface MailSummariesToMake {
  workspace_id: string;
  /** The number of the message. */
  number: number;
}

/** The decoded bytes of an attachment that was saved to the drive. */
export interface SavedAttachments {
  workspace_id: string;
  attachment_id: string;
  blob_key: string;
  /** Bytes. */
  size: number;
}

/** The thread of a Message-ID, of a stored message or only referred to. */
export interface ThreadLinks {
  workspace_id: string;
  user_id: string;
  /** A digest of the Message-ID. */
  link: string;
  thread_id: string;
}

/** How many copies of a message have been imported into a folder, even if moved or expunged since. */
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

/** The result of a delivery to a mailbox; retained for a while. */
export interface MailDeliveryLog {
  workspace_id: string;
  user_id: string;
  id: string;
  delivered_at: number;
  /** The sender of the envelope; "" for a bounce. */
  sender: string;
  /** The recipient of the envelope. */
  recipient: string;
  /** The Message-ID header of the message; "" when there is none. */
  message_id_header: string;
  outcome: 'delivered' | 'discarded';
  /** The id of the stored message; null where it was discarded. */
  message_id: string | null;
  /** JSON array of the filters that applied. */
  filter_ids: string;
}

/** A queued outgoing message; removed when no recipient waits for it any more. */
export interface MailOutbox {
  workspace_id: string;
  user_id: string;
  id: string;
  /** The copy in Sent, whose bytes are sent. */
  message_id: string;
  /** The Message-ID header. */
  message_id_header: string;
  /** The sender of the envelope. */
  sender: string;
  /** JSON array of the addresses not yet delivered. */
  recipients: string;
  /** How many attempts have begun; also identifies the current lease. */
  attempts: number;
  /** When the next attempt is due; during an attempt, when its lease expires. */
  next_attempt_at: number;
  queued_at: number;
}

/** What makes a message a draft; the row stays while the message is expunged, because it can be restored. */
export interface MailDrafts {
  workspace_id: string;
  message_number: number;
  /** JSON of the fields that it was composed of, as a write of the draft takes them. */
  fields: string;
  /** Changes with every write. */
  state: string;
  /** The request that sends it, or tried to; null where none did since the last write. */
  sent_by: string | null;
  /** Until when that request keeps others away; in the past where none does. */
  sent_until: number;
}
