import { Content, type JsonText } from '../../../contract/answers.ts';
import { notFound } from '../../../contract/errors.ts';
import { requireParameter } from '../../../contract/required-values.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { MessageStaging } from '../arrival/staging.ts';
import type { MailboxOwner } from '../owner.ts';
import { type AttachmentToSave, LetterQuery } from '../schema.ts';
import { attachmentNamed, contentTag, listAttachments, openAttachment } from './attachments.ts';
import { fullRecord, readBytes } from './full-record.ts';
import { letterOf, type RemoteImages } from './letter.ts';
import { findMessage, findRaw, type StoredRecord } from './message-store.ts';
import { attachmentsOf, shownBodyOf } from './record.ts';
import {
  decodeAttachment,
  type SavableAttachment,
  type SavedFiles,
  saveAttachment,
} from './save-attachment.ts';

/** What is in messages of a mailbox: the full record, the raw bytes, the page, and attachments. */
export class MessageContents {
  readonly #database: Database;
  readonly #staging: MessageStaging;
  readonly #files: SavedFiles;

  /** `database`: full records and attachments are read from it outside of the transaction of their request. */
  constructor({
    database,
    staging,
    files,
  }: { database: Database; staging: MessageStaging; files: SavedFiles }) {
    this.#database = database;
    this.#staging = staging;
    this.#files = files;
  }

  /** The full record, read in a transaction of its own. Rejects with ApiError not_found. */
  async getMessage(owner: MailboxOwner, messageId: string): Promise<JsonText> {
    const stored = await this.#stored(owner, messageId);
    return fullRecord(stored, await readBytes(this.#staging, stored.location, stored.record));
  }

  /** The message byte for byte as received. Throws ApiError not_found. */
  async getRaw(tx: ReadTransaction, owner: MailboxOwner, messageId: string): Promise<Content> {
    const found = await findRaw(tx, owner, messageId);
    if (!found) throw notFound('message', messageId);
    const { location, size } = found;
    return new Content({
      mediaType: 'message/rfc822',
      size,
      validators: { etag: `"${contentTag(location)}"` },
      open: (range) => this.#staging.open(location, range),
    });
  }

  /** The message as a page to be shown in a frame. Throws ApiError not_found. */
  async getLetter(
    tx: ReadTransaction,
    owner: MailboxOwner,
    messageId: string,
    images: RemoteImages,
  ): Promise<Content> {
    requireParameter(LetterQuery.properties.images, images, 'images');
    const stored = await findMessage(tx, owner, messageId);
    if (!stored) throw notFound('message', messageId);
    const { record, location } = stored;
    const openRaw = () => this.#staging.open(location);
    return letterOf({ ...shownBodyOf(record), openRaw, staging: this.#staging }, images);
  }

  /** The decoded bytes of one attachment, found in a transaction of its own. Rejects with ApiError not_found. */
  async getAttachment(owner: MailboxOwner, messageId: string, attachmentId: string): Promise<Content> {
    const { listed, path, location } = await this.#attachment(owner, messageId, attachmentId);
    return new Content({
      mediaType: listed.mime_type,
      filename: listed.filename,
      size: listed.size,
      validators: { etag: `"${contentTag(location)}.${path.join('.')}"` },
      open: (range) => openAttachment(this.#staging, location, path, range),
    });
  }

  /** Decodes an attachment before the transaction that saves it. Rejects with ApiError not_found or file_too_large. */
  async decodeAttachment(
    owner: MailboxOwner,
    messageId: string,
    attachmentId: string,
  ): Promise<SavableAttachment> {
    const { location, ...found } = await this.#attachment(owner, messageId, attachmentId);
    await this.#files.check(found.listed.size);
    return decodeAttachment({ database: this.#database, staging: this.#staging }, owner, { location }, found);
  }

  /** Makes a file of a decoded attachment. Throws ApiError not_found for the folder, or folder_trashed. */
  saveAttachment(
    tx: WriteTransaction,
    owner: MailboxOwner,
    attachment: SavableAttachment,
    asked: AttachmentToSave,
  ): Promise<JsonText> {
    return saveAttachment(tx, owner, this.#files, attachment, asked);
  }

  async #attachment(owner: MailboxOwner, messageId: string, attachmentId: string) {
    const { record, location } = await this.#stored(owner, messageId);
    const attachments = await listAttachments(this.#staging, location, attachmentsOf(record));
    const found = attachmentNamed(attachments, attachmentId);
    if (!found) throw notFound('attachment', attachmentId);
    return { listed: found.listed, path: found.path, location };
  }

  async #stored(owner: MailboxOwner, messageId: string): Promise<StoredRecord> {
    const stored = await this.#database.read((tx) => findMessage(tx, owner, messageId));
    if (!stored) throw notFound('message', messageId);
    return stored;
  }
}
