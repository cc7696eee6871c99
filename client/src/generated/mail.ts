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
  /** The folder that it is in; "" for the root. */
  parent_id?: string;
}

/** The fields to replace, at least one. */
export interface UpdateMailFolderBody {
  /** 1 to 255 characters, not only blanks, no "/" and no control characters; once in each parent. */
  name?: string;
  /** The folder that it is in; "" for the root. */
  parent_id?: string;
}

export interface ListMessagesQuery {
  /** Only messages in this folder. Repeated: in any of them. */
  folder_id?: string | string[];
  /** Only messages carrying this flag. Repeated: all of them. */
  flag?: 'read' | 'starred' | 'answered' | 'draft' | 'deleted' | ('read' | 'starred' | 'answered' | 'draft' | 'deleted')[];
  /** Only messages carrying this label. Repeated: all of them. */
  label?: string | string[];
  /** When true, only messages without the read flag. */
  unread?: boolean;
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

export interface MessageSummary {
  /** Use wherever an endpoint takes a message id. */
  id: string;
  /** The folder that holds the message now. */
  folder_id: string;
  /** Groups a conversation. Absent on mail that predates threading. */
  thread_id?: string;
  /** Decoded; "" when there is none. */
  subject: string;
  /** The sender as written on the message, in the form Name <address>. */
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

export interface Attachment {
  /** Goes in the path that fetches the bytes. */
  id: string;
  /** As the sender named it, without a path; made up where it has no name. */
  filename: string;
  /** As the sender declared it. */
  mime_type: string;
  /** Bytes, decoded. */
  size: number;
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
  }[];
}

export interface Message {
  /** Use wherever an endpoint takes a message id. */
  id: string;
  /** The folder that holds the message now. */
  folder_id: string;
  /** Groups a conversation. Absent on mail that predates threading. */
  thread_id?: string;
  /** Decoded; "" when there is none. */
  subject: string;
  /** The sender as written on the message, in the form Name <address>. */
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
  /** Each in the form Name <address>. */
  to: string[];
  /** Each in the form Name <address>. */
  cc: string[];
  /** Each in the form Name <address>. */
  bcc: string[];
  /** Each in the form Name <address>. */
  reply_to: string[];
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
  /** from, to, cc, subject, body, or header:<name> for a named header, without regard to the case of the name. */
  field: string;
  /** Ignores case, as full Unicode case folding after NFKC does. regex is reserved and refused with unsupported_operator. */
  op: 'contains' | 'equals' | 'starts_with' | 'ends_with' | 'regex';
  /** What to look for: 1 to 1000 characters. */
  value: string;
}

export interface FilterAction {
  /** What is done with a message that matches; discard wins over all others. */
  type: 'move' | 'set_flag' | 'mark_read' | 'mark_unread' | 'discard';
  /** With move, and only there: the name of a folder, "/" between levels. At most 20 levels, each of 1 to 255 characters, not only blanks, without control characters. The folder is created if it does not exist. */
  folder?: string;
  /** With set_flag, and only there: the flag that the message gets. */
  flag?: 'read' | 'starred' | 'answered' | 'draft' | 'deleted';
}

/** discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; flag actions accumulate, and where two contradict, the later one wins. */
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
  /** discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; flag actions accumulate, and where two contradict, the later one wins. */
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
  /** discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; flag actions accumulate, and where two contradict, the later one wins. */
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
  /** discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; flag actions accumulate, and where two contradict, the later one wins. */
  rule?: FilterRule;
}

export interface PreviewMailFilterBody {
  /** discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; flag actions accumulate, and where two contradict, the later one wins. */
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
  /** How many of those have another folder or other flags now. */
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
  /** Where the messages go. */
  to_folder_id: string;
}

export interface MoveResult {
  /** How many messages changed their folder. */
  moved: number;
  /** Where they are now. */
  to_folder_id: string;
}

export interface ExpungeResult {
  /** How many messages left the folder. */
  expunged: number;
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
   * List message summaries
   *
   * Newest first. At least one of folder_id, flag, label and unread is required. Filters combine by and; an unknown folder lists nothing. A page of messages with several labels may end before its limit, with has_more true.
   *
   * Permission: `mail.messages.read`.
   */
  listMessages(query: ListMessagesQuery = {}, options: RequestOptions = {}): Pages<MessageSummary> {
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
   * The full record: recipients, text, sanitized HTML, attachments.
   *
   * Permission: `mail.messages.read`.
   */
  getMessage(id: string, options: RequestOptions = {}): Promise<Message> {
    return this.requests.data({ path: path`/v1/messages/${id}` }, options);
  }

  /**
   * Get a message as it was received
   *
   * Byte for byte.
   *
   * Permission: `mail.messages.read`.
   */
  getRawMessage(id: string, options: RequestOptions = {}): Promise<Content> {
    return this.requests.content({ path: path`/v1/messages/${id}/raw` }, options);
  }

  /**
   * Get an attachment
   *
   * The decoded bytes, always as a download: what a sender declares is not trusted.
   *
   * Permission: `mail.messages.read`.
   */
  getAttachment(id: string, attachmentId: string, options: RequestOptions = {}): Promise<Content> {
    return this.requests.content({ path: path`/v1/messages/${id}/attachments/${attachmentId}` }, options);
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
}
