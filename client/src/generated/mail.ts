// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
import type { Content } from '../content.ts';
import type { Pages } from '../pages.ts';
import { path } from '../path.ts';
import type { Bytes, RequestOptions, Requests } from '../requests.ts';

export interface MailFolder {
  /** Names the folder. */
  id: string;
  /** Once in each parent. */
  name: string;
  /** The folder that it is in; "" at the root. */
  parent_id: string;
  /** What the folder is for, where each mailbox has one; null for folders of the user. */
  role: 'inbox' | 'drafts' | 'sent' | 'archive' | 'junk' | 'trash' | null;
  /** How many messages it holds. */
  message_count: number;
  /** How many of them lack the read flag. */
  unread_count: number;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
}

export interface CreateMailFolderBody {
  /** 1 to 255 characters, not only blanks, no "/" and no control characters; once in each parent. */
  name: string;
  /** The folder that it is in, by its id or its role; "" for the root. */
  parent_id?: string;
}

/** The fields to replace, at least one. */
export interface UpdateMailFolderBody {
  /** 1 to 255 characters, not only blanks, no "/" and no control characters; once in each parent. */
  name?: string;
  /** The folder that it is in, by its id or its role; "" for the root. */
  parent_id?: string;
}

export interface ListMessagesQuery {
  /** Only messages in this folder, by its id or its role. Repeated: in any of them. */
  folder_id?: string | string[];
  /** Only messages carrying this flag. Repeated: all of them. */
  flag?: 'read' | 'starred' | 'answered' | 'draft' | 'deleted' | ('read' | 'starred' | 'answered' | 'draft' | 'deleted')[];
  /** Only messages carrying this label. Repeated: all of them. */
  label?: string | string[];
  /** When true, only messages without the read flag. */
  unread?: boolean;
  /** RFC 3339: only messages received before this time. */
  before?: string;
  /** RFC 3339: only messages received at this time or later. */
  after?: string;
  /** Only messages of this conversation. */
  thread_id?: string;
  /** What each summary has as well: preview (how its text begins) or recipients (to, cc and more_recipients). Repeated: both. */
  include?: 'preview' | 'recipients' | ('preview' | 'recipients')[];
  /** 1 to 200, default 50; above 200 it is 200. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

/** What is true of the message. */
export interface MessageFlags {
  /** The Seen flag. False means unread. */
  read: boolean;
  /** One star, not a colour. */
  starred: boolean;
  /** Set automatically when the message is replied to through this API. */
  answered: boolean;
  /** Draft message. */
  draft: boolean;
  /** Marked for removal but present until the folder is expunged. */
  deleted: boolean;
}

export interface ListedMessage {
  /** Use wherever an endpoint takes a message id. */
  id: string;
  /** The folder that holds the message now. */
  folder_id: string;
  /** Groups a conversation. Absent on mail that predates threading. */
  thread_id?: string;
  /** Decoded; "" when there is none. */
  subject: string;
  /** The sender as written on the message, in the form Name <address>. A name that needs it is quoted, as RFC 5322 does. */
  from: string;
  /** When the server received the message. RFC 3339, UTC, with milliseconds. */
  date: string;
  /** Bytes of the whole message, including attachments. */
  size: number;
  /** What is true of the message. */
  flags: MessageFlags;
  /** User-defined labels, in the order in which they were added. */
  labels: string[];
  /** The RFC 5322 Message-Id header; "" when there is none. */
  message_id: string;
  /** When it was sent, by its Date header, which its sender wrote; null when there is none that can be read. */
  sent_at: string | null;
  /** Whether the full record lists attachments. */
  has_attachments: boolean;
  /** Only with include=preview: how its text begins, on one line, at most 200 characters. */
  preview?: string;
  /** Only with include=recipients: the first 20 of To, in the form of from. */
  to?: string[];
  /** Only with include=recipients: the first 20 of Cc, in the form of from. */
  cc?: string[];
  /** Only with include=recipients: how many of To and Cc the message names beside those. */
  more_recipients?: number;
}

export interface SendMessageBody {
  /** Whom it is for. May be empty where cc or bcc is not. At most 1000 recipients in to, cc and bcc together. */
  to: string[];
  /** Who gets a copy. */
  cc?: string[];
  /** Who gets a copy that nobody else hears of. */
  bcc?: string[];
  /** At most 998 characters on one line. Left out of a reply, it is "Re: " and the subject that is replied to. */
  subject?: string;
  /** The plain text. */
  text?: string;
  /** The HTML, as it is; with text beside it, readers choose. Without either, the text is empty. */
  html?: string;
  /** At most 100 files to attach, in this order. */
  file_ids?: string[];
  /** The message of the caller that this one answers; it gets the flag answered. Answer whom its reply_to names, or else its from. */
  reply_to_message_id?: string;
}

export interface MessageSummary {
  /** Use wherever an endpoint takes a message id. */
  id: string;
  /** The folder that holds the message now. */
  folder_id: string;
  /** Groups a conversation. Absent on mail that predates threading. */
  thread_id?: string;
  /** Decoded; "" when there is none. */
  subject: string;
  /** The sender as written on the message, in the form Name <address>. A name that needs it is quoted, as RFC 5322 does. */
  from: string;
  /** When the server received the message. RFC 3339, UTC, with milliseconds. */
  date: string;
  /** Bytes of the whole message, including attachments. */
  size: number;
  /** What is true of the message. */
  flags: MessageFlags;
  /** User-defined labels, in the order in which they were added. */
  labels: string[];
  /** The RFC 5322 Message-Id header; "" when there is none. */
  message_id: string;
  /** When it was sent, by its Date header, which its sender wrote; null when there is none that can be read. */
  sent_at: string | null;
  /** Whether the full record lists attachments. */
  has_attachments: boolean;
}

export interface Mailbox {
  /** "" when there is none. */
  name: string;
  /** As written; "" when the header has only a name. */
  address: string;
}

/** The people of the message, names and addresses apart: nothing has to be parsed. */
export interface MessageAddresses {
  /** Of the header From. */
  from: Mailbox[];
  /** Of the header Sender. */
  sender: Mailbox[];
  /** Of the header To. */
  to: Mailbox[];
  /** Of the header Cc. */
  cc: Mailbox[];
  /** Of the header Bcc; for mail that was sent here, its blind recipients. */
  bcc: Mailbox[];
  /** Of the header Reply-To. */
  reply_to: Mailbox[];
}

export interface MessageHeader {
  /** As the message has it. */
  name: string;
  /** Decoded, on one line. */
  value: string;
}

/** How mail came by SMTP; absent for other mail, and for mail that came before this was noted. */
export interface ReceivedBySmtp {
  /** The address of MAIL FROM; "" for a bounce. */
  envelope_from: string;
  /** The IP address of the client that sent it. */
  remote: string;
}

export interface NestedAttachment {
  /** Goes in the path that fetches the bytes. */
  id: string;
  /** As the sender named it, without a path; made up where it has no name. */
  filename: string;
  /** Told from its bytes. */
  mime_type: string;
  /** As the sender declared it, which may be wrong. */
  declared_type: string;
  /** Bytes, decoded. */
  size: number;
  /** Of a message within: what is attached to it, of the same form. */
  attachments?: unknown[];
}

export interface Attachment {
  /** Goes in the path that fetches the bytes. */
  id: string;
  /** As the sender named it, without a path; made up where it has no name. */
  filename: string;
  /** Told from its bytes. */
  mime_type: string;
  /** As the sender declared it, which may be wrong. */
  declared_type: string;
  /** Bytes, decoded. */
  size: number;
  /** Of an attached message: what is attached to it, each with an id of its own; to a depth of 10. */
  attachments?: NestedAttachment[];
}

export interface AppliedFilter {
  /** The filter. */
  filter_id: string;
  /** The name that the filter had when the message arrived. */
  name: string;
  /** What the filter did, in order; what a later filter did may have undone it. */
  actions: {
    /** As in the rule. */
    type: string;
    /** Of move. */
    folder?: string;
    /** Of set_flag. */
    flag?: string;
    /** Of add_label. */
    label?: string;
  }[];
}

/** The full record of a message. */
export interface Message {
  /** Use wherever an endpoint takes a message id. */
  id: string;
  /** The folder that holds the message now. */
  folder_id: string;
  /** Groups a conversation. Absent on mail that predates threading. */
  thread_id?: string;
  /** Decoded; "" when there is none. */
  subject: string;
  /** The sender as written on the message, in the form Name <address>. A name that needs it is quoted, as RFC 5322 does. */
  from: string;
  /** When the server received the message. RFC 3339, UTC, with milliseconds. */
  date: string;
  /** Bytes of the whole message, including attachments. */
  size: number;
  /** What is true of the message. */
  flags: MessageFlags;
  /** User-defined labels, in the order in which they were added. */
  labels: string[];
  /** The RFC 5322 Message-Id header; "" when there is none. */
  message_id: string;
  /** When it was sent, by its Date header, which its sender wrote; null when there is none that can be read. */
  sent_at: string | null;
  /** Whether the full record lists attachments. */
  has_attachments: boolean;
  /** Each in the form Name <address>; a name that needs it is quoted. */
  to: string[];
  /** Each in the form Name <address>; a name that needs it is quoted. */
  cc: string[];
  /** Each in the form Name <address>; a name that needs it is quoted. */
  bcc: string[];
  /** Each in the form Name <address>; a name that needs it is quoted. */
  reply_to: string[];
  /** The people of the message, names and addresses apart: nothing has to be parsed. */
  addresses: MessageAddresses;
  /** The header fields in order, at most 200. */
  headers: MessageHeader[];
  /** How mail came by SMTP; absent for other mail, and for mail that came before this was noted. */
  received?: ReceivedBySmtp;
  /** The Message-Id that this message answers; "" when there is none. */
  in_reply_to: string;
  /** The Message-Ids of the References header. */
  references: string[];
  /** The text as people read it; made from the HTML where there is no plain text. */
  text: string;
  /** Sanitized: safe to show. "" when there is none. */
  html: string;
  /** Files that came with it, in order. */
  attachments: Attachment[];
  /** The filters that acted when the message arrived, in the order in which they ran. */
  applied_filters: AppliedFilter[];
  /** True when subject, sender, text, html or a list was too long to show whole; the raw message has all. */
  truncated?: boolean;
}

export interface ListThreadMessagesQuery {
  /** What each summary has as well: preview (how its text begins) or recipients (to, cc and more_recipients). Repeated: both. */
  include?: 'preview' | 'recipients' | ('preview' | 'recipients')[];
  /** 1 to 200, default 50; above 200 it is 200. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface ListLabelsQuery {
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface LabelCount {
  /** As messages carry it. */
  label: string;
  /** How many messages carry it, in all folders. */
  message_count: number;
  /** How many of them lack the read flag. */
  unread_count: number;
}

export interface GetMessageHtmlQuery {
  /** remote lets the page load pictures from the servers of others, which tells them that the message is read. Default none. */
  images?: 'none' | 'remote';
}

export interface SaveAttachmentBody {
  /** The folder of the drive that the file goes to; the root when absent or "". */
  folder_id?: string;
  /** The name that the file is shown under; the filename of the attachment when absent. 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  title?: string;
}

export interface SavedFile {
  /** Names the file. */
  id: string;
  /** Always file. */
  type: "file";
  /** The name that is shown; it starts as the filename. */
  title: string;
  /** The name that it was uploaded under. */
  filename: string;
  /** Determined from the stored bytes. */
  mime_type: string;
  /** Bytes of the content. */
  size_bytes: number;
  /** What is in a folder of the trash is trashed as well. */
  state: 'active' | 'trashed';
  /** The user whose it is. */
  owner_id: string;
  /** "" in the root. */
  folder_id: string;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface AppendMessageQuery {
  /** Flags that the message gets. */
  flag?: 'read' | 'starred' | 'answered' | 'draft' | 'deleted' | ('read' | 'starred' | 'answered' | 'draft' | 'deleted')[];
  /** Labels that the message gets, at most 100. */
  label?: string | string[];
}

export interface ListMailFiltersQuery {
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface FilterCondition {
  /** from, to, cc, subject, body, list (List-Id), has_attachment, size, or header:<name> for a named header, without regard to the case of the name. */
  field: string;
  /** Ignores case, as full Unicode case folding after NFKC does. With size larger_than or smaller_than; with has_attachment equals, which may be left out. regex is reserved and refused with unsupported_operator. */
  op?: 'contains' | 'equals' | 'starts_with' | 'ends_with' | 'larger_than' | 'smaller_than' | 'regex';
  /** What to look for: 1 to 1000 characters. With size bytes, as an integer or its digits; with has_attachment true, which may be left out, or false. */
  value?: string | number | boolean;
}

export interface FilterAction {
  /** What is done with a message that matches; discard wins over all others. */
  type: 'move' | 'set_flag' | 'mark_read' | 'mark_unread' | 'add_label' | 'discard';
  /** With move, and only there: the name of a folder, "/" between levels. At most 20 levels, each of 1 to 255 characters, not only blanks, without control characters. The folder is created if it does not exist. */
  folder?: string;
  /** With set_flag, and only there: the flag that the message gets. */
  flag?: 'read' | 'starred' | 'answered' | 'draft' | 'deleted';
  /** With add_label, and only there: the label that the message gets. 1 to 255 characters, no control characters, no leading backslash. */
  label?: string;
}

/** discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; flag actions and labels accumulate, and where two flag actions contradict, the later one wins. */
export interface FilterRule {
  /** all: every condition must hold; any: one suffices. */
  match?: 'all' | 'any';
  /** What a message has to be like. */
  conditions: FilterCondition[];
  /** What is done then, in order. */
  actions: FilterAction[];
}

export interface MailFilter {
  /** Names the filter. */
  id: string;
  /** 1 to 255 characters, not only blanks, no control characters: a label for people; not used in matching. */
  name: string;
  /** Lower numbers run first, equal ones in order of creation. */
  priority: number;
  /** Whether the filter runs over mail that arrives. */
  enabled: boolean;
  /** discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; flag actions and labels accumulate, and where two flag actions contradict, the later one wins. */
  rule: FilterRule;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface CreateMailFilterBody {
  /** 1 to 255 characters, not only blanks, no control characters: a label for people; not used in matching. */
  name: string;
  /** Lower numbers run first, equal ones in order of creation. */
  priority: number;
  /** Whether the filter runs over mail that arrives. */
  enabled?: boolean;
  /** discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; flag actions and labels accumulate, and where two flag actions contradict, the later one wins. */
  rule: FilterRule;
}

/** The fields to replace, at least one. */
export interface UpdateMailFilterBody {
  /** 1 to 255 characters, not only blanks, no control characters: a label for people; not used in matching. */
  name?: string;
  /** Lower numbers run first, equal ones in order of creation. */
  priority?: number;
  /** Whether the filter runs over mail that arrives. */
  enabled?: boolean;
  /** discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; flag actions and labels accumulate, and where two flag actions contradict, the later one wins. */
  rule?: FilterRule;
}

export interface PreviewMailFilterBody {
  /** discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; flag actions and labels accumulate, and where two flag actions contradict, the later one wins. */
  rule: FilterRule;
  /** Only mail in this folder; of the whole mailbox when absent. */
  folder_id?: string;
  /** How many of the matching messages to show: 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
}

export interface FilterPreview {
  /** How many messages were looked at: the newest 10000, or fewer where the recipients, bodies and headers that the rule needs are over 64 MiB together. Fewer than there are means that older ones were not. */
  scanned: number;
  /** How many of those match, shown or not. */
  matched: number;
  /** The newest that match, newest first. */
  messages: MessageSummary[];
}

export interface ApplyMailFilterBody {
  /** The folder whose mail the filter runs over. */
  folder_id: string;
}

export interface AppliedMailFilter {
  /** How many messages were looked at: all that the folder held. */
  scanned: number;
  /** How many of those match. */
  matched: number;
  /** How many of those have another folder, other flags or other labels now. */
  changed: number;
}

export interface ChangeMessageFlagsBody {
  /** 1 to 1,000 ids; one given twice counts once. All must be in the folder of the path, or nothing is changed. */
  message_ids: string[];
  /** add and remove adjust what is present; set replaces: every flag and label that is not listed is removed. */
  op: 'add' | 'remove' | 'set';
  /** System flags to change. Absent: none are added or removed; with set, all are removed. */
  flags?: ('read' | 'starred' | 'answered' | 'draft' | 'deleted')[];
  /** User-defined labels to change, as for flags. A message carries at most 100, of 2500 characters as JSON together. */
  labels?: string[];
}

/** Flags and labels after the change, not the ones sent. */
export interface MarkedMessage {
  /** Use wherever an endpoint takes a message id. */
  id: string;
  /** What is true of the message. */
  flags: MessageFlags;
  /** User-defined labels, in the order in which they were added. */
  labels: string[];
}

export interface MoveMessagesBody {
  /** 1 to 1,000 ids; one given twice counts once. All must be in the folder of the path, or nothing is changed. */
  message_ids: string[];
  /** Where the messages go: an id or a role. */
  to_folder_id: string;
}

export interface MoveResult {
  /** How many messages changed their folder. */
  moved: number;
  /** Where they are now. */
  to_folder_id: string;
}

export interface ChangeMessagesBody {
  /** 1 to 1,000 ids of messages in any folders; one given twice counts once. */
  message_ids: string[];
  /** System flags that the messages get. */
  add_flags?: ('read' | 'starred' | 'answered' | 'draft' | 'deleted')[];
  /** System flags that the messages lose. */
  remove_flags?: ('read' | 'starred' | 'answered' | 'draft' | 'deleted')[];
  /** User-defined labels that the messages get, at most 100. */
  add_labels?: string[];
  /** User-defined labels that the messages lose, at most 100. */
  remove_labels?: string[];
  /** The folder that the messages go to, or its role. */
  move_to?: string;
}

/** Folder, flags and labels after the change. */
export interface BatchedMessage {
  /** Use wherever an endpoint takes a message id. */
  id: string;
  /** The folder that holds the message now. */
  folder_id: string;
  /** What is true of the message. */
  flags: MessageFlags;
  /** User-defined labels, in the order in which they were added. */
  labels: string[];
}

export interface ExpungeResult {
  /** How many messages left the folder. */
  expunged: number;
}

export interface CreateDraftBody {
  /** Whom it is for. May be empty where cc or bcc is not. At most 1000 recipients in to, cc and bcc together. */
  to?: string[];
  /** Who gets a copy. */
  cc?: string[];
  /** Who gets a copy that nobody else hears of. */
  bcc?: string[];
  /** At most 998 characters on one line. Left out of a reply, it is "Re: " and the subject that is replied to. */
  subject?: string;
  /** The plain text. */
  text?: string;
  /** The HTML, as it is; with text beside it, readers choose. Without either, the text is empty. */
  html?: string;
  /** At most 100 files to attach, in this order. */
  file_ids?: string[];
  /** The message of the caller that this one answers; it gets the flag answered. Answer whom its reply_to names, or else its from. */
  reply_to_message_id?: string;
}

export interface Draft {
  /** Stays, however often the draft is replaced: drf_ and what follows msg_ in message.id. */
  id: string;
  /** Changes with every replacement. Goes into If-Match; it is also the ETag. */
  state: string;
  /** What was given last, member by member: what an editor shows, and a replacement takes. */
  content: {
    /** Whom it is for. May be empty where cc or bcc is not. At most 1000 recipients in to, cc and bcc together. */
    to?: string[];
    /** Who gets a copy. */
    cc?: string[];
    /** Who gets a copy that nobody else hears of. */
    bcc?: string[];
    /** At most 998 characters on one line. Left out of a reply, it is "Re: " and the subject that is replied to. */
    subject?: string;
    /** The plain text. */
    text?: string;
    /** The HTML, as it is; with text beside it, readers choose. Without either, the text is empty. */
    html?: string;
    /** At most 100 files to attach, in this order. */
    file_ids?: string[];
    /** The message of the caller that this one answers; it gets the flag answered. Answer whom its reply_to names, or else its from. */
    reply_to_message_id?: string;
  };
  /** The full record of a message. */
  message: Message;
}

export interface ReplaceDraftBody {
  /** Whom it is for. May be empty where cc or bcc is not. At most 1000 recipients in to, cc and bcc together. */
  to?: string[];
  /** Who gets a copy. */
  cc?: string[];
  /** Who gets a copy that nobody else hears of. */
  bcc?: string[];
  /** At most 998 characters on one line. Left out of a reply, it is "Re: " and the subject that is replied to. */
  subject?: string;
  /** The plain text. */
  text?: string;
  /** The HTML, as it is; with text beside it, readers choose. Without either, the text is empty. */
  html?: string;
  /** At most 100 files to attach, in this order. */
  file_ids?: string[];
  /** The message of the caller that this one answers; it gets the flag answered. Answer whom its reply_to names, or else its from. */
  reply_to_message_id?: string;
}

/** Mail: one method for each operation. */
export class Mail {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /**
   * List mail folders
   *
   * Every folder of the mailbox in one answer, with the number of its messages.
   *
   * Permission: `mail.messages.read`.
   */
  listMailFolders(options: RequestOptions = {}): Promise<MailFolder[]> {
    return this.requests.data({ path: '/v1/folders' }, options);
  }

