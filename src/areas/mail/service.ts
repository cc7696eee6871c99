import { JsonText, type Page, type PageRequest, pageOf } from '../../contract/answers.ts';
import { notFound } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';

import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { IndexedObject } from '../../storage/full-text/full-text-index.ts';
import type { StoredKey } from '../../storage/query/stored-keys.ts';
import { gatherInTurns, sortInTurns } from '../../turns/in-turns.ts';
import { type Arrival, appendMessage } from './arrival/appending.ts';
import { type CalendarPart, calendarPart } from './arrival/calendar-part.ts';
import { type Delivered, type Delivery, deliverMessage, type Recipient } from './arrival/delivering.ts';
import { removeDeliveries } from './arrival/delivery-log-store.ts';
import type { MessageStaging, StagedMessage } from './arrival/staging.ts';
import type { NamedMessages } from './changes/batch.ts';
import { expungeFolder, restoreMessage } from './changes/expunge.ts';
import type { FlagsAndLabelsChange } from './changes/flags.ts';
import { changeFlagsAndLabels } from './changes/flags-and-labels.ts';
import { type LabelCount, listLabels } from './changes/label-count-store.ts';
import { moveMessages } from './changes/move-messages.ts';
import type { ExpungeResult, MessageBatch, MoveResult } from './changes/schema.ts';
import { changeWholeBatch } from './changes/whole-batch.ts';
import type { DraftService } from './drafts/service.ts';
import { matchBeforeDelivery } from './filters/match-rules.ts';
import type { FilterService } from './filters/service.ts';
import { type CountedFolderRow, listFolders } from './folders/folder-store.ts';
import {
  createFolder,
  createMailbox,
  deleteFolder,
  ensureFolder,
  getFolderByPath,
  getFolderByRole,
  updateFolder,
} from './folders/folders.ts';
import { type MessageListing, pageOfMessages, pageOfThread } from './listing/listing.ts';
import type { SummaryPart } from './listing/summary-parts.ts';
import { MessageContents } from './messages/contents.ts';
import type { SavedFiles } from './messages/save-attachment.ts';
import { lockMailboxes, type MailboxOwner } from './owner.ts';
import type { FolderChanges, FolderRole, NewFolder } from './schema.ts';

import {
  type FoundMessage,
  foundMessages,
  indexedMessages,
  messageKeysAfter,
} from './search/searched-messages.ts';
import type { ComposedMessage } from './sending/compose.ts';
import type { MessageSender } from './sending/message-sender.ts';
import type { Notice } from './sending/notice.ts';
import type { Routes } from './sending/recipients.ts';
import type { NewMessage } from './sending/schema.ts';
import { type ExportDependencies, exportFolder } from './transfer/export-folder.ts';
import { type ImportedMessage, type ImportTarget, importMessages } from './transfer/import-messages.ts';
import type { FlagsAndLabels } from './transfer/mbox-notes.ts';

export { HeavyFilters } from './filters/filter-arrival.ts';
export { rebuildSummaries } from './messages/rebuild-summaries.ts';
export { FolderName } from './schema.ts';
export { maildirFlags, readNotes, statusFlags } from './transfer/mbox-notes.ts';
export type {
  Arrival,
  ComposedMessage,
  Delivered,
  Delivery,
  FlagsAndLabels,
  FoundMessage,
  ImportedMessage,
  ImportTarget,
  MailboxOwner,
  Notice,
  Recipient,
  StagedMessage,
};

const LOG_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The rules of mail. Every method acts on the mailbox of one owner, within the caller's transaction. */
export class MailService {
  readonly filters: FilterService;
  readonly drafts: DraftService;
  readonly contents: MessageContents;
  readonly #database: Database;
  readonly #staging: MessageStaging;
  readonly #sending: MessageSender;

