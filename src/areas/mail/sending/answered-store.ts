import type { WriteTransaction } from '../../../storage/database.ts';
import type { FlagSet } from '../flags.ts';
import type { MailboxOwner } from '../owner.ts';

export async function setFlags(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
  flags: FlagSet,
): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ flags })
    .where('workspace_id', '=', owner.workspaceId)
    .where('id', '=', messageId)
    .execute();
  await tx
    .updateTable('message_labels')
    .set({ flags })
    .where('workspace_id', '=', owner.workspaceId)
    .where('message_id', '=', messageId)
    .execute();
}