  /**
   * Create a mail folder
   *
   * In the root unless parent_id names a folder. Names are compared exactly, case included.
   *
   * Permission: `mail.folders.write`.
   */
  createMailFolder(body: CreateMailFolderBody, options: RequestOptions = {}): Promise<MailFolder> {
    return this.requests.data({ method: 'POST', path: '/v1/folders', body }, options);
  }

  /**
   * Rename or move a mail folder
   *
   * What is in the folder goes with it. A folder with a role can be renamed and moved like any other and keeps its role: mail arrives in the inbox whatever it is called.
   *
   * Permission: `mail.folders.write`.
   */
  updateMailFolder(id: string, body: UpdateMailFolderBody, options: RequestOptions = {}): Promise<MailFolder> {
    return this.requests.data({ method: 'PUT', path: path`/v1/folders/${id}`, body }, options);
  }

  /**
   * Delete a mail folder
   *
   * Only an empty folder of the user: one that holds messages or folders, or has a role, is refused. Messages that were expunged from it are restored to the inbox then.
   *
   * Permission: `mail.folders.write`.
   */
  deleteMailFolder(id: string, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/folders/${id}` }, options);
  }

  /**
   * List message summaries
   *
   * Newest first. At least one of folder_id, flag, label and unread is required; before, after and thread_id narrow. Filters combine by and; an unknown folder lists nothing. A page of messages with several labels may end before its limit, with has_more true.
   *
   * Permission: `mail.messages.read`.
   */
  listMessages(query: ListMessagesQuery = {}, options: RequestOptions = {}): Pages<ListedMessage> {
    return this.requests.pages({ path: '/v1/messages', query }, options);
  }

  /**
   * Send a message
   *
   * From the user that the key acts as. Answers the summary of the copy in Sent. Everyone whose address a user of this server has gets it at once, everyone else through the relay, in the background: what cannot be delivered within five days comes back as a message from MAILER-DAEMON. All recipients get it or none: an unknown address of the own domain, or an address elsewhere where no relay is set, refuses the whole. With its files, encoded for mail, it has at most 67108864 bytes. Attaching files takes files.read as well, and answering a message mail.messages.read. A reply names the message that it answers as reply_to_message_id, and joins its conversation; its recipients are given as those of any message.
   *
   * Permission: `mail.messages.send`.
   */
  sendMessage(body: SendMessageBody, options: RequestOptions = {}): Promise<MessageSummary> {
    return this.requests.data({ method: 'POST', path: '/v1/messages', body }, options);
  }

  /**
   * Get a message
   *
   * The full record: people as names and addresses, headers, text, sanitized HTML, attachments with what their bytes are.
   *
   * Permission: `mail.messages.read`.
   */
  getMessage(id: string, options: RequestOptions = {}): Promise<Message> {
    return this.requests.data({ path: path`/v1/messages/${id}` }, options);
  }

  /**
   * List the messages of a conversation
   *
   * Over all folders, oldest first.
   *
   * Permission: `mail.messages.read`.
   */
  listThreadMessages(id: string, query: ListThreadMessagesQuery = {}, options: RequestOptions = {}): Pages<ListedMessage> {
    return this.requests.pages({ path: path`/v1/threads/${id}/messages`, query }, options);
  }

  /**
   * List labels
   *
   * The labels that messages of the mailbox carry, in order, with the number of these messages.
   *
   * Permission: `mail.messages.read`.
   */
  listLabels(query: ListLabelsQuery = {}, options: RequestOptions = {}): Pages<LabelCount> {
    return this.requests.pages({ path: '/v1/labels', query }, options);
  }

  /**
   * Get a message as it was received
   *
   * Byte for byte. One Range answers 206, one outside 416; If-None-Match answers 304, and If-Range and If-Match are heeded.
   *
   * Permission: `mail.messages.read`.
   */
  getRawMessage(id: string, options: RequestOptions = {}): Promise<Content> {
    return this.requests.content({ path: path`/v1/messages/${id}/raw` }, options);
  }

  /**
   * Get a message as a page
   *
   * The sanitized HTML with its own pictures in it, or the text, as a page to be shown in a sandboxed frame: its Content-Security-Policy lets nothing run, and loads nothing but the pictures that are asked for.
   *
   * Permission: `mail.messages.read`.
   */
  getMessageHtml(id: string, query: GetMessageHtmlQuery = {}, options: RequestOptions = {}): Promise<Content> {
    return this.requests.content({ path: path`/v1/messages/${id}/html`, query }, options);
  }

  /**
   * Get an attachment
   *
   * The decoded bytes, always as a download, with the mime_type that they were told to have: what a sender declares is not trusted. What is within an attached message has an id of its own. Range, If-Range, If-Match and If-None-Match are heeded as for files.
   *
   * Permission: `mail.messages.read`.
   */
  getAttachment(id: string, attachmentId: string, options: RequestOptions = {}): Promise<Content> {
    return this.requests.content({ path: path`/v1/messages/${id}/attachments/${attachmentId}` }, options);
  }

  /**
   * Save an attachment to the drive
   *
   * Makes a file of it, without the bytes leaving the server. Files of one attachment share their bytes. It takes files.write as well.
   *
   * Permission: `mail.messages.read`.
   */
  saveAttachment(id: string, attachmentId: string, body: SaveAttachmentBody, options: RequestOptions = {}): Promise<SavedFile> {
    return this.requests.data({ method: 'POST', path: path`/v1/messages/${id}/attachments/${attachmentId}/save`, body }, options);
  }

  /**
   * Append a message to a folder
   *
   * Takes the message as it is; no filters run. Its date is that of the newest Received header, else of Date, else now.
   *
   * Permission: `mail.messages.write`.
   */
  appendMessage(folderId: string, content: Bytes, query: AppendMessageQuery = {}, options: RequestOptions = {}): Promise<MessageSummary> {
    return this.requests.data({ method: 'POST', path: path`/v1/folders/${folderId}/messages`, content, mediaType: 'message/rfc822', query }, options);
  }

  /**
   * List mail filters
   *
   * In the order in which they run: by priority, equal priorities by creation.
   *
   * Permission: `mail.settings.read`.
   */
  listMailFilters(query: ListMailFiltersQuery = {}, options: RequestOptions = {}): Pages<MailFilter> {
    return this.requests.pages({ path: '/v1/mail/filters', query }, options);
  }

  /**
   * Create a mail filter
   *
   * Filters run over mail that arrives, not over what is appended or imported. Matching ignores case. Conditions on from, to and cc look at "Name <address>", decoded, and at the bare address; on body at the decoded plain text, with or without the white space around it, and at HTML without its tags, as far as the message record shows them; on header:<name> at the decoded value of each such field. A mailbox has at most 2,000 filters, whose rules are at most 2,000,000 characters of JSON together.
   *
   * Permission: `mail.settings.write`.
   */
  createMailFilter(body: CreateMailFilterBody, options: RequestOptions = {}): Promise<MailFilter> {
    return this.requests.data({ method: 'POST', path: '/v1/mail/filters', body }, options);
  }

  /**
   * Get a mail filter
   *
   * Permission: `mail.settings.read`.
   */
  getMailFilter(id: string, options: RequestOptions = {}): Promise<MailFilter> {
    return this.requests.data({ path: path`/v1/mail/filters/${id}` }, options);
  }

  /**
   * Change a mail filter
   *
   * Replaces the fields that are sent; the rule as a whole.
   *
   * Permission: `mail.settings.write`.
   */
  updateMailFilter(id: string, body: UpdateMailFilterBody, options: RequestOptions = {}): Promise<MailFilter> {
    return this.requests.data({ method: 'PUT', path: path`/v1/mail/filters/${id}`, body }, options);
  }

  /**
   * Delete a mail filter
   *
   * Messages keep what the filter did to them, and their record of it.
   *
   * Permission: `mail.settings.write`.
   */
  deleteMailFilter(id: string, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/mail/filters/${id}` }, options);
  }