  /** `database`: exports are read from it outside of the transaction of their request. */
  constructor(
    dependencies: ExportDependencies & {
      filters: FilterService;
      drafts: DraftService;
      sending: MessageSender;
      files: SavedFiles;
    },
  ) {
    this.#database = dependencies.database;
    this.#staging = dependencies.staging;
    this.filters = dependencies.filters;
    this.drafts = dependencies.drafts;
    this.#sending = dependencies.sending;
    this.contents = new MessageContents(dependencies);
  }

  createMailbox(tx: WriteTransaction, owner: MailboxOwner): Promise<void> {
    return createMailbox(tx, owner);
  }

  /** In order of creation. */
  async listFolders(tx: ReadTransaction, owner: MailboxOwner): Promise<readonly FolderRecord[]> {
    const folders = await gatherInTurns(listFolders(tx, owner), folderRecord);
    return sortInTurns(folders, (a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The labels that messages of the mailbox carry, in order. */
  async listLabels(tx: ReadTransaction, owner: MailboxOwner, page: PageRequest): Promise<Page<LabelRecord>> {
    const rows = await listLabels(tx, owner, String(page.after?.[0] ?? ''), page.limit);
    return pageOf(rows, labelRecord, ({ label }) => [label]);
  }

  listMessages(
    tx: ReadTransaction,
    owner: MailboxOwner,
    filter: MessageListing,
    page: PageRequest,
  ): Promise<Page> {
    return pageOfMessages(tx, owner, filter, page);
  }

  /** A whole conversation over all folders, oldest first. Throws ApiError not_found. */
  async listThread(
    tx: ReadTransaction,
    owner: MailboxOwner,
    { threadId, include }: { threadId: string; include: readonly SummaryPart[] },
    page: PageRequest,
  ): Promise<Page> {
    const found = await pageOfThread(tx, owner, { threadId, include }, page);
    if (!found) throw notFound('thread', threadId);
    return found;
  }

  /** Receives a raw message before the transaction that appends it; for nobody who is present, a workspace is named. */
  receive(source: AsyncIterable<Uint8Array>, workspaceId?: string): Promise<StagedMessage> {
    return this.#staging.stage(source, workspaceId);
  }

  /**
   * Evaluates the filters of mailboxes on a received message before the transaction that delivers it, for filters that
   * would take too long inside a transaction. Rejects with TooManyWaiting.
   */
  async filter(recipients: readonly MailboxOwner[], message: StagedMessage): Promise<StagedMessage> {
    return {
      ...message,
      matching: await matchBeforeDelivery(this.#database, async () => recipients, message),
    };
  }

  /** Stores a received message in a folder unchanged; returns its summary. Throws ApiError not_found. */
  async append(
    tx: WriteTransaction,
    owner: MailboxOwner,
    arrival: Arrival,
    message: StagedMessage,
  ): Promise<JsonText> {
    return new JsonText((await appendMessage(tx, owner, arrival, message)).item);
  }

  /** Composes a message, before the transaction that sends it. Rejects with ApiError not_found or payload_too_large. */
  compose(caller: Principal, given: NewMessage): Promise<ComposedMessage> {
    return this.#sending.compose(caller, given);
  }

  /**
   * Sends a composed message: to local mailboxes at once, to others through the outbox. Returns the summary of the copy
   * in Sent. Throws ApiError not_found, unknown_recipient or no_relay.
   */
  send(tx: WriteTransaction, sender: MailboxOwner, message: ComposedMessage): Promise<JsonText> {
    return this.#sending.send(tx, sender, message);
  }

  /** Composes a notice in the name of a user, before the transaction that sends it. Rejects with ApiError unknown_recipient. */
  composeNotice(sender: MailboxOwner, notice: Notice): Promise<ComposedMessage> {
    return this.#sending.composeNotice(sender, notice);
  }

  /**
   * Finds who takes each of these messages, and locks every mailbox that they touch: before the first write. Throws
   * ApiError unknown_recipient or no_relay.
   */
  routeAll(
    tx: WriteTransaction,
    sender: MailboxOwner,
    messages: readonly ComposedMessage[],
  ): Promise<Routes[]> {
    return this.#sending.routeAll(tx, sender, messages);
  }

  /** Sends a composed message along its routes; stores a copy in Sent. */
  async sendAlong(
    tx: WriteTransaction,
    sender: MailboxOwner,
    message: ComposedMessage,
    routes: Routes,
  ): Promise<void> {
    await this.#sending.sendAlong(tx, sender, message, routes);
  }

  /** Those of these addresses that are of this server and that no active user has. */
  unknownRecipients(tx: ReadTransaction, addresses: readonly string[]): Promise<string[]> {
    return this.#sending.unknownRecipients(tx, addresses);
  }

  /** The first calendar part of a received message; undefined where it has none, or a large one. */
  calendarPart(message: StagedMessage): Promise<CalendarPart | undefined> {
    return calendarPart(this.#staging, message);
  }

  /**
   * Sends a composed message in two steps, for a transaction that writes something else in between: takes every lock that
   * sending needs, and returns what sends it. Throws ApiError unknown_recipient or no_relay.
   */
  async prepareSend(
    tx: WriteTransaction,
    sender: MailboxOwner,
    message: ComposedMessage,
  ): Promise<() => Promise<JsonText>> {
    const routes = await this.#sending.route(tx, sender, message);
    return () => this.#sending.sendAlong(tx, sender, message, routes);
  }

  /**
   * Delivers a received message into the mailboxes of local recipients, each once, in this one transaction. Returns the
   * result for each mailbox. Throws HeavyFilters, and StorageUnavailable when the message waited so long that its
   * upload was given up.
   */
  deliver(
    tx: WriteTransaction,
    recipients: readonly Recipient[],
    message: StagedMessage,
    delivery: Delivery,
  ): Promise<Delivered[]> {
    return deliverMessage(tx, recipients, message, delivery);
  }

  /**
   * Removes up to `most` lines of the delivery log older than 30 days; `now`: milliseconds. Returns how many were
   * removed.
   */
  forgetDeliveries(tx: WriteTransaction, now: number, most: number): Promise<number> {
    return removeDeliveries(tx, now - LOG_KEPT_MS, most);
  }

  /** Must be called before the first write of a transaction that writes into several mailboxes. */
  lockMailboxes(tx: WriteTransaction, owners: readonly MailboxOwner[]): Promise<void> {
    return lockMailboxes(tx, owners);
  }

  /** Creates a folder. Throws ApiError not_found for the parent, or folder_exists. */
  async createFolder(tx: WriteTransaction, owner: MailboxOwner, folder: NewFolder) {
    return folderRecord(await createFolder(tx, owner, folder));
  }

  /** Renames a folder, moves it, or both. Throws ApiError not_found, folder_cycle or folder_exists. */
  async updateFolder(tx: WriteTransaction, owner: MailboxOwner, folderId: string, changes: FolderChanges) {
    return folderRecord(await updateFolder(tx, owner, folderId, changes));
  }

  /** Removes an empty folder of the user. Throws ApiError not_found, folder_has_role or folder_not_empty. */
  deleteFolder(tx: WriteTransaction, owner: MailboxOwner, folderId: string): Promise<void> {
    return deleteFolder(tx, owner, folderId);
  }

  /**
   * Changes flags and labels of messages of a folder, all or none; returns the new flags and labels of each message in
   * the order of the request. Throws ApiError not_found, messages_not_in_folder, or validation_failed when a message
   * would have too many labels.
   */
  changeFlagsAndLabels(
    tx: WriteTransaction,
    owner: MailboxOwner,
    named: NamedMessages,
    change: FlagsAndLabelsChange,
  ): Promise<JsonText> {
    return changeFlagsAndLabels(tx, owner, named, change);
  }

  /**
   * Moves messages of a folder to another, all or none; returns how many changed their folder. Throws ApiError
   * not_found for either folder, or messages_not_in_folder.
   */
  moveMessages(
    tx: WriteTransaction,
    owner: MailboxOwner,
    named: NamedMessages,
    toId: string,
  ): Promise<MoveResult> {
    return moveMessages(tx, owner, named, toId);
  }

  /**
   * Changes and moves messages of any folders, all or none; returns each as it is then, in the order of the request.
   * Throws ApiError not_found, or validation_failed when a message would have too many labels.
   */
  changeMessages(tx: WriteTransaction, owner: MailboxOwner, batch: MessageBatch): Promise<JsonText> {
    return changeWholeBatch(tx, owner, batch);
  }

  /** Removes the messages of a folder that have the deleted flag from every listing. Throws ApiError not_found. */
  expungeFolder(tx: WriteTransaction, owner: MailboxOwner, folderId: string): Promise<ExpungeResult> {
    return expungeFolder(tx, owner, folderId);
  }

  /** Restores an expunged message; returns its summary. Throws ApiError not_found. */
  restoreMessage(tx: WriteTransaction, owner: MailboxOwner, messageId: string): Promise<JsonText> {
    return restoreMessage(tx, owner, messageId);
  }

  /** The id of the folder with this role, whatever its name: every mailbox has one of each role. */
  getFolderByRole(tx: ReadTransaction, owner: MailboxOwner, role: FolderRole): Promise<string> {
    return getFolderByRole(tx, owner, role);
  }

  /** The id of the folder at a path with "/" between levels; creates missing folders. */
  ensureFolder(tx: WriteTransaction, owner: MailboxOwner, path: string): Promise<string> {
    return ensureFolder(tx, owner, path);
  }

  /**
   * Stores messages of an import in a folder, except for those that an earlier run stored there. Returns, for each,
   * whether it was added. Throws ApiError not_found.
   */
  import(
    tx: WriteTransaction,
    owner: MailboxOwner,
    target: ImportTarget,
    messages: readonly ImportedMessage[],
  ): Promise<boolean[]> {
    return importMessages(tx, owner, target, messages);
  }

  /** The id of the folder at a path with "/" between levels. Throws ApiError not_found. */
  getFolderByPath(tx: ReadTransaction, owner: MailboxOwner, path: string): Promise<string> {
    return getFolderByPath(tx, owner, path);
  }

  /**
   * A folder as entries of an mbox file, oldest message first. Reads page by page on demand, each page in a transaction
   * of its own. An import of the file yields equal messages. Rejects when the storage fails.
   */
  exportFolder(owner: MailboxOwner, folderId: string): AsyncGenerator<Uint8Array[]> {
    return exportFolder({ database: this.#database, staging: this.#staging }, owner, folderId);
  }

  /** Messages of a workspace as the full-text index holds them. Those that are expunged or unknown are left out. */
  indexedMessages(
    tx: ReadTransaction,
    workspaceId: string,
    ids: readonly string[],
  ): Promise<IndexedObject[]> {
    return indexedMessages(tx, workspaceId, ids);
  }

  /** The keys of messages of all workspaces after one, for a build of the full-text index. */
  messageKeysAfter(tx: ReadTransaction, after: StoredKey, limit: number): Promise<StoredKey[]> {
    return messageKeysAfter(tx, after, limit);
  }

  /** Those of the messages that are in the mailbox, with what a search asks of them. */
  foundMessages(tx: ReadTransaction, owner: MailboxOwner, ids: readonly string[]): Promise<FoundMessage[]> {
    return foundMessages(tx, owner, ids);
  }
}

type FolderRecord = ReturnType<typeof folderRecord>;
type LabelRecord = ReturnType<typeof labelRecord>;

function labelRecord({ label, messages, unread }: LabelCount) {
  return { label, message_count: messages, unread_count: unread };
}

function folderRecord(row: CountedFolderRow) {
  return {
    id: row.id,
    name: row.name,
    parent_id: row.parentId,
    role: row.role,
    message_count: row.messageCount,
    unread_count: row.unreadCount,
    created_at: new Date(row.createdAt).toISOString(),
  };
}
