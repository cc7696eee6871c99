import { takeOver } from '../../../blobs/staging.ts';
import type { JsonText } from '../../../contract/answers.ts';
import type { Received } from '../../../contract/operation.ts';
import type { Database, WriteTransaction } from '../../../storage/database.ts';
import type { NewFile } from '../../drive/service.ts';
import type { MessageStaging } from '../arrival/staging.ts';
import type { MailboxOwner } from '../owner.ts';
import type { AttachmentToSave } from '../schema.ts';
import { type FoundAttachment, openAttachment } from './attachments.ts';
import type { StoredRecord } from './message-store.ts';
import { findSaved, insertSaved } from './saved-attachment-store.ts';

/** The drive, as far as saving needs it. */
export interface SavedFiles {
  /** Throws ApiError file_too_large, or quota_exceeded. */
  check(size: number): Promise<void>;
  /** Throws ApiError not_found for the folder, or folder_trashed. */
  create(tx: WriteTransaction, owner: MailboxOwner, file: NewFile): Promise<JsonText>;
}

/** An attachment whose decoded bytes are stored, before the transaction that makes a file of them. */
export interface SavableAttachment extends Received {
  attachmentId: string;
  filename: string;
  mimeType: string;
  size: number;
  /** Null for an empty attachment. */
  blobKey: string | null;
  /** Of bytes that nobody has saved before; undefined for those that are shared. */
  checksum: number | undefined;
}

/**
 * Decodes an attachment into the store of blobs; one that was saved before is not read again. Rejects with the errors of
 * the stores.
 */
export async function decodeAttachment(
  { database, staging }: { database: Database; staging: MessageStaging },
  owner: MailboxOwner,
  { location }: Pick<StoredRecord, 'location'>,
  { listed, path }: FoundAttachment,
): Promise<SavableAttachment> {
  const { id: attachmentId, filename, mime_type: mimeType, size } = listed;
  const shown = { attachmentId, filename, mimeType, size };
  const saved = await database.read((tx) => findSaved(tx, owner, attachmentId));
  if (saved !== undefined)
    return { ...shown, blobKey: saved, checksum: undefined, discard: async () => undefined };
  const staged = await staging.stageContent(await openAttachment(staging, location, path), owner.workspaceId);
  const { location: at, checksum } = staged;
  return { ...shown, blobKey: at.blobKey, checksum, discard: () => staged.discard() };
}

/** Makes a file of an attachment, in the drive of the owner of the mailbox. Throws as SavedFiles.create. */
export async function saveAttachment(
  tx: WriteTransaction,
  owner: MailboxOwner,
  files: SavedFiles,
  attachment: SavableAttachment,
  { folder_id: folderId = '', title }: AttachmentToSave,
): Promise<JsonText> {
  const { attachmentId, filename, mimeType, size, blobKey, checksum } = attachment;
  const file = { filename, mimeType, size, blobKey, folderId, ...(title !== undefined && { title }) };
  if (checksum === undefined || blobKey === null) return files.create(tx, owner, file);
  const takeOverBytes = async (within: WriteTransaction) => {
    await takeOver(within, { workspaceId: owner.workspaceId, location: { raw: null, blobKey }, checksum });
    await insertSaved(within, owner, { attachmentId, blobKey, size });
  };
  return files.create(tx, owner, { ...file, takeOver: takeOverBytes });
}