  /**
   * Preview a mail filter
   *
   * Which of the mail already there a rule would match, newest first. Changes nothing; an Idempotency-Key is accepted and ignored.
   *
   * Permission: `mail.settings.read`.
   */
  previewMailFilter(body: PreviewMailFilterBody, options: RequestOptions = {}): Promise<FilterPreview> {
    return this.requests.data({ method: 'POST', path: '/v1/mail/filters/preview', body }, options);
  }

  /**
   * Apply a mail filter to a folder
   *
   * Runs one filter, enabled or not, over the mail that a folder holds: all that match are changed, or none. discard moves to the trash folder. The folder is read before anything is changed, which takes a while when it is large: what comes in meanwhile is not looked at, and what has left it stays as it is.
   *
   * Permission: `mail.settings.write`.
   */
  applyMailFilter(id: string, body: ApplyMailFilterBody, options: RequestOptions = {}): Promise<AppliedMailFilter> {
    return this.requests.data({ method: 'POST', path: path`/v1/mail/filters/${id}/apply`, body }, options);
  }

  /**
   * Change flags and labels
   *
   * One call takes a whole batch: all messages are changed or none. The answer has each message once, in the order asked, with its flags and labels after the change. Labels keep the order in which they were added; those that set leaves keep their places.
   *
   * Permission: `mail.messages.write`.
   */
  changeMessageFlags(folderId: string, body: ChangeMessageFlagsBody, options: RequestOptions = {}): Promise<MarkedMessage[]> {
    return this.requests.data({ method: 'POST', path: path`/v1/folders/${folderId}/messages/flags`, body }, options);
  }

