import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { Resources as ResourceRow } from '../../storage/tables.ts';

export type { ResourceRow };

export async function listResources(
  tx: ReadTransaction,
  workspaceId: string,
  after: string,
  limit: number,
): Promise<ResourceRow[]> {
  return tx
    .selectFrom('resources')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function insertResource(tx: WriteTransaction, resource: ResourceRow): Promise<void> {
  await tx.insertInto('resources').values(resource).execute();
}
