import type { BlobOwner } from '../../../storage/blob-owner.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { MailboxOwner } from '../owner.ts';

/** Decoded attachments that were saved to the drive. */
export const SAVED_ATTACHMENTS_BLOBS: BlobOwner = {
  table: 'saved_attachments',
  columns: ['workspace_id', 'attachment_id'],
  name: async (_tx, [, attachmentId]) => `attachment ${attachmentId}`,
};

/** The key of the decoded bytes of an attachment that was saved before; the caller has found it in the mailbox. */
export async function findSaved(
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  attachmentId: string,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('saved_attachments')
    .select('blob_key')
    .where('workspace_id', '=', workspaceId)
    .where('attachment_id', '=', attachmentId)
    .executeTakeFirst();
  return row?.blob_key;
}

/** Notes the decoded bytes of an attachment; of two that are saved at once, the first are noted. */
export async function insertSaved(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  { attachmentId, blobKey, size }: { attachmentId: string; blobKey: string; size: number },
): Promise<void> {
  await tx
    .insertInto('saved_attachments')
    .values({ workspace_id: workspaceId, attachment_id: attachmentId, blob_key: blobKey, size })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