  /**
   * Move messages
   *
   * All messages are moved or none. A message keeps its id, flags and labels. Moving to the folder that holds them already moves nothing.
   *
   * Permission: `mail.messages.write`.
   */
  moveMessages(folderId: string, body: MoveMessagesBody, options: RequestOptions = {}): Promise<MoveResult> {
    return this.requests.data({ method: 'POST', path: path`/v1/folders/${folderId}/messages/move`, body }, options);
  }

  /**
   * Change and move messages of any folders
   *
   * Flags, labels and folder of up to 1,000 messages in one step: all are changed or none. At least one change is given. The answer has each message once, in the order asked, as it is then.
   *
   * Permission: `mail.messages.write`.
   */
  changeMessages(body: ChangeMessagesBody, options: RequestOptions = {}): Promise<BatchedMessage[]> {
    return this.requests.data({ method: 'POST', path: '/v1/messages/batch', body }, options);
  }

  /**
   * Expunge a folder
   *
   * Its messages with the deleted flag leave every listing and count, and their ids answer 404. They can be restored.
   *
   * Permission: `mail.messages.write`.
   */
  expungeMailFolder(folderId: string, options: RequestOptions = {}): Promise<ExpungeResult> {
    return this.requests.data({ method: 'POST', path: path`/v1/folders/${folderId}/expunge` }, options);
  }

