import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { isAmong } from '../../storage/query/json-parameters.ts';
import { statement } from '../../storage/query/statement.ts';
import type { Resources as ResourceRow } from '../../storage/schema/tables.ts';

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

const findIds = statement((tx, p: { workspaceId: string; ids: string }) =>
  tx
    .selectFrom('resources')
    .select('id')
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'id', p.ids)),
);

/** Those of these ids that are resources of the workspace. */
export async function findResourceIds(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await findIds(tx, { workspaceId, ids: JSON.stringify(ids) });
  return new Set(rows.map(({ id }) => id));
}
