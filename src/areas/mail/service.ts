import { Content, JsonText, type Page, type PageRequest } from '../../contract/answers.ts';
import { notFound } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { readAttachment } from '../../formats/messages/parse.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { gatherInTurns, sortInTurns } from '../../turns/in-turns.ts';
import { type Arrival, appendMessage } from './arrival/appending.ts';
import { type Delivered, type Delivery, deliverMessage, type Recipient } from './arrival/delivering.ts';
import { removeDeliveries } from './arrival/delivery-log-store.ts';
import type { MessageStaging, StagedMessage } from './arrival/staging.ts';
import type { NamedMessages } from './changes/batch.ts';
import { expungeFolder, restoreMessage } from './changes/expunging.ts';
import { changeFlagsAndLabels } from './changes/flags-and-labels.ts';
import type { FlagsAndLabelsChange } from './changes/flags-and-labels-change.ts';
import { moveMessages } from './changes/moving.ts';
import { matchBeforeDelivery } from './filters/matching.ts';
import type { FilterService } from './filters/service.ts';
import { type CountedFolderRow, listFolders } from './folders/folder-store.ts';
import {
  createFolder,
  createMailbox,
  ensureFolder,
  getFolderByPath,
  getFolderByRole,
  updateFolder,
} from './folders/folders.ts';
import type { FolderRole } from './folders/roles.ts';
import { type MessageFilter, pageOfMessages } from './listing/listing.ts';
import { findMessage, findRaw, findRecord } from './messages/message-store.ts';
import { attachmentsOf } from './messages/record.ts';
import { lockMailboxes, type MailboxOwner } from './owner.ts';
import type { ExpungeResult, FolderChanges, MoveResult, NewFolder } from './schema.ts';
import type { ComposedMessage } from './sending/composing.ts';
import type { NewMessage } from './sending/schema.ts';
import type { Sending } from './sending/sending.ts';
import { type ExportDependencies, exportFolder } from './transfer/exporting.ts';
import { type ImportedMessage, type ImportTarget, importMessages } from './transfer/importing.ts';
import type { FlagsAndLabels } from './transfer/mbox-notes.ts';

export { HeavyFilters } from './filters/arrival.ts';
export { FolderName } from './schema.ts';
export { maildirFlags, readNotes, statusFlags } from './transfer/mbox-notes.ts';
export type {
  Arrival,
  Delivered,
  Delivery,
  FlagsAndLabels,
  ImportedMessage,
  ImportTarget,
  MailboxOwner,
  Recipient,
  StagedMessage,
};

const LOG_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The rules of mail. Every method acts on the mailbox of one owner, within the caller's transaction. */
export class MailService {
  readonly filters: FilterService;
  readonly #database: Database;
  readonly #staging: MessageStaging;
  readonly #sending: Sending;

  /** `database`: an export reads from it while its file is written. */
  constructor(dependencies: ExportDependencies & { filters: FilterService; sending: Sending }) {
    this.#database = dependencies.database;
    this.#staging = dependencies.staging;
    this.filters = dependencies.filters;
    this.#sending = dependencies.sending;
  }

  createMailbox(tx: WriteTransaction, owner: MailboxOwner): Promise<void> {
    return createMailbox(tx, owner);
  }

  /** In order of creation. */
  async listFolders(tx: ReadTransaction, owner: MailboxOwner): Promise<readonly FolderRecord[]> {
    const folders = await gatherInTurns(listFolders(tx, owner), folderRecord);
    return sortInTurns(folders, (a, b) => (a.id < b.id ? -1 : 1));
  }

  listMessages(
    tx: ReadTransaction,
    owner: MailboxOwner,
    filter: MessageFilter,
    page: PageRequest,
  ): Promise<Page> {
    return pageOfMessages(tx, owner, filter, page);
  }

  /** The full record. Throws ApiError not_found. */
  async getMessage(tx: ReadTransaction, owner: MailboxOwner, messageId: string): Promise<JsonText> {
    const row = await findMessage(tx, owner, messageId);
    if (!row) throw notFound('message', messageId);
    const { members, appliedFilters } = row;
    return new JsonText(`{${members},"applied_filters":${appliedFilters ?? '[]'}}`);
  }

  /** The message byte for byte as received. Throws ApiError not_found. */
  async getRaw(tx: ReadTransaction, owner: MailboxOwner, messageId: string): Promise<Content> {
    const { location, size } = await this.#raw(tx, owner, messageId);
    return new Content({ mediaType: 'message/rfc822', size, open: () => this.#staging.open(location) });
  }

  /** The decoded bytes of one attachment. Throws ApiError not_found. */
  async getAttachment(
    tx: ReadTransaction,
    owner: MailboxOwner,
    messageId: string,
    attachmentId: string,
  ): Promise<Content> {
    const record = await findRecord(tx, owner, messageId);
    if (record === undefined) throw notFound('message', messageId);
    const attachments = attachmentsOf(record);
    const position = attachments.findIndex(({ id }) => id === attachmentId);
    const attachment = attachments[position];
    if (!attachment) throw notFound('attachment', attachmentId);
    const { location } = await this.#raw(tx, owner, messageId);
    return new Content({
      mediaType: 'application/octet-stream',
      filename: attachment.filename,
      size: attachment.size,
      open: async () => readAttachment(await this.#staging.open(location), position),
    });
  }

  /** Receives a raw message before the transaction that appends it. */
  receive(source: AsyncIterable<Uint8Array>): Promise<StagedMessage> {
    return this.#staging.stage(source);
  }

  /**
   * Evaluates the filters of mailboxes on a received message before the transaction that delivers it, for filters that
   * would take too long inside a transaction. Rejects with TooManyWaiting.
   */
  async filter(recipients: readonly MailboxOwner[], message: StagedMessage): Promise<StagedMessage> {
    return {
      ...message,
      matching: await matchBeforeDelivery(this.#database, async () => recipients, message.parsed),
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

  async #raw(tx: ReadTransaction, owner: MailboxOwner, messageId: string) {
    const found = await findRaw(tx, owner, messageId);
    if (!found) throw notFound('message', messageId);
    return found;
  }
}

type FolderRecord = ReturnType<typeof folderRecord>;

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