  /**
   * Restore an expunged message
   *
   * Puts it back into the folder that it left, or the inbox where that is gone, without the deleted flag; id, labels and thread are as they were. A message that was not expunged stays as it is, and is answered the same way.
   *
   * Permission: `mail.messages.write`.
   */
  restoreMessage(id: string, options: RequestOptions = {}): Promise<MessageSummary> {
    return this.requests.data({ method: 'POST', path: path`/v1/messages/${id}/restore` }, options);
  }

  /**
   * Keep a draft
   *
   * Takes what sending takes, and requires none of it. The message is kept in the folder with the role drafts, with the flags draft and read; files are attached, and headers that answer a message set, as they are now. Attaching files takes files.read as well, and answering a message mail.messages.read.
   *
   * Permission: `mail.messages.write`.
   */
  createDraft(body: CreateDraftBody, options: RequestOptions = {}): Promise<Draft> {
    return this.requests.data({ method: 'POST', path: '/v1/drafts', body }, options);
  }

  /**
   * Replace a draft
   *
   * Replaces all of it: what is not named is dropped. The draft and its message keep their ids, and the message its folder, flags, labels, date and Message-Id. With If-Match, only that state is replaced: of several windows that save at once one succeeds. Files are attached as they are now.
   *
   * Permission: `mail.messages.write`.
   */
  replaceDraft(id: string, body: ReplaceDraftBody, options: RequestOptions & { ifMatch?: string } = {}): Promise<Draft> {
    return this.requests.data({ method: 'PUT', path: path`/v1/drafts/${id}`, body, headers: { 'if-match': options.ifMatch } }, options);
  }

