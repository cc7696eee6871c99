import type {
  CalendarEvents,
  CalendarInvitations,
  CalendarSpans,
  Calendars,
  CalendarVersions,
} from './tables/calendar.ts';
import type { AddressBooks, ContactGrams, Contacts, ContactsToIndex } from './tables/contacts.ts';
import type {
  ApiKeys,
  GroupMembers,
  Groups,
  KeyWorkspaces,
  Resources,
  Sessions,
  SessionTokens,
  SignInCodes,
  Tickets,
  UserAddresses,
  Users,
  Workspaces,
} from './tables/directory.ts';
import type { DocumentRevisions } from './tables/documents.ts';
import type { Files, NodeGrams, NodeGrants, Nodes, UploadParts, UploadSessions } from './tables/drive.ts';
import type {
  BlobChecksums,
  Changes,
  IdempotencyRecords,
  InstallationLocks,
  PendingBlobs,
  ServerSecrets,
  WorkspaceMoves,
  WriteLocks,
} from './tables/ground.ts';
import type {
  ExpungedMessages,
  MailDeliveryLog,
  MailDrafts,
  MailFilters,
  MailFolderCounts,
  MailFolders,
  MailImports,
  MailLabelCounts,
  MailOutbox,
  MailSummariesToMake,
  MessageContents,
  MessageLabels,
  MessageStates,
  Messages,
  SavedAttachments,
  ThreadLinks,
} from './tables/mail.ts';

import type {
  SpreadsheetBlocks,
  SpreadsheetChanges,
  SpreadsheetColumns,
  SpreadsheetFormats,
  SpreadsheetHiddenRows,
  SpreadsheetImportNotes,
  SpreadsheetLooks,
  SpreadsheetNames,
  SpreadsheetRemains,
  SpreadsheetRowKeys,
  Spreadsheets,
} from './tables/spreadsheets.ts';
import type { WebhookAttempts, WebhookDeadDeliveries, Webhooks } from './tables/webhooks.ts';

export type * from './tables/calendar.ts';
export type * from './tables/contacts.ts';
export type * from './tables/directory.ts';
export type * from './tables/documents.ts';
export type * from './tables/drive.ts';
export type * from './tables/ground.ts';
export type * from './tables/mail.ts';
export type * from './tables/spreadsheets.ts';
export type * from './tables/webhooks.ts';

/**
 * All tables of the database, as created by migrations/. Each area's store is the only reader and writer of its tables.
 * Tables of workspaces have workspace_id, so that they can be partitioned by it.
 * Times are milliseconds since the epoch; booleans are 0 and 1.
 */
export interface Tables {
  server_secrets: ServerSecrets;
  write_locks: WriteLocks;
  installation_locks: InstallationLocks;
  idempotency_records: IdempotencyRecords;
  workspaces: Workspaces;
  users: Users;
  user_addresses: UserAddresses;
  groups: Groups;
  group_members: GroupMembers;
  resources: Resources;
  api_keys: ApiKeys;
  key_workspaces: KeyWorkspaces;
  sessions: Sessions;
  session_tokens: SessionTokens;
  sign_in_codes: SignInCodes;
  tickets: Tickets;
  pending_blobs: PendingBlobs;
  blob_checksums: BlobChecksums;
  workspace_moves: WorkspaceMoves;
  changes: Changes;
  webhooks: Webhooks;
  webhook_attempts: WebhookAttempts;
  webhook_dead_deliveries: WebhookDeadDeliveries;
  mail_folders: MailFolders;
  mail_folder_counts: MailFolderCounts;
  messages: Messages;
  message_states: MessageStates;
  expunged_messages: ExpungedMessages;
  message_labels: MessageLabels;
  mail_label_counts: MailLabelCounts;
  message_contents: MessageContents;
  thread_links: ThreadLinks;
  mail_imports: MailImports;
  mail_filters: MailFilters;
  address_books: AddressBooks;
  contacts: Contacts;
  contact_grams: ContactGrams;
  contacts_to_index: ContactsToIndex;
  calendars: Calendars;
  calendar_events: CalendarEvents;
  calendar_spans: CalendarSpans;
  calendar_invitations: CalendarInvitations;
  calendar_versions: CalendarVersions;
  mail_delivery_log: MailDeliveryLog;
  mail_outbox: MailOutbox;
  mail_drafts: MailDrafts;
  mail_summaries_to_make: MailSummariesToMake;
  saved_attachments: SavedAttachments;
  nodes: Nodes;
  files: Files;
  node_grants: NodeGrants;
  node_grams: NodeGrams;
  upload_sessions: UploadSessions;
  upload_parts: UploadParts;
  document_revisions: DocumentRevisions;
  spreadsheets: Spreadsheets;
  spreadsheet_blocks: SpreadsheetBlocks;
  spreadsheet_columns: SpreadsheetColumns;
  spreadsheet_formats: SpreadsheetFormats;
  spreadsheet_hidden_rows: SpreadsheetHiddenRows;
  spreadsheet_looks: SpreadsheetLooks;
  spreadsheet_names: SpreadsheetNames;
  spreadsheet_import_notes: SpreadsheetImportNotes;
  spreadsheet_changes: SpreadsheetChanges;
  spreadsheet_remains: SpreadsheetRemains;
  spreadsheet_row_keys: SpreadsheetRowKeys;
}
