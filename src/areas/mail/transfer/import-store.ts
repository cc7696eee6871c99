import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { MailboxOwner } from '../owner.ts';

/** How many copies have been imported into a folder of the messages with these digests; of others nothing is told. */
export async function countImported(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderId: string,
  digests: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('mail_imports')
    .select(['digest', 'copies'])
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('folder_id', '=', folderId)
    .where('digest', 'in', digests)
    .execute();
  return new Map(rows.map(({ digest, copies }) => [digest, copies]));
}

/** Notes how many copies of which messages have been imported into a folder by now. */
export async function noteImported(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
  copiesOf: ReadonlyMap<string, number>,
): Promise<void> {
  const scope = { workspace_id: owner.workspaceId, user_id: owner.userId, folder_id: folderId };
  const rows = [...copiesOf].map(([digest, copies]) => ({ ...scope, digest, copies }));
  if (rows.length === 0) return;
  await tx
    .insertInto('mail_imports')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'user_id', 'folder_id', 'digest'])
        .doUpdateSet(({ ref }) => ({ copies: ref('excluded.copies') })),
    )
    .execute();
}
