import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { MailboxOwner } from './owner.ts';

/** How many copies of a message with this digest have been imported into a folder. */
export async function countImported(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderId: string,
  digest: string,
): Promise<number> {
  const row = await tx
    .selectFrom('mail_imports')
    .select('copies')
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('folder_id', '=', folderId)
    .where('digest', '=', digest)
    .executeTakeFirst();
  return row?.copies ?? 0;
}

/** Notes one more imported copy. */
export async function addImported(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
  digest: string,
): Promise<void> {
  await tx
    .insertInto('mail_imports')
    .values({
      workspace_id: owner.workspaceId,
      user_id: owner.userId,
      folder_id: folderId,
      digest,
      copies: 1,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'user_id', 'folder_id', 'digest'])
        .doUpdateSet({ copies: sql<number>`mail_imports.copies + 1` }),
    )
    .execute();
}