  /**
   * Get a draft
   *
   * content is what was given last, so that an editor can go on; message is the full record. The state is the ETag, too: If-None-Match answers 304 while it is the same. The id is drf_ and what follows msg_ in the id of a message that was kept as a draft.
   *
   * Permission: `mail.messages.read`.
   */
  getDraft(id: string, options: RequestOptions = {}): Promise<Draft> {
    return this.requests.data({ path: path`/v1/drafts/${id}` }, options);
  }

  /**
   * Delete a draft
   *
   * Its message is expunged at once, whatever its flags. Restoring the message brings the draft back.
   *
   * Permission: `mail.messages.write`.
   */
  deleteDraft(id: string, options: RequestOptions & { ifMatch?: string } = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/drafts/${id}`, headers: { 'if-match': options.ifMatch } }, options);
  }

  /**
   * Send a draft
   *
   * Sends what was kept, as POST /v1/messages does, under a new date, and removes the draft, in one transaction. Answers the summary of the copy in Sent. The attachments are those of the draft, even where a file has changed or gone since; a reply stays one, even where the answered message has gone. A draft that is refused stays as it is. While it is being sent, other requests that write it are refused with draft_sending.
   *
   * Permission: `mail.messages.send`.
   */
  sendDraft(id: string, options: RequestOptions & { ifMatch?: string } = {}): Promise<MessageSummary> {
    return this.requests.data({ method: 'POST', path: path`/v1/drafts/${id}/send`, headers: { 'if-match': options.ifMatch } }, options);
  }
}
