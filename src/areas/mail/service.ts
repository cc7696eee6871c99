import { JsonText } from '../../contract/answers.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { IndexedObject } from '../../storage/full-text/full-text-index.ts';
import type { StoredKey } from '../../storage/query/stored-keys.ts';
import { type Arrival, appendMessage } from './arrival/appending.ts';
import { type CalendarPart, calendarPart } from './arrival/calendar-part.ts';
import { type Delivered, type Delivery, deliverMessage, type Recipient } from './arrival/delivering.ts';
import { removeDeliveries } from './arrival/delivery-log-store.ts';
import type { StagedMessage } from './arrival/staging.ts';
import { matchBeforeDelivery } from './filters/match-rules.ts';
import {
  createMailbox,
  ensureFolder,
  type FolderRecord,
  getFolderByPath,
  getFolderByRole,
  listFolders,
} from './folders/folders.ts';
import { MessageContents } from './messages/contents.ts';
import type { SavedFiles } from './messages/save-attachment.ts';
import type { MailboxOwner } from './owner.ts';
import type { FolderRole } from './schema.ts';
import {
  type FoundMessage,
  foundMessages,
  indexedMessages,
  messageKeysAfter,
} from './search/searched-messages.ts';
import type { ComposedMessage, ComposerDependencies } from './sending/compose.ts';
import type { MessageSender } from './sending/message-sender.ts';
import type { Notice } from './sending/notice.ts';
import { exportFolder } from './transfer/export-folder.ts';
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

/** What others ask of mail, and what the use cases of the area work with. */
export class MailService {
  readonly dependencies: ComposerDependencies;
  /** Sends messages of users; the drive and the calendar send their notices by it. */
  readonly sending: MessageSender;
  readonly contents: MessageContents;

  /** `files`: where attachments are saved. */
  constructor(dependencies: ComposerDependencies, sending: MessageSender, files: SavedFiles) {
    const { database, staging } = dependencies;
    this.dependencies = dependencies;
    this.sending = sending;
    this.contents = new MessageContents({ database, staging, files });
  }

  listFolders(tx: ReadTransaction, owner: MailboxOwner): Promise<readonly FolderRecord[]> {
    return listFolders(tx, owner);
  }

  createMailbox(tx: WriteTransaction, owner: MailboxOwner): Promise<void> {
    return createMailbox(tx, owner);
  }

  /** Receives a raw message before the transaction that appends it; for nobody who is present, a workspace is named. */
  receive(source: AsyncIterable<Uint8Array>, workspaceId?: string): Promise<StagedMessage> {
    return this.dependencies.staging.stage(source, workspaceId);
  }

  /**
   * Evaluates the filters of mailboxes on a received message before the transaction that delivers it, for filters that
   * would take too long inside a transaction. Rejects with TooManyWaiting.
   */
  async filter(recipients: readonly MailboxOwner[], message: StagedMessage): Promise<StagedMessage> {
    return {
      ...message,
      matching: await matchBeforeDelivery(this.dependencies.database, async () => recipients, message),
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

  calendarPart(message: StagedMessage): Promise<CalendarPart | undefined> {
    return calendarPart(this.dependencies.staging, message);
  }

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

  async getFolderByRole(tx: ReadTransaction, owner: MailboxOwner, role: FolderRole): Promise<string> {
    return (await getFolderByRole(tx, owner, role)).id;
  }

  async ensureFolder(tx: WriteTransaction, owner: MailboxOwner, path: string): Promise<string> {
    return (await ensureFolder(tx, owner, path)).id;
  }

  import(
    tx: WriteTransaction,
    owner: MailboxOwner,
    target: ImportTarget,
    messages: readonly ImportedMessage[],
  ): Promise<boolean[]> {
    return importMessages(tx, owner, target, messages);
  }

  getFolderByPath(tx: ReadTransaction, owner: MailboxOwner, path: string): Promise<string> {
    return getFolderByPath(tx, owner, path);
  }

  exportFolder(owner: MailboxOwner, folderId: string): AsyncGenerator<Uint8Array[]> {
    return exportFolder(this.dependencies, owner, folderId);
  }

  indexedMessages(
    tx: ReadTransaction,
    workspaceId: string,
    ids: readonly string[],
  ): Promise<IndexedObject[]> {
    return indexedMessages(tx, workspaceId, ids);
  }

  messageKeysAfter(tx: ReadTransaction, after: StoredKey, limit: number): Promise<StoredKey[]> {
    return messageKeysAfter(tx, after, limit);
  }

  foundMessages(tx: ReadTransaction, owner: MailboxOwner, ids: readonly string[]): Promise<FoundMessage[]> {
    return foundMessages(tx, owner, ids);
  }
}
